"""Where a model is served, and with which key."""

from dataclasses import dataclass, field

from strandline.errors import ModelNotConfigured


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address, empty for the provider's own, and a key."""

    base_url: str
    api_key: str = field(repr=False)

    @classmethod
    def of(cls, settings: str, base_url: str, api_key: str) -> "Endpoint":
        """A checked endpoint, without the white space around what a file or a shell gave.

        `settings` is what the names of its settings begin with. Raises ModelNotConfigured,
        without the key.
        """
        base_url, api_key = base_url.strip(), api_key.strip()
        if base_url and not base_url.startswith(("http://", "https://")):
            raise ModelNotConfigured(f"{settings}_BASE_URL must begin with http:// or https://.")
        if not api_key:
            raise ModelNotConfigured(f"{settings}_API_KEY is empty.")
        if not (api_key.isascii() and api_key.isprintable()):
            raise ModelNotConfigured(f"{settings}_API_KEY holds characters that no key can have.")
        return cls(base_url, api_key)
