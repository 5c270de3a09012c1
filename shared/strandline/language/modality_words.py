"""How languages mark what is only supposed, and what is asked.

Each list is the inside of a regular expression over folded, lower-case text.
"""

_WORKED_ON = (
    r"(?:^|[.!?,;]\s*)(?:please |now |(?:can|could) you (?:please )?)?"
    r"(?:translate|proofread|paraphrase|rephrase|rewrite|summari[sz]e|"
    r"(?:write|tell|continue) (?:me )?(?:a|an|the|this) (?:\w+ )?"
    r"(?:story|poem|song|joke|dialogue|scene|novel|tale)|"
    r"übersetz(?:e|en sie)?|korrigiere|traduis|traduisez|traduce|traduzca|traduci|traduza|vertaal)"
    r"\b[^.!?:]*(?::|\s[\"'])|翻译|翻譯"
)
"""What hands over a text to be worked on: who speaks in it needn't be the user."""

SUPPOSING = (
    rf"{_WORKED_ON}|"
    # English
    r"(?:^|[.!?,;:]\s*)(?:so |and |but |now |just |ok |okay )?"
    r"(?:suppose|supposing|imagine|pretend|assume|assuming|say|picture this|"
    r"let(?:'s| us) (?:say|assume|pretend|imagine|suppose))"
    r"(?:,| that| if| i| we| you| my| he| she| they| there|:)|"
    r"\bwhat if\b|\bhypothetical(?:ly)?\b|\bin theory\b|\brole-?play\b|\bas if i\b|\bif only\b|"
    r"\bi wish i\b|\bif i (?:were|was|had|moved|lived|became|got|did|could|went|won|bought|quit|"
    r"took|ate|worked|didn't|weren't)\b|"
    # German
    r"\bangenommen\b|\bstell(?:en sie sich|e? dir) vor\b|"
    r"\bnehmen wir (?:mal )?an\b|\bwas wäre,? wenn|"
    r"\bwenn ich .*(?:würde|wäre|hätte|zöge|könnte)|\bgesetzt den fall|\bhypothetisch|"
    # French
    r"\bsupposons|\bimagin(?:e|ez) que\b|\bimaginons\b|\badmettons|\bet si (?:j'|je |on )|"
    r"\bsi (?:j'étais|j'avais|je \w+(?:ais|ions))\b|\bhypothétique|"
    # Spanish, Italian, Portuguese
    r"\bsupong(?:amos|o que yo)|\bimagin(?:a|emos|e) que|\by si (?:yo |me )|"
    r"\bsi (?:yo )?\w+(?:ara|iera|ase|iese)\b|\bhipot[ée]tic|\bsupponiamo|\bimmaginiamo|"
    r"\bse (?:io )?\w+(?:assi|essi|issi)\b|\bsuponha|\bimagine que|\bse eu \w+(?:asse|esse|isse)\b|"
    # Dutch, Swedish
    r"\bstel (?:dat|je voor|ik)\b|\bals ik .*zou\b|\banta att\b|\btänk om\b|\bom jag skulle\b|"
    # Chinese, Japanese, Russian
    r"假设|假設|假如|如果我|要是我|设想|想象一下|もし|仮に|としたら|だったら|"
    r"\bпредставь|\bдопустим|\bесли бы"
)

WOULD = (
    r"\b(?:i|we) (?:would|could|might)\b(?! (?:like|love|prefer|rather|appreciate|hate|be (?:happy|"
    r"glad)|say|recommend|not like|have to))|"
    r"\bi'd (?!like|love|prefer|rather|appreciate|hate|been|better|already|never|just|had|say|"
    r"recommend|be (?:happy|glad))"
)
"""A conditional of the speaker's own, wishes and habits of speech left out."""

ONCE = (
    r"\bused to\b|\bwhen i was\b|\bas a (?:child|kid|student|teenager)\b|\bback then\b|\balways\b"
)
"""Where "would" tells of the past."""

IF_CLAUSE = r"\b(?:if|whether|falls|wenn|si (?=je|j'|yo|on|nous))\b[^,.;!?]*"
"""From the word that opens a condition to where the condition ends."""

FOR_REAL = (
    r"\bby the way\b|\bbtw\b|\bactually\b|\bin reality\b|\banyway\b|\breally\b|\bin fact\b|"
    r"\bübrigens\b|\btatsächlich\b|\bau fait\b|\ben réalité\b|\bpor cierto\b|其实|顺便"
)
"""What ends a supposition that went on over several sentences."""

QUESTION_MARKS = ("?", "？", "؟")

ASKING = (
    r"(?:and |but |so |then |also |ok |okay |hey |hi |well )*"
    r"(?:what|who|whom|whose|which|where|when|why|how|any|do|does|did|am|is|are|was|were|can|could|"
    r"will|would|shall|should|may|might|have|has|had|"
    r"was|wer|wen|wem|welche[rsnm]?|wo|wohin|wann|warum|wie|ob|soll|sollte|kann|könnte|darf|hast|"
    r"habe|hat|bin|bist|ist|sind|muss|gibt|"
    r"qu'|que|quoi|quel(?:le)?s?|qui|où|quand|pourquoi|comment|est-ce|dois|puis|peux|peut|"
    r"qué|quién|cuál(?:es)?|dónde|cuándo|cómo|debo|puedo|puedes|tienes|"
    r"che|chi|quale|dove|perché|posso|puoi|devo|quem|qual|onde|quando|"
    r"wat|wie|waar|waarom|hoe|welke|kan|moet|vad|vem|vilken|var|varför|hur|ska|"
    r"isn't|aren't|don't|doesn't|didn't|can't|won't|wouldn't|shouldn't)\b"
)
"""How a clause that asks begins."""

ASKING_UNSPACED = (
    r"[吗嗎呢么麼]|什么|什麼|怎么|怎麼|哪|谁|誰|几|"
    r"多少|是不是|有没有|能不能|か[?？]?$|何|どこ|いつ|誰|なぜ"
)

REQUEST = r"\b(?:can|could|would|will) you (?:please )?(?:remind|remember|note|keep in mind|save)\b"
"""A wish put as a question."""

STATING = (
    r"^\W*(?:(?:and|but|so|since|because|given(?: that)?|as|now that|that|who|btw|by the way,?)"
    r"\s+)?"
    r"(?:i'm|i am|i've|i have|i'll|i (?!can\b|should\b|could\b|would\b)\w+|we're|we are|we've|"
    r"we \w+|my \w+|our \w+|ich \w+|mein\w* \w+|wir \w+|je \w+|j'\w+|mon \w+|ma \w+|"
    r"soy|tengo|vivo|estoy|mi \w+|sono|ho|ik \w+|jag \w+)\b"
)
"""How words begin that state something even within a question."""

IN_DOUBT = (
    r"(?:\b(?:if|whether|(?<!given )that|think|believe|say|know|guess|sure|"
    r"do|does|did|am|is|are|was|were|can|could|should|shall|will|would|may|might|have|has|had|must|ob|dass|si|que)|n't)\s*$"
)
"""What right before a statement takes it back into the question."""
