"""The endpoint of a model's service: its address and API key."""

from dataclasses import dataclass, field

from strandline.errors import ModelNotConfigured


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base URL, empty for the provider's default, and an API key."""

    base_url: str
    api_key: str = field(repr=False)

    @classmethod
    def of(cls, prefix: str, base_url: str, api_key: str) -> "Endpoint":
        """Returns a checked endpoint; white space around the values is removed.

        `prefix` is the prefix of the settings' names, for messages. Raises ModelNotConfigured;
        its message never holds the key.
        """
        base_url, api_key = base_url.strip(), api_key.strip()
        if base_url and not base_url.startswith(("http://", "https://")):
            raise ModelNotConfigured(f"{prefix}_BASE_URL must begin with http:// or https://.")
        if not api_key:
            raise ModelNotConfigured(f"{prefix}_API_KEY is empty.")
        if not (api_key.isascii() and api_key.isprintable()):
            raise ModelNotConfigured(f"{prefix}_API_KEY holds characters that no key can have.")
        return cls(base_url, api_key)
