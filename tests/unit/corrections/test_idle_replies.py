"""What people say in passing corrects nothing, whatever the turn before spoke of: every reply after every turn."""

from __future__ import annotations

import pytest

from tests.unit.corrections.conftest import Reply, describe, make_fact

TURNS = (
    "Your sister's wedding is in a week. No wool, size M, budget 500.",
    "Размер M, без шерсти, до 500, свадьба сестры скоро.",
    "عرس أختك قريب، مقاسك M بدون صوف وميزانيتك 500",
    "3irs okhtich 8arib, size M bidoon 9oof, mizaniya 500",
    "You're allergic to wool.",
    "Ваш бюджет 500.",
    "ما تبين جلد",
    "Your sister's wedding is soon!",
)
IDLE = {
    "put off": "not now|not today|maybe later|не сегодня|может потом|مو اليوم|بعدين|ba3dain|mu alyom",
    "declined": "nope, that's all|больше ничего|хватит, больше не надо|لا شكرا|خلاص شكرا|la shukran|khalas",
    "idiom": "no worries|no rush|no way, gorgeous|вовсе нет проблем|нет времени|لا مشكلة|لا والله حلو|mafi mushkila",
    "unsure": "i don't know|i'm not sure|не знаю|не уверена|ما أدري|مو متأكدة|ma adri",
    "item": "no i mean the blue one|нет, я про синее|لا أقصد الأزرق|la agsid el azrag|that's too expensive|дорого|غالي",
    "errand": "no, I'm shopping for my daughter today|нет, сегодня я ищу маме|لا أدور حق أختي اليوم",
    "asked": "how much?|сколько стоит?|нет доставки?|do you have it in L too?|а 46 есть?|متوفر؟|ما في توصيل؟|fee M?",
    "unreal": "if I weren't allergic to silk I'd take it|был бы бюджет 2000, взяла бы|law mizaniyati 2000 kan 5athayta",
}


@pytest.mark.parametrize("kind", IDLE)
def test_replies_in_passing_do_nothing(reply: Reply, kind: str) -> None:
    facts = (
        make_fact("life_event/wedding_sister", days=7),
        make_fact("allergy/wool"),
        make_fact("body_params/size", "M"),
        make_fact("budget/general", 500),
        make_fact("hard_ban/leather"),
    )
    wrong = [
        (turn, words, done)
        for words in IDLE[kind].split("|")
        for turn in TURNS
        if (done := describe(reply(turn, words, *facts)))
    ]
    assert wrong == []
