"""Words of a text, as citations count them.

A word is a run of letters, digits and combining marks, with apostrophes, hyphens, full stops
and other joiners inside it ("don't", "3.5"); in scripts without blanks (Han, kana, Thai, Lao,
Khmer, Burmese) each character is one; a symbol that is no punctuation (an emoji) is one.
"""
