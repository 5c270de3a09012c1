"""Whether a text is grounded in what was said: it shares a content word with it. Pure."""

from strandline.language.content_words import content_stems, count_shared
from strandline.language.detection import detect_script, possible_languages


def is_grounded(text: str, source: str, *, quoted: str, language: str) -> bool:
    """Whether the text shares a content word with its source.

    `quoted` are the words of the source that it cites; they tell the source's language.
    `language` is the tag assumed where a text shows none. A text in another language or script
    than its source can't be compared by words and counts as grounded.
    """
    if detect_script(text) != detect_script(quoted):
        return True
    of_text, of_source = (possible_languages(each, language) for each in (text, quoted))
    if len(of_text) == len(of_source) == 1 and of_text != of_source:
        return True
    common = of_text[0] if of_text[0] in of_source else of_source[0]
    return count_shared(content_stems(text, common), content_stems(source, common)) > 0
