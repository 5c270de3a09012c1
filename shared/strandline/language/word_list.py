"""How the word lists of this folder are written: as text, words parted by blanks."""


def word_set(*lines: str) -> frozenset[str]:
    """The words of those lines."""
    return frozenset(word for line in lines for word in line.split())


def same(words: str, meaning: str) -> dict[str, str]:
    """Each of the words mapped to the one that stands for all of them."""
    return dict.fromkeys(words.split(), meaning)
