"""What is kept of the assistant's words: its proposals, as its own."""

import re

from strandline.providers.offline.finding import Finding, sentence

MAX_PROPOSALS = 3
"""Of one reply. A long list of ideas is in the turn itself."""

_PROPOSED = re.compile(
    r"^(?:(?:maybe|perhaps|alternatively|then)\s*,?\s+)?(?:you (?:could|might|should|may want to"
    r"|can)"
    r"(?: also| always| try to)?|how about|what about|i(?:'d)? (?:suggest|recommend"
    r"|propose)(?: that you)?"
    r"|i would (?:suggest|recommend)|why not|why don't you|we could|let's|consider)\s+"
    r"(?!(?:you|see|ask me|tell me|let me|find|also tell|help)\b)(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_CHINESE = re.compile(r"^(?:你可以|我建议|建议你?|要不要|不如)(?P<what>.+)$", re.DOTALL)


def proposal(reading: str) -> Finding | None:
    """A proposal the assistant makes; never a fact about the user."""
    if _CHINESE.match(reading):
        return Finding("proposal", "建议", sentence(reading), 0.3, subject="assistant")
    match = _PROPOSED.match(reading)
    if match is None:
        return None
    text = sentence(f"the assistant suggested: {match['what']}")
    return Finding("proposal", "Suggestion", text, 0.3, subject="assistant")
