"""What the writer says of a brand around its name, by language: liking of their own binds it, what else is said does not."""

from collections.abc import Callable

import pytest

from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge_one
from tests.unit.memory.extraction.conftest import propose, say

MakeContext = Callable[..., GateContext]

LIKED = [
    ("zara", "popped into Zara again and left with three bags, best store ever"),
    ("zara", "Got my third Zara coat today, I just love them"),
    ("zara", "Zara is where I buy everything, my favourite label by far"),
    ("mango", "New Mango dress today and I'm in love with that brand"),
    ("zara", "Сегодня снова взяла платье в Zara, мой самый любимый бренд"),
    ("uniqlo", "заказала ещё футболок из Uniqlo, просто обожаю их"),
    ("mango", "купила ещё одно платье в Mango, обожаю эту марку"),
    ("zara", "опять была в Zara, какие же они молодцы, мой любимый магазин"),
    ("zara", "رجعت من زارا بثلاث أكياس، أحلى محل والله"),
    ("mango", "خذيت من مانجو مرة ثانية، أحب هالماركة وايد"),
    ("zara", "el yoom shareet mn zara marra thanya, a7eb hal brand"),
    ("mango", "Mango hiya markiti el mufa99ala min zaman"),
    ("mango", "اليوم شريت من Mango, I love this brand"),
    ("cos", "обожаю COS, крой прям мой"),
    ("cos", "COS again, my favourite brand honestly"),
    ("massimo_dutti", "Massimo Dutti trousers are the only ones that fit me, love them"),
    ("mango", "Mango моя любовь, всё fits"),
    ("zara", "взяла ещё jeans в Zara, my favourite store ever"),
    ("cos", "picked up another blazer at COS today, it's my favourite brand, no contest"),
    ("zara", "снова Zara, мой любимый магазин, никогда не подводит"),
]
NOT_LIKED = [
    ("zara", "popped into Zara, my sister's favourite store"),
    ("zara", "Zara again, not my favourite store"),
    ("zara", "is Zara the best store?"),
    ("zara", "Zara or Mango, best store ever"),
    ("zara", "была в Zara, любимый магазин мамы"),
    ("zara", "رجعت من زارا، أحلى محل عند أختي"),
    ("zara", "re7t zara, mob ma7alli el mufa99al"),
    ("mango", "mango again today, best fruit ever"),
    ("cos", "I love it cos it is my favourite store"),
]
DAYS = 3
NAMES = {"cos": "COS", "massimo_dutti": "Massimo Dutti"}


@pytest.mark.parametrize(("brand", "text"), LIKED, ids=[row[1] for row in LIKED])
def test_a_brand_that_is_liked_in_ones_own_words_is_bound_and_two_days_make_it_a_fact(
    brand: str, text: str, make_context: MakeContext
) -> None:
    operation = propose("brand_preference", brand, brand)
    assert judge_one(operation, make_context([text])).result == "staged"
    both = propose("brand_preference", brand, brand, evidence_message_ids=("m1", "m2"))
    messages = [say(text), say(f"I love {NAMES.get(brand, brand)} dresses", days=DAYS, seq=2)]
    assert judge_one(both, make_context(messages)).is_accepted


@pytest.mark.parametrize(("brand", "text"), NOT_LIKED, ids=[row[1] for row in NOT_LIKED])
def test_a_brand_that_others_like_or_nobody_does_is_not_bound(brand: str, text: str, make_context: MakeContext) -> None:
    assert judge_one(propose("brand_preference", brand, brand), make_context([text])).result.startswith("rejected")
