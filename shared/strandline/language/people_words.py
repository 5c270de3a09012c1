"""The people (and animals) a user speaks of as theirs."""

from strandline.language.word_list import word_set

RELATIONS = word_set(
    "brother sister mother mom mum father dad wife husband partner spouse fiancé fiancée son",
    "daughter child kid baby friend boss manager colleague coworker co-worker neighbour neighbor",
    "girlfriend boyfriend uncle aunt cousin nephew niece grandma grandpa grandmother grandfather",
    "roommate flatmate teammate landlord doctor dentist teacher dog cat ex brother-in-law",
    "sister-in-law mother-in-law father-in-law stepmother stepfather",
    "bruder schwester mutter mama vater papa frau mann partnerin sohn tochter kind freund freundin",
    "chef chefin kollege kollegin nachbar nachbarin onkel tante oma opa hund katze",
    "frère soeur sœur mère père femme mari fils fille ami amie copain copine patron collègue chien",
    "chat oncle tante grand-mère grand-père",
    "hermano hermana madre padre esposa esposo marido mujer hijo hija amigo amiga jefe jefa vecino",
    "vecina perro gato tío tía abuela abuelo novia novio",
    "fratello sorella moglie marito figlio figlia amico amica capo cane gatto",
    "irmão irmã mãe pai filho filha chefe cachorro",
    "broer zus moeder vader vrouw zoon dochter vriend vriendin baas hond kat",
    "bror syster mamma pappa fru man vän chef hund katt",
)

POSSESSIVES = word_set(
    "my our mein meine unser unsere mon ma mi mis nuestro nuestra mio mia il la meu minha mijn",
    "onze min mitt vår",
)

HAN_RELATION = (
    r"我(?:的)?(哥哥|弟弟|姐姐|妹妹|妈妈|爸爸|母亲|父亲|"
    r"妻子|丈夫|老婆|老公|儿子|女儿|朋友|老板|同事)"
)

FIRST_PERSON = word_set(
    "i i'm i've i'd i'll me we us we're ich mich mir wir uns je j'ai moi nous yo me nosotros io",
    "noi eu nós ik mij wij jag mig vi",
)
