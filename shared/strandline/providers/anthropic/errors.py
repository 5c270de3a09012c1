"""Translation of the `anthropic` SDK's errors into ModelErrors.

Source: https://platform.claude.com/docs/en/api/errors
"""

from strandline.providers.http_errors import error_from_sdk


def translate_error(error: BaseException) -> BaseException:
    """Returns the ModelError for an error of the SDK; any other error is returned unchanged."""
    import anthropic  # noqa: PLC0415 - the SDK is loaded by the first call, not by an import

    return error_from_sdk(anthropic, error, lambda _: frozenset())
