"""The small words of a language: they tell which language it is, and say nothing by themselves."""

from strandline.language.word_list import same, word_set

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": word_set(
        "the a an i i'm i've i'd i'll me my mine we us our you your he him his she her it its they "
        "them their this that these those am is are was were be been being do does did done have "
        "has had having will would can could shall should may might must to of in on at by for "
        "from with about into as and or but if so than then there here who whom whose which what "
        "when where why how not no nor never don't doesn't didn't isn't aren't wasn't weren't "
        "can't cannot couldn't won't wouldn't shouldn't haven't hasn't hadn't it's that's he's "
        "she's too up out"
    ),
    "de": word_set(
        "der die das den dem des ein eine einen einem einer eines ich mich mir mein meine meinen "
        "wir uns unser du dich dir dein er ihn ihm sein seine sie ihr ihre es bin bist ist sind "
        "war waren sein gewesen habe hast hat haben hatte werde wird werden wurde kann können "
        "soll sollen muss müssen und oder aber wenn dass als auf an in im aus bei mit nach von "
        "vom zu zum zur für über um am nicht nie niemals kein keine keinen auch noch nur so wie "
        "was wer wo warum"
    ),
    "fr": word_set(
        "le la les un une des du de je j me moi mon ma mes nous notre tu te toi ton ta vous "
        "votre il elle on lui ils elles leur se son sa ses ce cette ces suis es est sommes "
        "êtes sont était ai as a avons avez ont avait être avoir et ou mais si que qu qui quoi où "
        "quand comment pourquoi dans sur sous avec pour par en au aux ne pas y très"
    ),
    "es": word_set(
        "el la los las un una unos unas de del al a yo me mí mi mis nosotros nuestro tú te tu él "
        "ella ellos ellas se su sus lo le les soy eres es somos son era fue ser estar estoy está "
        "están he ha han había tengo tiene y o pero si que qué quien quién donde dónde cuando como "
        "cómo por para con sin en no muy también más"
    ),
    "it": word_set(
        "il lo la i gli le un uno una di del della dei delle da dal in nel nella su sul io mi me "
        "mio mia miei noi ci tu ti lui lei loro si suo sua sono sei è siamo siete era ho hai ha "
        "abbiamo hanno e o ma se che chi cosa dove quando come perché per con non anche molto "
        "al alla"
    ),
    "pt": word_set(
        "o a os as um uma de do da dos das em no na nos nas por pelo pela para com sem eu me mim "
        "meu minha nós tu te você ele ela eles elas se seu sua lhe sou és é somos são era foi "
        "estou está tenho tem e ou mas que quem onde quando como não muito também ao à"
    ),
    "nl": word_set(
        "de het een ik me mij mijn wij we ons onze jij je jou jouw hij hem zijn zij ze haar hun "
        "ben bent is zijn was waren heb hebt heeft hebben had word wordt worden kan kunnen zal "
        "zou moet en of maar als dat die dit deze van in op aan bij met naar voor uit om te niet "
        "geen ook nog wat wie waar waarom hoe er"
    ),
    "sv": word_set(
        "en ett den det de jag mig min mitt mina vi oss vår du dig din han honom hans hon henne "
        "hennes sin sitt är var varit vara har hade ha ska skulle kan kunde måste och eller men "
        "om att som på i av för till från med inte ej också när var hur vad vem där"
    ),
}

LIGHT_WORDS: dict[str, frozenset[str]] = {
    "en": word_set(
        "user users user's now currently really very quite just also still please remember note "
        "fact thing things any anymore longer get gets got getting that's one's own some more so "
        "all always today's currently person people someone"
    ),
    "de": word_set(
        "nutzer nutzerin benutzer benutzerin user jetzt gerade sehr wirklich bitte immer mehr "
        "person gern gerne"
    ),
    "fr": word_set(
        "utilisateur utilisatrice maintenant vraiment très toujours plus personne beaucoup"
    ),
    "es": word_set("usuario usuaria ahora realmente siempre mucho persona ya"),
    "it": word_set("utente ora adesso davvero sempre molto persona"),
    "pt": word_set("usuário usuária utilizador agora sempre muito pessoa já"),
    "nl": word_set("gebruiker nu echt altijd heel erg persoon graag"),
    "sv": word_set("användaren användare nu alltid väldigt mycket person"),
    "zh": frozenset({"用户", "使用者", "现在", "真的"}),
    "ja": frozenset({"ユーザー", "今", "本当に"}),
}
"""Words that may come or go without making another fact of it."""

SAME_WORDS: dict[str, str] = {
    **same("love loves loved loving like likes liked liking enjoy enjoys enjoyed", "like"),
    **same("adore adores adored", "like"),
    **same(
        "hate hates hated dislike dislikes disliked detest detests loathe loathes despise",
        "dislike",
    ),
    **same("live lives living lived reside resides residing based", "live"),
    **same("allergy allergies allergic", "allergy"),
    **same("favourite favorite favourites favorites", "favorite"),
    **same("colour color colours colors", "color"),
    **same("named called name names", "name"),
    **same("mom mum mother", "mother"),
    **same("buy buys bought buying purchase purchases purchased purchasing", "buy"),
    **same("big large", "large"),
    **same("kid kids child children", "child"),
    **same("begin begins began begun beginning start starts started starting", "start"),
    **same("dad father", "father"),
}
"""English words that differ without the fact differing."""

DIVIDING_WORDS: dict[str, frozenset[str]] = {
    "en": word_set(
        "to from than over before after by for against under above below behind until into"
    ),
    "de": word_set("als nach von vor zu für statt gegen über unter bis"),
    "fr": word_set("que à de pour par avant après contre"),
    "es": word_set("que a de para por antes después contra"),
    "it": word_set("che a da di per prima dopo contro"),
    "pt": word_set("que a de para por antes depois contra"),
    "nl": word_set("dan naar van voor na tegen"),
    "sv": word_set("än till från för före efter mot"),
}
"""Words whose two sides can't be exchanged: from here to there, this before that."""

FEELING_WORDS = word_set(
    "like dislike stand fan fond keen allergy mag mog lieb liebt hass hasst aim ador detest gust",
    "encant odi amo piac gost odei",
    "houd haat gill alsk hat ogill 喜 欢 歡 讨 討 厌 厭 爱 愛 恨 好 嫌",
)
"""Stems of words of liking, disliking, not tolerating: each may hold of many things at once."""

TURNING_WORDS = word_set(
    "stop quit avoid refus cancel reject give gave start begin began resum",
    "vermeid aufgehort evit arret dej par",
)
"""Stems of words that only say whether something is so, begins or ends."""

SINGLE_PLURALS = word_set("hours plans savings wages terms news status address")
"""Topics that look like many things and are one."""
