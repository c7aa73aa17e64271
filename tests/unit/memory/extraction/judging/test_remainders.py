"""What is said behind a statement makes it wait for a second saying: by kind and language, beside one that stands."""

from collections.abc import Callable

import pytest

from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge_one
from tests.unit.memory.extraction.conftest import propose, say

MakeContext = Callable[..., GateContext]

BEHIND = [
    # kind, type, key, value, what waits or is refused, what is a fact at once
    ("again", "hard_ban", "velvet", "velvet", "never show me velvet. oh that velvet coat", "never show me velvet. thanks"),
    ("again", "hard_ban", "velvet", "velvet", "никогда не показывай бархат. этот бархат!", "никогда не показывай бархат. спасибо"),
    ("again", "hard_ban", "velvet", "velvet", "لا تعرض علي مخمل أبدا. هذا المخمل!", "لا تعرض علي مخمل أبدا. شكرا"),
    ("again", "hard_ban", "leather", "leather", "la t3ridheen 3alay jild abadan. hal jild!", "la t3ridheen 3alay jild abadan. shukran"),
    ("again", "hard_ban", "lace", "lace", "никогда не показывай lace. this lace!", "никогда не показывай lace. please"),
    ("stated", "hard_ban", "fur", "fur", "I never wear fur. oh fur!", "I never wear fur, so never show me fur"),
    ("other", "body_params", "size", "L", "my size is L. hm, the ticket: M", "my size is L. my sister is M"),
    ("other", "body_params", "size", "L", "мой размер L. хм, на бирке M", "мой размер L. у сестры M"),
    ("other", "body_params", "size", "L", "مقاسي L. اها مكتوب M", "مقاسي L. أختي M"),
    ("other", "body_params", "size", "L", "ma2asi L. aha maktoob M", "ma2asi L. okhti M"),
    ("other", "body_params", "size", "L", "мой size L. ой, it says M", "мой size L. у сестры M"),
    ("but", "hard_ban", "high_heels", "high_heels", "I never wear heels but every night out", "I never wear heels but I like flats"),
    ("but", "allergy", "gold", "gold", "у меня аллергия на золото, но только дома", "у меня аллергия на золото, но не на серебро"),
    ("but", "allergy", "gold", "gold", "عندي حساسية من الذهب بس في البيت", "عندي حساسية من الذهب بس الفضة عادي"),
    ("but", "allergy", "gold", "gold", "3indi 7asasiya min el thahab bas fel bait", "3indi 7asasiya min el thahab bas el fu'6'6a 3adi"),
    ("strange", "hard_ban", "lace", "lace", "no lace ever again. blorks and glorps for life", "no lace ever again. thank you so much"),
    ("strange", "hard_ban", "fur", "fur", "никогда не предлагай мех. Племяннице глорпики холодные", "никогда не предлагай мех. Спасибо большое"),
    ("strange", "hard_ban", "fur", "fur", "لا تعرض علي فرو أبدا. كراتين المخزن معفنة", "لا تعرض علي فرو أبدا. شكرا"),
]  # fmt: skip
AFTERWARDS = [
    ("never show me sequins", "those sequins are gorgeous on her, glorious", "hard_ban", "sequins", "sequins"),
    ("никогда не показывай пайетки", "какие пайетки в витрине, ах", "hard_ban", "sequins", "sequins"),
    ("لا تعرض علي ترتر أبدا", "شفت فستان ترتر يجنن", "hard_ban", "sequins", "sequins"),
    ("la t3ridheen 3alay dantel abadan", "shofay el kmam el dantel 3jabatni", "hard_ban", "lace", "lace"),
    ("no lace for me ever", "شفت الفستان، lace yes", "hard_ban", "lace", "lace"),
    ("I weigh 60 kg", "stepped on again, 63, the wall was in the way of my hand", "body_params", "weight", "60"),
]


@pytest.mark.parametrize(("kind", "type_", "key", "value", "waits", "stands"), BEHIND, ids=[row[4] for row in BEHIND])
def test_a_statement_that_more_is_said_of_waits_and_one_that_stands_for_itself_is_a_fact(
    kind: str, type_: str, key: str, value: str, waits: str, stands: str, make_context: MakeContext
) -> None:
    operation = propose(type_, key, value)
    assert not judge_one(operation, make_context([waits])).is_accepted, kind
    assert judge_one(operation, make_context([stands])).is_accepted, kind


@pytest.mark.parametrize(("first", "then", "type_", "key", "value"), AFTERWARDS, ids=[row[1] for row in AFTERWARDS])
def test_what_a_later_message_speaks_of_again_waits(
    first: str, then: str, type_: str, key: str, value: str, make_context: MakeContext
) -> None:
    operation = propose(type_, key, value)
    messages = [say(first), say(then, minutes=1, seq=2)]
    assert judge_one(operation, make_context(messages[:1])).is_accepted
    assert not judge_one(operation, make_context(messages)).is_accepted
    said_again = [messages[0], say(first, minutes=1, seq=2)]
    assert judge_one(operation, make_context(said_again)).is_accepted


@pytest.mark.parametrize(
    ("first", "then", "type_", "key", "value"),
    [
        ("note that I'm allergic to nickel", "sorry, this is my client's file", "allergy", "nickel", "nickel"),
        ("у меня аллергия на никель", "упс, это карточка клиентки", "allergy", "nickel", "nickel"),
        ("سجلوا عندي حساسية نيكل", "عفواً هذا ملف مراجعتي", "allergy", "nickel", "nickel"),
        ("3indi 7asasiya min el nickel", "oops, hatha malaf zboonati", "allergy", "nickel", "nickel"),
    ],
)
def test_a_next_message_that_opens_by_correcting_makes_a_statement_wait(
    first: str, then: str, type_: str, key: str, value: str, make_context: MakeContext
) -> None:
    operation = propose(type_, key, value)
    messages = [say(first), say(then, minutes=1, seq=2)]
    assert judge_one(operation, make_context(messages[:1])).is_accepted
    assert not judge_one(operation, make_context(messages)).is_accepted


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I never wear leather", "bring it back, found a perfect coat"),
        ("кожу никогда не ношу", "верните её, нашла идеальное пальто"),
        ("ما ألبس جلد أبدا", "رجعوه، لقيت جاكيت يجنن"),
        ("ana ma albas jild abadan", "raj3ooh, lgait jacket yjannen"),
        ("leather больше never", "رجعوه, нашла идеальный coat"),
    ],
)
def test_a_ban_whose_return_is_asked_for_days_later_waits(first: str, then: str, make_context: MakeContext) -> None:
    operation = propose("hard_ban", "leather", "leather")
    messages = [say(first), say(then, days=1, seq=2)]
    assert judge_one(operation, make_context(messages[:1])).is_accepted
    assert not judge_one(operation, make_context(messages)).is_accepted


@pytest.mark.parametrize(
    "text",
    [
        "Today I can't spend more than 600",
        "Сегодня больше 600 не потрачу",
        "اليوم ميزانيتي ٦٠٠",
        "elyoum mizaniyti 600",
        "сегодня мой budget 600",
    ],
)
def test_a_budget_of_one_day_waits(text: str, make_context: MakeContext) -> None:
    operation = propose("budget", "general", "600")
    assert not judge_one(operation, make_context([text])).is_accepted
