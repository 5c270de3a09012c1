"""What went wrong at Anthropic, in the product's own errors.

Source: https://platform.claude.com/docs/en/api/errors
"""

from strandline.providers.http_errors import error_from_sdk


def translate_error(error: BaseException) -> BaseException:
    """The ModelError that `error` amounts to; what isn't of the SDK comes back as it is."""
    import anthropic  # noqa: PLC0415 - the SDK is loaded by the first call, not by an import

    return error_from_sdk(anthropic, error, lambda _: frozenset())
