"""Words that sentences and clauses are told apart by."""

from strandline.language.word_list import word_set

ABBREVIATIONS = word_set(
    "dr mr mrs ms prof st e.g i.e vs approx dept no nr bzw z.b d.h ca usw sr sra mme m jr"
)
"""What a full stop follows without an end of sentence."""

CLAUSE_OPENERS = word_set(
    "i i'm i've i'd i'll we we're he he's she she's they they're you it it's there my our",
    "not never don't doesn't didn't can't won't isn't no",
    "love loves hate hates like likes prefer prefers enjoy enjoys dislike dislikes",
    "avoid avoids need needs want wants eat eats",
    "ich wir er sie es mein meine nicht kein keine nie mag liebe hasse",
    "je j' nous il elle ils elles on mon ma mes pas jamais",
    "yo nosotros él ella ellos mi mis no nunca me",
    "io noi lui lei mio mia non mai",
    "eu nós ele ela meu minha não nunca",
    "odio odia detesto amo adoro prefiero prefiere tengo tiene soy estoy vivo vive trabajo quiero",
    "sono ho vivo abito lavoro preferisco odeio gosto prefiro tenho sou moro trabalho",
    "wohne arbeite bin habe esse trinke",
    "ik wij hij zij mijn niet geen nooit",
    "jag vi han hon min mitt inte aldrig",
)
"""What begins a new statement behind a comma or an "and"."""

LINKS = word_set(
    "but because although though whereas while however except",
    "aber sondern weil obwohl jedoch denn",
    "mais car cependant",
    "pero sino porque aunque",
    "ma perché però",
    "mas porém embora",
    "maar omdat hoewel",
    "men eftersom fast",
)
"""What begins a new statement wherever it stands."""
