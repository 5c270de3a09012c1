"""The table of patterns in other languages, tried in this order."""

# A table of patterns reads best with one rule a line.
# ruff: noqa: E501, ISC004

import re


def _table(*rules: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for name, pattern in rules)


def _relation(own: str, words: str, blank: str = r"\s+") -> re.Pattern[str]:
    """Someone of one's own, perhaps with a name, and what is said of them."""
    name = r"(?P<name>[A-ZÀ-ÖØ-Þ][\w-]+)"
    return re.compile(
        rf"^(?i:{own}){blank}(?P<relation>(?i:{words}))(?:{blank}{name})?(?:\s+\w.*|\s*[^\s\w].*)$"
        if blank
        else rf"^(?:{own})(?P<relation>{words})(?P<name>[A-Z][a-z]+)?.+$",
        re.DOTALL,
    )


_O = r"(?P<object>.+)"

RULES = {
    "zh": _table(
        ("allergy", r"我对(?P<object>.+?)(?:严重)?(?:不)?过敏.*"),
        ("home", r"我(?:现在|已经|刚|目前)?(?:不)?(?:住在|搬到了?|搬去了?|生活在|定居在)(?P<object>.+)"),
        ("diet", r"我(?:从来|现在)?(?:不|从不|不能)(?:吃|喝)(?P<object>.+)"),
        ("opinion", r"我(?:现在|真的|很|最|非常|特别|也|还)*(?:不)?(?:太)?(?:喜欢|爱|讨厌|喜爱|恨|偏好)"
                    r"(?:吃|喝)?(?P<object>.+)"),
        ("fear", r"我(?:很|非常)?(?:怕|害怕)(?P<object>.+)"),
        ("regime", r"我是(?:一个|一名)?(?P<object>素食者|素食主义者|纯素食者)"),
        ("name", r"(?:我叫|我的名字(?:是|叫))(?P<object>.+)"),
        ("job", r"我(?:现在)?(?:在.+(?:工作|上班)|是(?:一名|一个|一位).+)"),
        ("decision", r"(?:我们?|咱们)(?:已经)?(?:决定|选择|选定)了?.+"),
        ("commitment", r"(?:请)?提醒我.+|我(?:必须|需要|得|要)(?:在)?(?:明天|今天|后天|下周|周|星期|\d).+"),
        ("own", r"我的(?P<object>.{1,12}?)是.+"),
        ("self", r"我(?:不)?是.+"),
    ),
    "de": _table(
        ("allergy", rf"ich bin (?:nicht )?allergisch (?:gegen|auf) {_O}"),
        ("home", rf"ich (?:wohne|lebe) (?:jetzt |nicht (?:mehr )?)?in {_O}|ich bin nach .+ gezogen"),
        ("diet", rf"ich (?:esse|trinke) (?:gar )?kein(?:e|en)? {_O}"),
        ("opinion", r"ich (?:mag|liebe|hasse|bevorzuge) (?P<object>.+?)(?: nicht| gern| sehr)*"),
        ("fear", rf"ich habe angst vor {_O}"),
        ("regime", r"ich bin (?:kein )?(?:veganer(?:in)?|vegetarier(?:in)?|vegan|vegetarisch)"),
        ("name", rf"(?:ich heiße|mein name ist) {_O}"),
        ("job", r"ich arbeite (?:als|bei|für|in) .+"),
        ("decision", r"(?:wir haben uns|ich habe mich|wir haben|ich habe) .*(?:entschieden|beschlossen).*"),
        ("commitment", r"(?:bitte )?erinner(?:e)? mich .+|ich muss (?:morgen|heute|am|bis|nächste) .+"),
        ("own", r"meine? (?P<object>[\w -]{1,40}?) (?:ist|sind) .+"),
    ),
    "fr": _table(
        ("allergy", rf"je (?:ne )?suis (?:pas )?allergique (?:à la|à l'|à|aux|au) ?{_O}"),
        ("home", r"(?:j'habite|je vis|j'ai déménagé|je n'habite (?:pas|plus)) (?:maintenant )?(?:à|en|au|dans) .+"),
        ("diet", rf"je ne (?:mange|bois) (?:pas|jamais|plus) (?:de |d')?{_O}"),
        ("opinion", r"(?:j'aime|j'adore|je déteste|je préfère|je n'aime (?:pas|plus)) (?:bien |beaucoup )?"
                    rf"{_O}"),
        ("fear", rf"j'ai peur (?:de la|de l'|du|des|de|d') ?{_O}"),
        ("regime", r"je (?:ne )?suis (?:pas )?(?:végane?|végétarienn?e?)"),
        ("name", rf"je m'appelle {_O}"),
        ("job", r"je travaille (?:comme|chez|pour|dans|à|en) .+"),
        ("decision", r"(?:nous avons|j'ai|on a) (?:décidé|choisi) .+"),
        ("commitment", r"rappelle-moi .+|je dois .+(?:demain|lundi|mardi|mercredi|jeudi|vendredi|samedi"
                       r"|dimanche).*"),
        ("own", r"(?:mon|ma|mes) (?P<object>[\w' -]{1,40}?) (?:est|sont) .+"),
    ),
    "es": _table(
        ("allergy", rf"(?:yo )?(?:no )?soy al[eé]rgic[oa] (?:a la|a los|a las|al|a) {_O}"),
        ("home", r"(?:yo )?(?:ya no |no )?(?:vivo|me mud[eé]|me he mudado) (?:en|a) .+"),
        ("diet", rf"(?:yo )?(?:nunca|no) (?:como|bebo) {_O}"),
        ("opinion", r"(?:a mí )?(?:ya )?(?:no )?(?:me (?:gustan?|encantan?)|odio|prefiero|amo|detesto)"
                    rf"(?: mucho)? {_O}"),
        ("fear", rf"(?:me da(?:n)? miedo|tengo miedo (?:a|de)) {_O}"),
        ("regime", r"(?:yo )?(?:no )?soy (?:vegan[oa]|vegetarian[oa])"),
        ("name", rf"(?:me llamo|mi nombre es) {_O}"),
        ("job", r"(?:yo )?trabajo (?:como|en|para|de) .+"),
        ("decision", r"(?:hemos|he) (?:decidido|elegido) .+|(?:decidimos|elegimos) .+"),
        ("commitment", r"recu[eé]rdame .+|tengo que .+(?:mañana|lunes|martes|miércoles|jueves|viernes"
                       r"|sábado|domingo).*"),
        ("own", r"mis? (?P<object>[\w -]{1,40}?) (?:es|son) .+"),
        ("self", r"(?:yo )?(?:no )?soy (?:de |un |una )?.+"),
    ),
    "it": _table(
        ("allergy", rf"(?:non )?sono allergic[oa] (?:alla|alle|allo|agli|ai|al|a) {_O}"),
        ("home", r"(?:non )?(?:vivo|abito|mi sono trasferit[oa]) (?:più )?(?:a|in) .+"),
        ("diet", rf"non (?:mangio|bevo) (?:mai |più )?{_O}"),
        ("opinion", rf"(?:non )?(?:mi piac(?:e|ciono)|amo|odio|preferisco|detesto) (?:più |molto )?{_O}"),
        ("regime", r"(?:non )?sono (?:vegan[oa]|vegetarian[oa])"),
        ("name", rf"mi chiamo {_O}"),
        ("job", r"lavoro (?:come|per|in|da) .+"),
        ("decision", r"(?:abbiamo|ho) (?:deciso|scelto) .+"),
        ("own", r"(?:il mio|la mia|i miei|le mie) (?P<object>[\w -]{1,40}?) (?:è|sono) .+"),
    ),
    "pt": _table(
        ("allergy", rf"(?:eu )?(?:não )?sou al[eé]rgic[oa] (?:à|às|aos|ao|a) {_O}"),
        ("home", r"(?:eu )?(?:não )?(?:moro|vivo|me mudei|mudei-me) (?:mais )?(?:em|no|na|para) .+"),
        ("diet", rf"(?:eu )?(?:não|nunca) (?:como|bebo) {_O}"),
        ("opinion", rf"(?:eu )?(?:não )?(?:gosto (?:muito )?d[eoa]s?|adoro|odeio|prefiro|amo) {_O}"),
        ("regime", r"(?:eu )?(?:não )?sou (?:vegan[oa]|vegetarian[oa])"),
        ("name", rf"(?:(?:eu )?me chamo|(?:o )?meu nome é) {_O}"),
        ("job", r"(?:eu )?trabalho (?:como|em|no|na|para) .+"),
        ("decision", r"(?:nós )?(?:decidimos|escolhemos) .+|(?:eu )?decidi .+"),
        ("own", r"(?:o |a )?(?:meu|minha) (?P<object>[\w -]{1,40}?) (?:é|são) .+"),
    ),
    "nl": _table(
        ("allergy", rf"ik ben (?:niet )?allergisch voor {_O}"),
        ("home", r"ik (?:woon|leef) (?:nu |niet meer )?in .+|ik ben naar .+ verhuisd|ik ben verhuisd naar .+"),
        ("diet", rf"ik (?:eet|drink) (?:geen|nooit) {_O}"),
        ("opinion", rf"ik (?:hou|houd) (?:niet |erg )?van {_O}|ik (?:haat|verkies) (?P<what>.+)"),
        ("regime", r"ik ben (?:geen )?(?:veganist|vegetariër|vegetarisch)"),
        ("name", rf"(?:ik heet|mijn naam is) {_O}"),
        ("job", r"ik werk (?:als|bij|voor|in) .+"),
        ("decision", r"(?:we|wij|ik) (?:hebben|heb) .*(?:besloten|gekozen).*"),
        ("own", r"mijn (?P<object>[\w -]{1,40}?) (?:is|zijn) .+"),
    ),
}  # fmt: skip
"""Per language: the meaning of each pattern, over a whole clause."""

RELATIONS = {
    "zh": _relation("我的?", "弟弟|哥哥|姐姐|妹妹|妈妈|爸爸|母亲|父亲|妻子|丈夫|老婆|老公|女朋友|男朋友"
                    "|朋友|儿子|女儿|同事|老板|奶奶|爷爷", ""),
    "de": _relation("meine?", "bruder|schwester|mutter|vater|frau|mann|sohn|tochter|freund(?:in)?"
                    "|chef(?:in)?|oma|opa|kolleg(?:e|in)|hund|katze|eltern"),
    "fr": _relation("mon|ma|mes", "frère|sœur|soeur|mère|père|femme|mari|fils|fille|amie?|copine?"
                    "|collègue|patronn?e?|chien|chat|parents"),
    "es": _relation("mis?", "hermano|hermana|madre|padre|mamá|papá|esposa|esposo|marido|mujer|hijo|hija"
                    "|amig[oa]|novi[oa]|jefe|jefa|perro|gato|padres"),
    "it": _relation("(?:il |la )?mi[oa]", "fratello|sorella|madre|padre|moglie|marito|figli[oa]|amic[oa]"
                    "|capo|collega|cane|gatto"),
    "pt": _relation("(?:o |a )?(?:meu|minha)", "irmão|irmã|mãe|pai|esposa|marido|filh[oa]|amig[oa]"
                    "|namorad[oa]|chefe|colega|cachorro|gato"),
    "nl": _relation("mijn", "broer|zus|moeder|vader|vrouw|man|zoon|dochter|vriend(?:in)?|baas|collega"
                    "|hond|kat|ouders"),
}  # fmt: skip
"""Per language: "my brother …", who is a third party."""

_NAMES = (
    "allergy", "home", "diet", "regime", "opinion", "job", "name", "fear", "decision", "commitment",
    "own", "self",
)  # fmt: skip


def _titles(*words: str) -> dict[str, str]:
    return dict(zip(_NAMES, words, strict=True))


TITLES = {
    "zh": _titles("过敏", "住处", "饮食", "饮食", "喜好", "工作", "名字", "恐惧", "决定", "待办", "个人", "个人"),
    "de": _titles("Allergie", "Wohnort", "Ernährung", "Ernährung", "Vorliebe", "Arbeit", "Name", "Angst",
                  "Entscheidung", "Zu tun", "Eigenes", "Person"),
    "fr": _titles("Allergie", "Domicile", "Régime", "Régime", "Goûts", "Travail", "Nom", "Peur",
                  "Décision", "À faire", "Personnel", "Personne"),
    "es": _titles("Alergia", "Domicilio", "Dieta", "Dieta", "Gustos", "Trabajo", "Nombre", "Miedo",
                  "Decisión", "Pendiente", "Personal", "Persona"),
    "it": _titles("Allergia", "Casa", "Dieta", "Dieta", "Gusti", "Lavoro", "Nome", "Paura", "Decisione",
                  "Da fare", "Personale", "Persona"),
    "pt": _titles("Alergia", "Casa", "Dieta", "Dieta", "Gostos", "Trabalho", "Nome", "Medo", "Decisão",
                  "A fazer", "Pessoal", "Pessoa"),
    "nl": _titles("Allergie", "Woonplaats", "Dieet", "Dieet", "Voorkeur", "Werk", "Naam", "Angst",
                  "Beslissing", "Te doen", "Eigen", "Persoon"),
}  # fmt: skip
"""Per language: the title of each meaning, so that a memory stays in one language."""
