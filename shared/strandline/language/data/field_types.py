"""What the values of a language's file are."""

from typing import Annotated

Words = Annotated[frozenset[str], "words"]
"""A list of words: a string with blanks between them, or an array where words hold blanks."""

Pattern = Annotated[str, "pattern"]
"""The inside of a regular expression, with placeholders and perhaps over several lines."""

NONE: frozenset[str] = frozenset()
