"""How clauses begin, as alternatives of a regular expression: where a sentence may be parted."""

RELATIONS = (
    "brother|sister|mother|father|mom|mum|dad|mama|papa|wife|husband|partner|girlfriend|boyfriend"
    "|fiancée?|son|daughter|child|kid|baby|grandmother|grandfather|grandma|grandpa|aunt|uncle"
    "|cousin|nephew|niece|friend|boss|manager|colleague|coworker|co-worker|neighbou?r|roommate"
    "|flatmate|teacher|doctor|dentist|therapist|landlord|dog|cat|horse|parrot|rabbit|hamster|pet"
    "|stepmother|stepfather|mother-in-law|father-in-law|brother-in-law|sister-in-law|twin"
)
"""Whom "my …" can speak of as a third party, in the singular."""

THIRD_VERBS = (
    "is|isn't|was|wasn't|has|hasn't|had|does|doesn't|didn't|will|won't|can|can't|hates|loves|likes"
    "|dislikes|enjoys|prefers|lives|works|wants|needs|eats|drinks|plays|speaks|studies|owns|drives"
    "|moved|started|became|got|went|goes|teaches|runs|turned|turns|uses|knows|collects|comes|died"
    "|passed|quit|bought|sold|born|called|never|always|still|also|really|just|no longer"
)
"""How what is said of a third party begins."""

_VERB_OF_A_THING = "is|are|was|were|isn't|aren't|has|have|will be|starts|ends"

START_OF_CLAUSE = (
    r"(?:i|we|he|she)\b|i'|we'|he'|she'|let's\b|remember\b|remind me\b|please\b|don't forget\b"
    rf"|(?:my|our|the)\s+(?:[\w'-]+\s+){{1,4}}?(?:{_VERB_OF_A_THING}|{THIRD_VERBS})\b"
    r"|how about\b|maybe we\b|you (?:could|might|should|can)\b"
    r"|ich\b|mein\b|meine\b|wir\b|je\b|j'|mon\b|ma\b|nous\b|me gusta|me encanta|me llamo|no me\b"
    r"|no como|odio\b|vivo\b|soy\b|prefiero\b|tengo\b|mi piace|non\b|sono\b|abito\b|mi chiamo"
    r"|eu\b|gosto\b|moro\b|sou\b|não\b|adoro\b|ik\b|mijn\b|wij\b"
)

CARRIED_VERBS = (
    "love|like|hate|dislike|detest|enjoy|prefer|adore|live in|moved to|work (?:as|at|for|in)|have"
    "|own|speak|want|need|will|must|don't|do not|can't|cannot|never|decided|started|quit|got|bought"
    "|sold|am|was|play the|am not|grew up|used to|no longer"
)
"""Verbs that begin a clause which shares the subject before: "I love tea and hate coffee"."""

CARRIED_AFTER_BE = (
    "allergic|afraid|scared|terrified|vegan|vegetarian|married|divorced|retired|pregnant"
    "|not allergic|from|based in|living in"
)
"""What shares "I'm" as well: "I'm vegan and allergic to nuts"."""

QUESTION_WORDS = (
    "what|which|who|whom|whose|where|when|why|how|can you|could you|would you|will you|can i"
    "|could i|should i|should we|do i|do you|do we|does|is it|is there|are there|any|shall we|may i"
)
