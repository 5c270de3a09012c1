"""Words that say nothing of what a text is about."""

from functools import lru_cache

from strandline.language.data import loader


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a primary language subtag, as their list writes them; empty without one.

    A language whose file has none takes the list of stopwordsiso.
    """
    if listed := loader.language(language).words.stop:
        return listed
    from stopwordsiso import stopwords  # noqa: PLC0415 - parses a megabyte, and English does without

    code = "no" if language in ("nb", "nn") else language
    return frozenset(stopwords(code))
