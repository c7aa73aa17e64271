"""Lists on who speaks and of whom, on talk, and on where one statement ends and another begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from patterns.grammar.kinds import Affixes, Words


@dataclass(frozen=True, kw_only=True)
class PeopleLists:
    """Lists on who speaks and of whom, on talk, and on where one statement ends and another begins."""

    # who says it
    told_one: Annotated[Words, "“a lady told me”: whom somebody told, so the writer is not the one who says it"]
    told_to: Annotated[Words, "“he said you need: 170”: behind a verb of saying; a colon leads to what is asked for"]
    said_to_me: Annotated[Words, "“size 30, they said to me”: behind the verb, it is somebody else who says it"]
    they_said: Annotated[Words, "“size 30, говорят”: verbs of saying that only others are the subject of"]
    i_read: Annotated[Words, "“I read that latex causes rashes”: verbs of those who take a report and make none"]
    i_heard: Annotated[Words, "“heard the mall is packed”: verbs that open a piece of news"]
    hello: Annotated[Words, "“she says hi”: greetings that are all that is said"]
    nobody: Annotated[Words, "“nobody asked, but”: words by which nobody says it"]
    # the writer
    i_words: Annotated[Words, "“and I never wear red”: the writer as the one who does it, who begins a statement"]
    and_i: Annotated[Words, "“size M وأنا أحب الأحمر”: “and I” written in one word, which begins a statement"]
    i_am: Annotated[Words, "“found out last year I'm allergic”: behind the past, how it is today"]
    me_word: Annotated[Words, "“the lady before me”: the writer as one who stands behind or beside another"]
    beside_whom: Annotated[Words, "“the lady before me”: words of a place; the “me” behind them is of the lady"]
    mine: Annotated[Words, "“a client of mine”: “mine” behind a person is of that person"]
    of_word: Annotated[Words, "“a client of mine”, “in front of my boss”: the “of” behind a person or behind “front”"]
    my_forms: Annotated[Words, "“сестра моя”, “у моего счёта”: “my” that is of the person or thing beside it"]
    my_things: Annotated[Words, "“my Christmas budget”, “my mini skirts”: “my” before what the writer owns"]
    my_verb_endings: Annotated[Affixes, "“покрываюсь”: endings of verbs by which the writer does it, named or not"]
    at_me_endings: Annotated[Affixes, "“يطلعلي طفح”: endings of verbs by which it happens to the writer"]
    # others
    person_leads: Annotated[Words, "“for my girls”: behind these a person is spoken of, and not spoken to"]
    behind_address: Annotated[Words, "“девочки у меня размер M”: what the writer goes on with, without a comma"]
    at_whom: Annotated[Words, "“у Маши аллергия”: words before the one who has it"]
    not_another: Annotated[Words, "“у меня”, “у всех”: behind “у”, those who are the writer or nobody in particular"]
    name_openers: Annotated[Words, "“my gym bag is 40 kg”: words that begin the name of a thing that has the measure"]
    thing_verbs: Annotated[Words, "“my gym bag is 40 kg”: verbs behind a thing or a stranger, of whom the rest is then"]
    name_verbs: Annotated[Words, "“Sara can spend 500”: verbs of which a name that nobody knows can be the subject"]
    need_verbs: Annotated[Words, "“Yasmin needs L, budget 300”: verbs by which what follows is of the one named"]
    verb_endings: Annotated[Affixes, "“весила 60 кг”: endings of words that are no name of a thing"]
    owner_endings: Annotated[Affixes, "“Sarah's budget”: endings of the name of one who owns it"]
    for_words: Annotated[Words, "“for Hala: size S”, “M is for my sister”: words before the one for whom it is"]
    for_letters: Annotated[Affixes, "“لهند: مقاس S”: letters on a name in a heading that say for whom it is"]
    thing_articles: Annotated[Words, "“the pink one, size M”: words by which a clause begins with a thing"]
    manner_endings: Annotated[Affixes, "“silk sadly gives me hives”: endings of words that only say how"]
    # where a statement begins
    and_words: Annotated[Words, "“size M and my height is 160”: of words that are “conj”, those that join statements"]
    and_letters: Annotated[Affixes, "“وأنا”: letters of an “and” that is written together with the next word"]
    and_the: Annotated[Affixes, "“والزحمة كانت فظيعة”: “and the” on a word that begins another statement"]
    just_before: Annotated[Words, "“ill yesterday and my size is M”: a past too near for the size to have changed"]
    deeds: Annotated[Words, "“انتقلت للعمل في دبي وميزانيتي ألفين”: what is done once and dates nothing behind it"]
    says_now: Annotated[Words, "“I was thin and my size is L”: verbs by which the statement is of today"]
    but_words: Annotated[Words, "“шикануть бы, но бюджет 600”: behind these nothing is only supposed any more"]
    would_particles: Annotated[Words, "“шикануть бы”: particles that suppose, but only in their own segment"]
    # words that are passed on
    text_words: Annotated[
        Words, "“the card says: wool”, “lyrics: size M”: names of texts, whose words are behind a colon"
    ]
    text_beginnings: Annotated[Affixes, "“в письме: мой размер M”: beginnings of names of texts"]
    text_nouns: Annotated[Words, "“a line like I never wear fur”: pieces of text; right behind them nobody speaks"]
    just_so: Annotated[Words, "“most people begin so: my size is M”: before a colon, words that lead to words"]
    languages: Annotated[Words, "“my size is M, what is that in Korean”: languages that words are to be put into"]
    noting: Annotated[Words, "“write it on my card: size M”: words by which what is behind the colon is one's own"]
    removing: Annotated[Words, "“delete my wool allergy”: what stands behind is to be forgotten"]
    noting_beginnings: Annotated[Affixes, "“запиши в карточку: размер M”: beginnings of such words"]
    # questions and denials
    asking_verbs: Annotated[Words, "“is a nickel allergy for life”: verbs that ask at the beginning of a clause"]
    cleft_openers: Annotated[Words, "“what I cannot wear is wool”: words that ask nothing when “I” follows and an “is”"]
    cleft_verbs: Annotated[Words, "“what I cannot wear is wool”: the verb behind which it is said"]
    any_words: Annotated[Words, "“أي شنطة جلد يطلع لي منها طفح”: words that ask “which” or mean “any”"]
    claim_words: Annotated[Words, "“it's not true, that I'm an L”: words that lead to a claim over a comma"]
    not_word: Annotated[Words, "“ни шерсть, ни мохер не могу”, “мех не предлагаем”: the “not” that denies"]
    nor_word: Annotated[Words, "“ни шерсть, ни мохер не могу”: words that repeat a “not” and do not undo it"]
    no_or_to: Annotated[Words, "“mizaniyti la 900”: a “no” that means “to” right before a number or a size"]
    no_words: Annotated[Words, "“budget 1000, no, 1200”: a bare no between commas, which mends a figure"]
    minded: Annotated[Words, "“never mind the typos”: with an article behind, nothing is taken back"]
    # events that are off
    over_word: Annotated[Words, "“the party is over”: words that end an event, but not in “people over”"]
    before_over: Annotated[Words, "“the party is finally over”: what stands before an “over” that ends it"]
    off_verbs: Annotated[Words, "“the concert was cancelled”: verbs by which it is the thing named that is off"]
    bare_not: Annotated[Words, "“I'm not good with apps”: a “not” that calls nothing off unless “going” follows"]
    saying_no: Annotated[Words, "“I already said no heels”: a “no” that calls nothing off before what is worn"]
    going: Annotated[Words, "“I'm not going”: verbs behind a bare “not” by which the event is off"]
    # lists of values
    which_words: Annotated[Words, "“tops that show cleavage”: behind clothes, words that lead to what they are like"]
    having_verbs: Annotated[Words, "“tops that have sequins”: verbs between “that” and what the clothes are like"]
    nothing_word: Annotated[Words, "“nothing that bares the shoulders”: stands for clothes of any sort"]
    telling_verbs: Annotated[Words, "“latex, polyester is just sweaty”: behind the last of a list, it says more"]
    turn_verbs: Annotated[Words, "“allergic to nickel and wear gold”: behind “and”, verbs that turn to something else"]
    pointers: Annotated[Words, "“Lanolin. That's the culprit”: words that point back to what was named before"]
    # bans of a place, a part or a time
    verdicts: Annotated[Affixes, "“fur is banned in California”: beginnings of verdicts that others may have given"]
    place_words: Annotated[Words, "“banned in California”: words before the place or time of a ban"]
    place_letters: Annotated[Affixes, "“ممنوع الكعب بالمول”: letters on the name of a place"]
    put_away: Annotated[Affixes, "“убери мех в шкаф”: beginnings of an order that can also put a thing somewhere"]
    put_into: Annotated[Words, "“убери мех в шкаф”: words before the place where it is put"]
    part_words: Annotated[Words, "“jeans with rhinestones”: words before a part, so only some of them are meant"]
    combining: Annotated[Words, "“black with blue”: words between two that are not worn together"]
    to_which: Annotated[Words, "“не ношу к чёрному”: words right before what it is not worn with"]
    with_which: Annotated[Words, "“не ношу чёрное с синим”: words that tie a value to the one right before them"]
    out_of: Annotated[Words, "“remove leather from the filter”: words before the thing that it is taken from"]
    around_when: Annotated[Words, "“no white before Easter”: words before the time to which a ban is limited"]
    news_nouns: Annotated[Words, "“the velvet drop”: nouns behind a value that make a piece of news"]
    against: Annotated[Words, "“активисты против меха”: words of a verdict that can be anybody's"]
    needing: Annotated[Affixes, "“сейчас мне не нужно кружево”: beginnings of words of need, which is of today"]
    narrowing: Annotated[Words, "“جينز واسع”: behind a material, words that leave one sort of it"]
    this_letters: Annotated[Affixes, "“هالجلد”: letters on a word by which this one alone is meant"]
