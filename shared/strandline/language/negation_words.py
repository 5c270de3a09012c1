"""How languages say no. Each list is the inside of a regular expression.

Sources: the reference grammars' lists of negators and of negative indefinites for each language;
the harmless phrases are those whose negator negates nothing of what is said.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NegationWords:
    """`negators` negate; in `harmless` phrases they don't, in `undecided` ones they may.

    `avoiding` and `disliking` words negate by their meaning, `liking` ones are their opposite;
    `excusing` words let either polarity stand beside them ("vegetarian", "allergic", "left").
    """

    negators: str
    harmless: str = ""
    undecided: str = ""
    avoiding: str = ""
    disliking: str = ""
    liking: str = ""
    excusing: str = ""


SPACED: dict[str, NegationWords] = {
    "en": NegationWords(
        negators=r"not|no|never|none|nothing|nobody|nowhere|neither|cannot|without|hardly|barely|"
        r"scarcely|doubt(?:s|ed)?|\w+n't|"
        r"(?:do|does|did|is|are|was|were|ca|could|would|should|wo|has|have|had)nt",
        harmless=r"(?:not|n't) (?:only|just|merely|to mention|least)|no (?:problem|doubt|worries|"
        r"matter what|wonder|later than|less than|fewer than|more than|sooner)|"
        r"(?:can't|cannot|can not|couldn't) "
        r"(?:wait|help|get enough|agree more|be happier|go wrong)|"
        r"(?:don't|do not|doesn't|does not|didn't|wouldn't|won't|would not|not) mind|"
        r"(?:don't|do not|never|can't|mustn't|must not|let's not|n't let me) forget|never mind|"
        r"why (?:not|don't (?:we|you|i))|"
        r"(?:don't|do not) hesitate|nothing but|not bad|(?:isn't|aren't|don't|doesn't|didn't|"
        r"won't|can't|haven't|hasn't) (?:it|you|they|we|he|she|i)\?|as often as not|"
        r"^\s*(?:no|nope|nah)\s*[,.;:!—–-]|^\s*no(?= i\b)|no\. ?\d+|(?:whether|if) or not|or not$",
        undecided=r"not (?:sure|certain|always|all|every\w*|necessarily|really sure|quite sure)|"
        r"(?:don't|do not) know (?:if|whether|i|that)|\w+n't .*until|not .*until|unless",
        avoiding=r"avoid\w*|refus\w+|stop(?:s|ped|ping)?|quit(?:s|ting)?|gave up|give[sn]? up|"
        r"giving up|abstain\w*|reject\w*|cancel\w*|no longer|"
        r"(?<=i )used to|(?<=we )used to|(?<=he )used to|(?<=they )used to|^\W*used to|lacks?",
        disliking=r"hat(?:e|es|ed|ing)|dislik\w+|detest\w*|loath\w+|despis\w+|"
        r"(?:can't|cannot|can not|couldn't) (?:stand|bear|abide|stomach)",
        liking=r"lov(?:e|es|ed|ing)|lik(?:e|es|ed|ing)|enjoy\w*|ador\w+|fond of|fan of|keen on|"
        r"prefers?|preferr\w+|favou?rites?",
        excusing=r"vegan|vegetarian|pescatarian|teetotal\w*|sober|allerg\w+|intoleran\w+|former\w*|"
        r"ex-\w+|previous\w*|left|leav\w+|past|once|before|free|unable|un\w+ed|against|forbid\w*|"
        r"exclud\w+|only|instead|rather|miss\w*|fail\w*|was|were|lived|worked|had|over|ended|"
        r"without|minus|absent|gone|finished",
    ),
    "de": NegationWords(
        negators=r"nicht|nie|niemals|kein\w*|nichts|niemand\w*|nirgends|ohne|weder|nö",
        harmless=r"nicht (?:nur|zuletzt|schlecht|wahr|vergessen)|kein(?:e)? (?:problem|sorge|frage|"
        r"zweifel)|nichts gegen|warum nicht|^\s*(?:nein|nee|nö)\s*[,.;:!—–-]|kann es kaum erwarten",
        undecided=r"nicht (?:sicher|immer|alle\w*|unbedingt)|weiß nicht,? ob|erst",
        avoiding=r"vermeide\w*|meide\w*|aufgehört|aufgegeben|verzichte\w*|verweiger\w*|"
        r"nicht mehr|lehn\w+ .*ab",
        disliking=r"hass(?:e|t|en|te)|verabscheu\w*|kann .*nicht (?:leiden|ausstehen)|"
        r"abneigung",
        liking=r"mag|magst|mögen|mochte|lieb(?:e|t|en|te)|gern|gerne|lieber|bevorzug\w*|liebling\w*",
        excusing=r"vegan\w*|vegetari\w*|allerg\w+|ehemalig\w*|früher\w*|vegetarisch|nur|frei|"
        r"unverträglich\w*|intoleran\w*|war|hatte|wohnte",
    ),
    "fr": NegationWords(
        negators=r"ne|n'|pas|jamais|rien|aucune?|sans|nullement|guère",
        harmless=r"(?:non|pas) seulement|pas mal|pas de (?:problème|souci)|n'hésit\w+|"
        r"ne \w+ qu(?:e|')|n' ?\w+ qu(?:e|')|^\s*non\s*[,.;:!—–-]|pourquoi pas|n'oubli\w+ pas",
        undecided=r"pas (?:sûre?|certaine?|toujours)|ne sais pas si|peut-être",
        avoiding=r"évit\w+|refus\w+|arrêt\w+|renonc\w+|ne .* plus|n' ?\w+ plus",
        disliking=r"détest\w+|hais|hait|haïr|horreur",
        liking=r"aim\w+|ador\w+|préfér\w+|préfèr\w+|favorie?s?",
        excusing=r"végétari\w+|végan\w*|allergi\w+|ancien\w*|seulement|intoléran\w+|était|avait",
    ),
    "es": NegationWords(
        negators=r"no|nunca|jamás|nada|nadie|ningun[oa]?s?|ningún|tampoco|sin",
        harmless=r"no (?:sólo|solo|solamente|obstante|hay problema)|sin (?:duda|embargo|problema)|"
        r"no (?:puedo esperar|olvid\w+|dud\w+ en|me importa)|^\s*no\s*[,.;:!—–-]|por qué no",
        undecided=r"no (?:estoy segur[oa]|siempre|sé si)|quizás?|tal vez|hasta que",
        avoiding=r"evit\w+|rechaz\w+|dej(?:é|ó|ar|ado) de|ya no|renunci\w+",
        disliking=r"odi(?:o|a|as|ar|aba)|detest\w+|aborre\w+|disgust\w+",
        liking=r"gust\w+|encant\w+|am(?:o|a)|ador\w+|prefier\w+|favorit[oa]s?",
        excusing=r"vegan[oa]|vegetarian[oa]|alérgic[oa]s?|alergia|intoleran\w+|antigu[oa]|solo|sólo",
    ),
    "it": NegationWords(
        negators=r"non|mai|niente|nulla|nessun[oa]?|senza|neanche|nemmeno|neppure",
        harmless=r"non (?:solo|soltanto)|senza (?:dubbio|problemi)|non vedo l'ora|"
        r"^\s*no\s*[,.;:!—–-]|perché no|non dimentic\w+|non mi dispiac\w+|nessun problema",
        undecided=r"non (?:sono sicur[oa]|sempre|so se)|forse|finché",
        avoiding=r"evit\w+|rifiut\w+|smess\w+|non .* più|rinunci\w+",
        disliking=r"odi(?:o|a|are|ava)|detest\w+|non soppor\w+",
        liking=r"piac\w+|am(?:o|a)|ador\w+|prefer\w+|preferit[oa]",
        excusing=r"vegan[oa]|vegetarian[oa]|allergic[oa]|allergia|intolleran\w+|ex|solo",
    ),
    "pt": NegationWords(
        negators=r"não|nunca|jamais|nada|ninguém|nenhuma?|nem|sem|tampouco",
        harmless=r"não (?:só|somente|apenas)|sem (?:dúvida|problemas?)|não (?:vejo a hora|esque\w+|"
        r"me importo)|^\s*não\s*[,.;:!—–-]|por que não",
        undecided=r"não (?:tenho certeza|sempre|sei se)|talvez|até que",
        avoiding=r"evit\w+|recus\w+|par(?:ei|ou) de|deix(?:ei|ou) de|já não|não .* mais",
        disliking=r"odei[oa]s?|odiar|detest\w+",
        liking=r"gost\w+|am(?:o|a)|ador\w+|prefir\w+|prefer\w+|favorit[oa]",
        excusing=r"vegan[oa]|vegetarian[oa]|alérgic[oa]|alergia|intoleran\w+|antig[oa]|só",
    ),
    "nl": NegationWords(
        negators=r"niet|geen|nooit|niets|niks|niemand|nergens|zonder|noch",
        harmless=r"niet (?:alleen|slecht|vergeten)|geen (?:probleem|zorgen)|"
        r"^\s*nee\s*[,.;:!—–-]|waarom niet|kan niet wachten",
        undecided=r"niet (?:zeker|altijd)|weet niet of|misschien|pas",
        avoiding=r"vermijd\w*|weiger\w*|gestopt|stop\w*|niet meer|geen .* meer",
        disliking=r"haat|haten|verafschuw\w*|hekel",
        liking=r"hou(?:d|dt|den)? van|graag|liefst|lekker|favoriet\w*",
        excusing=r"veganist\w*|vegetari\w*|allergisch|allergie|voormalig\w*|alleen|vroeger",
    ),
    "sv": NegationWords(
        negators=r"inte|ej|icke|aldrig|ingen|inget|inga|ingenting|utan|knappt",
        harmless=r"inte (?:bara|endast|minst|illa|glöm\w*)|inga problem|^\s*nej\s*[,.;:!—–-]|"
        r"varför inte|kan inte vänta",
        undecided=r"inte (?:säker|alltid)|vet inte om|kanske|förrän",
        avoiding=r"undvik\w*|vägra\w*|slut\w* (?:att|med)|inte längre|avstå\w*",
        disliking=r"hat(?:ar|ade)|avsky\w*|ogilla\w*",
        liking=r"gilla\w*|älska\w*|tycker om|föredra\w*|favorit\w*",
        excusing=r"vegan\w*|vegetarian\w*|allergi\w*|före detta|bara|tidigare",
    ),
    "ru": NegationWords(
        negators=r"не|нет|никогда|ничего|никто|без|ни",
        harmless=r"не только|без проблем|^\s*нет\s*[,.;:!—–-]|почему (?:бы )?не",
        undecided=r"не (?:уверен\w*|всегда)|не знаю",
        avoiding=r"избега\w+|отказ\w+|перестал\w*|больше не",
        disliking=r"ненави\w+",
        liking=r"любл\w+|любит|нрав\w+|обожа\w+",
        excusing=r"веган\w*|вегетариан\w*|аллерг\w+|бывш\w+|только",
    ),
}

UNSPACED: dict[str, NegationWords] = {
    "zh": NegationWords(
        negators="不|没|沒|未|无|無|别|別|非",
        harmless="不错|不錯|不仅|不僅|不但|不只|不光|没问题|沒問題|不客气|差不多|不过|不過|不管|不论|"
        "不同|不得不|不介意|不好意思|对不起|非常|无论|無論|特别|特別|别人|別人|分别|区别|级别|告别|"
        "性别|别的|未来|未來|等不及|忍不住|不禁|不断|不久|不少|不要忘|别忘|不忘|是不是|有没有|好不好",
        undecided="不确定|不確定|不一定|不总是|不知道是否|除非",
        avoiding="避免|避开|拒绝|拒絕|戒了|戒掉|停止|放弃|放棄|不再",
        disliking="讨厌|討厭|厌恶|恨|受不了",
        liking="喜欢|喜歡|爱|愛|偏好|最爱",
        excusing="素食|过敏|過敏|以前|曾经|曾經|只|忌口",
    ),
    "ja": NegationWords(
        negators="ない|なかった|なく|ません|ませんでした|ぬ|ずに|無し|なし",
        harmless="なければなら(?:ない|ません)|なければいけ(?:ない|ません)|ないといけ(?:ない|ません)|ないとだめ|しかない|に違いない|問題ない|仕方ない|"
        "だけでなく|だけじゃなく|かもしれない|かもしれません|少なくとも|なくては|忘れないで|なくなった",
        undecided="わからない|分からない|とは限らない",
        avoiding="避け|やめ|断っ|拒否|控え",
        disliking="嫌い|きらい|苦手",
        liking="好き|大好き|気に入",
        excusing="ベジタリアン|ヴィーガン|ビーガン|アレルギー|以前|元|だけ",
    ),
}
