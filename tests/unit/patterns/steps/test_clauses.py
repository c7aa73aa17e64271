"""A fact survives innocent talk around it, and talk around a near miss makes no fact: vetoes reach their own statement.

The second opinion is left out: it is learnt anew from time to time, and what the grammar reaches is meant here.
"""

from __future__ import annotations

import pytest

from patterns.rules.ruleset import RuleSet
from tests.unit.patterns.conftest import SAID_AT

FACTS = {
    "en": ["my size is M", "I'm allergic to nickel", "never show me heels", "my budget is 500", "I weigh 60 kg"],
    "ru": ["мой размер M", "у меня аллергия на никель", "не предлагай каблуки", "мой бюджет 500", "мой вес 60 кг"],
    "ar": ["مقاسي ميديم", "عندي حساسية من النيكل", "لا تعرضين علي كعب", "ميزانيتي ٥٠٠", "وزني ٦٠ كيلو"],
    "arabizi": [
        "ma2asi medium", "3indi 7asasiya min el nickel", "la t3irthoon 3alay ka3b", "mizaniyti 500", "wazni 60 kilo",
    ],
}  # fmt: skip
TALK = {
    "en": [
        "rent went up again", "my sister says hi", "the kids are home", "the delivery was cancelled",
        "yesterday was awful", "I had a coffee", "my boss is calling", "prices are crazy now",
    ],
    "ru": [
        "аренда опять выросла", "сестра передаёт привет", "соседи шумят", "доставку отменили",
        "вчера был ужасный день", "муж говорит привет", "голова болит", "цены сейчас сумасшедшие",
    ],
    "ar": [
        "الايجار زاد مرة ثانية", "اختي تسلم عليك", "الجيران مزعجين", "التوصيل تكنسل",
        "راسي يعورني", "رجلي يقول هلا", "النت زفت", "الاسعار نار هالايام",
    ],
    "arabizi": [
        "el eejar zad marra thanya", "okhti tsallem 3alaich", "el jeeran mz3ijeen", "el tawseel tcancel",
        "rasi y3awwerni", "rayli ygool hala", "el net zeft", "el as3ar nar hal ayyam",
    ],
}  # fmt: skip
JOINS = {
    "en": (". ", ", ", " so ", " and ", " because "),
    "ru": (". ", ", ", " так что ", " и ", ", потому что "),
    "ar": (". ", "، ", " عشان كذا ", " و", " لان "),
    "arabizi": (". ", ", ", " 3ashan chithi ", " w ", " la2anna "),
}
NEAR_MISSES = {
    "en": ["my sister's budget is 500", "maybe I'm a medium", "no heels tonight", "budget for the sofa is 900"],
    "ru": ["бюджет сестры 500", "наверное, я M", "сегодня без каблуков", "бюджет на ремонт 900"],
    "ar": ["ميزانية اختي ٥٠٠", "يمكن مقاسي ميديم", "اليوم ما ابي كعب", "ميزانية الاثاث ٩٠٠"],
    "arabizi": ["mizaniyat okhti 500", "yimkin ma2asi medium", "el yom ma abi ka3b", "mizaniyat el athath 900"],
}


@pytest.fixture(scope="module")
def grammar(rule_set: RuleSet) -> RuleSet:
    settings = {**rule_set.settings, "doubts": None}
    return RuleSet(
        rules=rule_set.rules, settings=settings, version=1, lexicon=rule_set.lexicon, phrases=rule_set.phrases
    )


def read_facts(grammar: RuleSet, text: str) -> set[tuple[str, str | int]]:
    return {(reading.knowledge_key, reading.value) for reading in grammar.read(text, said_at=SAID_AT).readings}


def surround(language: str, text: str) -> list[str]:
    """Talk behind and before a text, each bit with two of the ways in which people join them."""
    before, behind = JOINS[language][:4], (*JOINS[language][:2], JOINS[language][4])
    talk = TALK[language]
    told = [bit + before[place % 4] + text for place, bit in enumerate(talk)]
    return told + [text + behind[place % 3] + bit for place, bit in enumerate(talk)]


@pytest.mark.parametrize("language", FACTS)
def test_a_fact_survives_talk_around_it(grammar: RuleSet, language: str) -> None:
    for text in FACTS[language]:
        alone = read_facts(grammar, text)
        assert len(alone) == 1, text
        assert [told for told in surround(language, text) if read_facts(grammar, told) != alone] == []


@pytest.mark.parametrize("language", NEAR_MISSES)
def test_talk_around_a_near_miss_makes_no_fact(grammar: RuleSet, language: str) -> None:
    for text in NEAR_MISSES[language]:
        assert [told for told in surround(language, text) if read_facts(grammar, told)] == []


@pytest.mark.parametrize(
    "text",
    [
        "I was thin and my size S",
        "كنت نحيفة ووزني 50",
        "kent 7amel w ma2asi L",
        "раньше весила 50 и мой размер S",
        "my friend told me about her skin and she's allergic to nickel",
        "everyone thinks my size is S because I'm short",
        "my wedding in June but Ahmed called it off",
        "my budget is 2000 with the hotel",
        "for my mum, allergic to wool, so no wool for her",
    ],
)
def test_what_governs_a_statement_still_takes_it_back(grammar: RuleSet, text: str) -> None:
    assert read_facts(grammar, text) == set()


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("budget is 700 with delivery", ("general", 700)),
        ("after rent my budget is 300", ("general", 300)),
        ("my friend told me about you, my size is M", ("size", "M")),
        ("party was cancelled but the wedding is on Saturday", ("wedding", "wedding")),
        ("ma albas polka dots, a7s ani 6efla", ("polka_dots", "polka_dots")),
        ("zoji yath7ak 3alay, ma agdar adfa3 akthar mn 500", ("general", 500)),
    ],
)
def test_a_word_of_another_clause_refuses_nothing(grammar: RuleSet, text: str, fact: tuple[str, str | int]) -> None:
    assert read_facts(grammar, text) == {fact}
