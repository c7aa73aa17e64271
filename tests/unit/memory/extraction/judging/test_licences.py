"""What a statement must look like for a value to be part of it: by kind, a false proposal and a true one beside it."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge_one
from tests.unit.memory.extraction.conftest import know, propose, say

MakeContext = Callable[..., GateContext]

PAIRS = [
    # kind, type, key, value, what is false, what is true
    ("list", "allergy", "linen", "linen", "чешусь от всего, лён исключение", "чешусь от шерсти, льна тоже"),
    ("and", "allergy", "cotton", "cotton", "el polyester y7akkni w el qotn la", "3indi 7asasiya min el polyester w el qotn"),
    ("after", "hard_ban", "gold", "gold", "I never wear silver, it's gold for me", "I never wear silver or gold"),
    ("but", "hard_ban", "suede", "suede", "I don't wear leather, suede though, daily", "I don't wear leather, suede too"),
    ("writer", "allergy", "elastane", "elastane", "A reviewer got a rash from the elastane", "I got a rash from the elastane"),
    ("thing", "allergy", "synthetic", "synthetic", "у меня аллергия на synthetic smiles", "у меня аллергия на synthetic"),
    ("time", "hard_ban", "high_heels", "high_heels", "لا تقترح كعب لدوام باكر", "لا تقترح كعب"),
    ("client", "life_event", "wedding", "wedding", "الخميس عندي عرس لزبونة", "الخميس عندي عرس"),
    ("over", "life_event", "presentation", "presentation", "Nailed my presentation today", "My presentation is today"),
    ("back", "life_event", "trip", "trip", "Back from my trip on Monday", "My trip is on Monday"),
    ("mended", "budget", "general", "1000", "Бюджет тысяча, хотя нет, пусть будет 700", "Бюджет тысяча, не больше"),
    ("number", "body_params", "height", "156", "tooli 156, asta3'fer allah 165", "tooli 156, zoji 165"),
    ("letter", "body_params", "size", "M", "ma2asi M, sorry ghalta L", "ma2asi M"),
    ("former", "body_params", "weight", "72", "72 кг — это мой старый вес", "72 кг — это мой вес"),
    ("compared", "budget", "general", "500", "500 akthar min mizaniti", "500 mizaniti"),
    ("before", "budget", "general", "1200", "I saw it for 1200, my limit is lower", "1200, that's my limit"),
    ("year", "body_params", "weight", "75", "75 kg in 2018", "75 kg since 2018"),
    ("irony", "allergy", "gold", "gold", "ага, gold allergy у меня 🙃", "gold allergy у меня"),
    ("unknown", "budget", "general", "1000", "My budget is half of 1000", "My budget is 1000"),
    ("pet", "life_event", "birthday", "birthday", "Our tortoise has a birthday on Sunday", "I have a birthday on Sunday"),
]  # fmt: skip
ENDINGS = [
    ("limit", "allergy", "wool", "wool", "I'm not only allergic to wool", "I'm not allergic to wool any more"),
    ("lent", "allergy", "wool", "wool", "my neighbour hopes I'm not allergic to wool", "turns out I'm not allergic to wool"),
    ("scope", "body_params", "size", "M", "I'm not M any more in this brand", "I'm not M any more since the baby"),
    ("degree", "brand_preference", "zara", "zara", "I don't love Zara any less", "I don't love Zara any more"),
    ("praise", "brand_preference", "zara", "zara", "I don't love Zara, I adore it", "I don't love Zara, sorry"),
    ("gone", "allergy", "silver", "silver", "на серебро аллергии мама говорит нет", "На серебро аллергии больше нет, уберите её"),
    ("delete", "allergy", "cotton", "cotton", "عندي حساسية القطن", "شيلوا حساسية القطن من ملفي، سويت فحص"),
    ("liked", "hard_ban", "prints", "prints", "ما صرت ألبس المنقوش", "صرت ألبس المنقوش وأحبه"),
    ("bas", "allergy", "wool", "wool", "ما عندي حساسية من الصوف بس، حتى القطن", "ما عندي حساسية من الصوف"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "type_", "key", "value", "false", "true"), PAIRS, ids=[row[0] for row in PAIRS])
def test_a_value_counts_where_the_statement_is_about_it_and_not_where_it_stands_beside(
    kind: str, type_: str, key: str, value: str, false: str, true: str, make_context: MakeContext
) -> None:
    operation = propose(type_, key, value)
    assert not judge_one(operation, make_context([false])).is_accepted, kind
    assert judge_one(operation, make_context([true])).is_accepted, kind


@pytest.mark.parametrize(("kind", "type_", "key", "value", "false", "true"), ENDINGS, ids=[row[0] for row in ENDINGS])
def test_a_fact_ends_by_a_wording_that_stands_alone(
    kind: str, type_: str, key: str, value: str, false: str, true: str, make_context: MakeContext
) -> None:
    operation = propose(type_, None, None, operation="REMOVE", knowledge_id="f1")
    fact = know(type_, key, value)
    assert judge_one(operation, make_context([false], [fact])).result == "rejected_no_denial", kind
    assert judge_one(operation, make_context([true], [fact])).is_accepted, kind


def test_a_statement_with_a_word_that_nobody_knows_waits_for_a_second(make_context: MakeContext) -> None:
    operation = propose("body_params", "height", "170", evidence_message_ids=("m1", "m2"))
    first = say("my glorpish height is 170 cm")
    assert judge_one(propose("body_params", "height", "170"), make_context([first])).result == "staged"
    decision = judge_one(operation, make_context([first, say("I'm 170 cm tall", days=3, seq=2)]))
    assert decision.is_accepted


def test_a_confirmation_of_what_is_known_needs_the_value_bound_and_no_reading(make_context: MakeContext) -> None:
    fact: Any = know("body_params", "size", "46")
    operation = propose("body_params", "size", "46", operation="CONFIRM", knowledge_id="f1")
    assert judge_one(operation, make_context(["Да, мой размер по-прежнему 46"], [fact])).is_accepted
    assert not judge_one(operation, make_context(["46 рублей за размер"], [fact])).is_accepted
