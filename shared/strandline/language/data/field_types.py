"""What the values of a language's file are."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

Words = Annotated[frozenset[str], "words"]
"""A list of words: a string with blanks between them, or an array where words hold blanks."""

Pattern = Annotated[str, "pattern"]
"""The inside of a regular expression, with placeholders and perhaps over several lines."""

NO_WORDS: frozenset[str] = frozenset()
NO_TABLE: Mapping[Any, Any] = MappingProxyType({})
