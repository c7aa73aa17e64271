"""What replies correct, by behaviour (docs/corrections.md). The labelled corpus measures, these explain."""

from datetime import date

import pytest

from corrections.recognition.detector import detect, may_correct, read_reply
from tests.unit.corrections.conftest import NOW, Reply, describe, make_fact


def make_size(value: str = "M", **more):
    return make_fact("body_params/size", value, **more)


def make_budget(value: int | str = 500, **more):
    return make_fact("budget/general", value, **more)


@pytest.mark.parametrize("word", ["нет", "неа", "No!", "nope", "لا", "غلط", "la2", "ghala6", "НЕЕЕТ", "لاااا", "wrong"])
def test_a_bare_denial_closes_the_one_fact_that_the_turn_asserts(reply: Reply, word: str) -> None:
    found = reply("Your size is M, right?", word, make_size(), make_fact("allergy/wool"))
    assert (describe(found), found.correction_type) == (["deactivate body_params/size"], "user_denied")


def test_a_bare_denial_of_several_disputes_each_and_no_other(reply: Reply) -> None:
    found = reply("You are size M and allergic to wool", "no", make_size(), make_fact("allergy/wool"), make_budget())
    assert describe(found) == ["dispute body_params/size", "dispute allergy/wool"]
    assert found.correction_type == "ambiguous"


def test_a_denial_that_names_a_fact_closes_that_one(reply: Reply) -> None:
    facts = (make_fact("allergy/silk"), make_fact("allergy/wool"))
    found = reply("У тебя аллергия на шёлк и шерсть", "у меня нет аллергии на шёлк", *facts)
    assert describe(found) == ["deactivate allergy/silk"]


@pytest.mark.parametrize(
    ("turn", "words", "fact", "expected"),
    [
        ("مقاسك M", "لا غلط، مو M، أنا S", ("body_params/size", "M"), "set body_params/size S"),
        ("Ваш размер M", "эльку ношу, не M", ("body_params/size", "M"), "set body_params/size L"),
        ("Your size is UK10", "no, 12", ("body_params/size", "UK10"), "set body_params/size UK12"),
        ("You are 165 cm", "nope, 5'7", ("body_params/height", 165), "set body_params/height 170"),
        ("Рост 165", "нет, метр семьдесят", ("body_params/height", 165), "set body_params/height 170"),
        ("ميزانيتك ٥٠٠", "لا، ألفين", ("budget/general", 500), "set budget/general 2000"),
        ("Budget 500?", "let's say 600 to 700", ("budget/general", 500), "set budget/general 600-700"),
        ("Budget 500?", "make it 42", ("budget/general", 500), ""),
        (None, "бюджет подняла до 7 тысяч", ("budget/general", "3000-5000 RUB"), "set budget/general 7000 RUB"),
        ("Your budget is 200 USD", "no, 300", ("budget/general", "200 USD"), "set budget/general 300 USD"),
        ("Your budget is 200 USD", "my budget is 300", ("budget/general", "200 USD"), "set budget/general 300 USD"),
        ("Your budget is 200 USD", "no, 900 dirhams", ("budget/general", "200 USD"), "set budget/general 900"),
        ("Your budget is 200 USD", "no, 200", ("budget/general", "200 USD"), ""),
    ],
)
def test_a_new_value_takes_the_place_of_the_old(
    reply: Reply, turn: str | None, words: str, fact: tuple, expected: str
) -> None:
    assert describe(reply(turn, words, make_fact(*fact))) == ([expected] if expected else [])


@pytest.mark.parametrize(
    "words",
    [
        "нет, это платье не M",
        "no, this dress isn't M",
        "لا، هذا الفستان مو M",
        "no the skirt is not an M",
        "la hal fostan mu M",
    ],
)
def test_the_size_of_a_garment_denies_nobodys_size(reply: Reply, words: str) -> None:
    assert describe(reply("Your size is M", words, make_size())) == []


@pytest.mark.parametrize(
    "words", ["no, I don't wear M dresses", "нет, мой размер платья не M", "no, my dress size isn't M"]
)
def test_a_size_of_ones_own_is_denied_beside_a_garment_too(reply: Reply, words: str) -> None:
    assert describe(reply("Your size is M", words, make_size())) == ["deactivate body_params/size"]


def test_a_new_value_under_another_key_closes_the_old_and_sets_the_new(reply: Reply) -> None:
    found = reply("You are allergic to silk", "no, cashmere and wool", make_fact("allergy/silk"))
    assert describe(found) == ["deactivate allergy/silk", "set allergy/cashmere cashmere", "set allergy/wool wool"]
    assert found.denied == {("allergy", "silk"), ("allergy", "cashmere"), ("allergy", "wool")}


def test_an_event_of_another_keeps_its_date(reply: Reply) -> None:
    brother = make_fact("life_event/wedding_brother", days=7)
    found = reply("عرس أخوك بعد أسبوع", "لا، عرس أختي", brother)
    assert describe(found) == ["deactivate life_event/wedding_brother", "set life_event/wedding_sister wedding"]
    assert found.operations[1].expires_at == brother.expires_at


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ("Скоро свадьба сестры", "нет, у подруги я уже была"),
        ("Скоро свадьба сестры", "нет, была на свадьбе подруги"),
        ("Your sister's wedding is soon", "no, I've already been to my friend's wedding"),
        ("عرس اختك قريب", "لا، رحت عرس صديقتي"),
    ],
)
def test_an_event_that_is_over_takes_the_place_of_none(reply: Reply, turn: str, words: str) -> None:
    assert describe(reply(turn, words, make_fact("life_event/wedding_sister", days=7))) == []


def test_an_event_that_was_moved_gets_its_new_date(reply: Reply) -> None:
    found = reply("Свадьба сестры в пятницу", "нет, через месяц", make_fact("life_event/wedding_sister", days=4))
    assert describe(found) == ["set life_event/wedding_sister wedding"]
    assert found.operations[0].expires_on == date(2026, 4, 1)


@pytest.mark.parametrize(
    "words",
    [
        "I don't have a budget limit any more",
        "wait, forget about the budget please",
        "no budget limit now",
        "I no longer have a budget limit",
        "actually scrap that budget",
        "my budget is unlimited",
        "бюджет теперь без ограничений",
        "у меня больше нет бюджета",
        "забудь про бюджет",
        "خلاص الميزانية مفتوحة",
        "ليست لدي ميزانية محددة بعد الآن",
        "5alas el mizaniya maftoo7a",
    ],
)
def test_a_budget_that_is_lifted_is_closed_without_a_turn(reply: Reply, words: str) -> None:
    found = reply(None, words, make_budget(), make_size())
    assert (describe(found), found.correction_type) == (["deactivate budget/general"], "outdated")


@pytest.mark.parametrize(
    "words",
    [
        "don't forget the budget",
        "не забудь про бюджет",
        "is there no budget limit?",
        "if I had no budget limit I'd buy both",
        "my sister has no budget limit",
        "no budget limit for her gift",
        "they no longer have a budget",
        "we had no budget limit back then",
        "I never said no budget limit",
        "scrap that budget dress",
        "она сказала: бюджет не ограничен",
        "show me the budget options",
        "forget the budget, make it 900",
    ],
)
def test_what_only_sounds_like_a_lifted_budget_closes_none(reply: Reply, words: str) -> None:
    assert "deactivate budget/general" not in describe(reply(None, words, make_budget()))


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ("", "the wedding got moved to June 15th"),
        ("Your sister's wedding is on May 12?", "no, the wedding is on June 15th"),
        ("", "свадьбу перенесли на 15 июня"),
    ],
)
def test_a_relatives_event_that_was_moved_is_no_event_of_the_users_own(reply: Reply, turn: str, words: str) -> None:
    found = reply(turn, words, make_fact("life_event/wedding_sister", "wedding"))
    assert describe(found) == ["set life_event/wedding_sister wedding"]
    assert ("life_event", "wedding") in found.denied


@pytest.mark.parametrize("words", ["my wedding got moved to June 15th", "мою свадьбу перенесли на 15 июня"])
def test_an_event_of_the_users_own_that_was_moved_leaves_the_relatives_alone(reply: Reply, words: str) -> None:
    found = reply("", words, make_fact("life_event/wedding_sister", "wedding"))
    assert (describe(found), found.denied) == ([], frozenset())


def test_a_vacation_that_was_moved_changes_its_key(reply: Reply) -> None:
    found = reply("Vacation in July?", "we moved it to August", make_fact("life_event/vacation_july", days=151))
    assert describe(found) == ["deactivate life_event/vacation_july", "set life_event/vacation_august vacation"]


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("it got cancelled", "life_event/trip"),
        ("velvet is okay again", "hard_ban/velvet"),
        ("not any more", "allergy/wool"),
        ("уже прошла", "allergy/wool"),
        ("المخمل صار عادي", "hard_ban/velvet"),
    ],
)
def test_what_was_so_and_is_no_longer_is_outdated(reply: Reply, words: str, slot: str) -> None:
    turns = {"life_event/trip": "Your trip is next week", "hard_ban/velvet": "You never wear velvet"}
    found = reply(turns.get(slot, "You are allergic to wool"), words, make_fact(slot, days=13))
    assert (describe(found), found.correction_type) == ([f"deactivate {slot}"], "outdated")


@pytest.mark.parametrize("words", ["that's my sister's size", "это мамин размер", "هذا مقاس أمي", "hatha ma2as ommi"])
def test_what_is_somebody_elses_is_closed_as_wrong_subject(reply: Reply, words: str) -> None:
    found = reply("I have you as size M", words, make_size())
    assert (describe(found), found.correction_type) == (["deactivate body_params/size"], "wrong_subject")


@pytest.mark.parametrize(
    "words",
    ["where did you get that", "с чего ты взяла?", "من وين جبتي هالكلام", "meno gallich?", "you're mixing me up"],
)
def test_a_challenge_disputes_what_the_turn_asserts(reply: Reply, words: str) -> None:
    found = reply("You are allergic to wool", words, make_fact("allergy/wool"), make_budget())
    assert (describe(found), found.correction_type) == (["dispute allergy/wool"], "ambiguous")


def test_a_challenge_that_names_a_value_disputes_that_one(reply: Reply) -> None:
    facts = (make_size(), make_fact("body_params/height", 170))
    assert describe(reply("You wear M and are 170 cm", "I never said I was M", *facts)) == ["dispute body_params/size"]


def test_a_challenge_with_a_new_value_sets_it(reply: Reply) -> None:
    assert describe(reply("مقاسك L", "من قال؟ أنا S", make_size("L"))) == ["set body_params/size S"]


def test_a_challenge_without_a_turn_before_it_does_nothing(reply: Reply) -> None:
    assert describe(reply(None, "I never said I'm allergic to wool", make_fact("allergy/wool"))) == []


def test_a_yes_confirms_only_what_is_disputed_and_asserted(reply: Reply) -> None:
    facts = (make_budget(900, is_disputed=True), make_size(is_disputed=True))
    assert describe(reply("Budget 900?", "aywa 9a7", *facts)) == ["confirm budget/general"]
    assert describe(reply("Budget 900?", "yes", make_budget(900))) == []


def test_a_no_that_says_it_stands_confirms(reply: Reply) -> None:
    silk = make_fact("allergy/silk", is_disputed=True)
    assert describe(reply("Am I wrong about your silk allergy?", "no, I do have it", silk)) == ["confirm allergy/silk"]
    assert describe(reply("Am I wrong about your silk allergy?", "no", silk)) == ["confirm allergy/silk"]


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ("Shall I look for more in M?", "no thanks"),
        ("I found skirts in M. Want to see them?", "no"),
        ("Вот платье M за 500", "нет, дорого"),
        ("هذا فستان M بـ 500", "لا والله حلو"),
        ("M for you", "no problem"),
        ("Размер M, готово", "нет слов"),
        ("Size M, right?", "why?"),
        ("Here is a jacket in M", "do you have it in L?"),
        ("Size M for you", "maybe L?"),
        ("Size M for you", "my sister wears L"),
        ("Budget 500, size M", "500 is too much for that"),
        ("I left out wool for you", "never show me wool, yes"),
        ("Wool is in fashion", "no way"),
        ("Ты любишь бежевый", "нет"),
    ],
)
def test_what_only_looks_like_a_correction_changes_nothing(reply: Reply, turn: str, words: str) -> None:
    assert describe(reply(turn, words, make_size(), make_budget(), make_fact("hard_ban/wool"))) == []


def test_an_allergy_and_a_ban_of_one_material_are_told_apart(reply: Reply) -> None:
    facts = (make_fact("allergy/leather"), make_fact("hard_ban/leather"))
    assert describe(reply("You are allergic to leather", "no", *facts)) == ["deactivate allergy/leather"]
    assert describe(reply("Кожу убрала, ты не носишь", "нет", *facts)) == ["deactivate hard_ban/leather"]


def test_a_ban_said_again_is_no_denial(reply: Reply) -> None:
    assert describe(reply("You don't wear fur, right?", "no, I don't wear fur", make_fact("hard_ban/fur"))) == []


@pytest.mark.parametrize(
    "words", ["I never wear flats", "no velvet please", "لا تقترحين علي وردي", "la t2tir7een tertir", "чёрное не ношу"]
)
def test_another_ban_beside_an_asserted_one_takes_no_ones_place(reply: Reply, words: str) -> None:
    assert describe(reply("You avoid leather, here are some dresses", words, make_fact("hard_ban/leather"))) == []


@pytest.mark.parametrize(
    "words",
    [
        "вчера была на свадьбе подруги, так красиво",
        "на работу мини не ношу",
        "trip next week, и мех не показывай",
        "my mom и сестра allergic to wool",
        "budget for the gift is 300",
        "At Zara I take L",
        "I was an L last year",
        "people say 1000 is a normal budget",
        "doctor asked عندج حساسية and I said no",
        "хватит, больше не надо",
    ],
)
def test_talk_of_other_things_touches_no_asserted_fact(reply: Reply, words: str) -> None:
    facts = (make_fact("life_event/wedding_sister", days=7), make_fact("allergy/wool"), make_size(), make_budget())
    turn = "Your sister's wedding is in a week. No wool, size M, budget 500."
    assert describe(reply(turn, words, *facts)) == []


def test_a_plain_statement_of_another_value_sets_it(reply: Reply) -> None:
    assert describe(reply("Size M for you", "my size is L", make_size())) == ["set body_params/size L"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("not silk only wool", ["deactivate allergy/silk"]),
        ("I'm not allergic to silk and wool", ["deactivate allergy/silk", "deactivate allergy/wool"]),
        ("only wool", ["deactivate allergy/silk"]),
        ("на шёлк нет", ["deactivate allergy/silk"]),
        ("нет у меня аллергии на шёлк", ["deactivate allergy/silk"]),
        (
            "no, I'm allergic to nickel",
            ["deactivate allergy/silk", "deactivate allergy/wool", "set allergy/nickel nickel"],
        ),
    ],
)
def test_a_negation_reaches_what_it_belongs_to(reply: Reply, words: str, expected: list[str]) -> None:
    facts = (make_fact("allergy/silk"), make_fact("allergy/wool"))
    assert describe(reply("You are allergic to silk and wool", words, *facts)) == expected


def test_the_facts_of_the_pack_behind_the_turn_come_first(reply: Reply) -> None:
    given, other = make_fact("hard_ban/leather"), make_fact("hard_ban/fur")
    turn = "Leather and fur left out"
    assert describe(reply(turn, "no", given, other, asserted_fact_ids={given.id})) == ["deactivate hard_ban/leather"]
    assert len(reply(turn, "no", given, other, asserted_fact_ids=set()).operations) == 2


def test_a_brand_that_extraction_learned_falls_and_is_disputed_like_any_fact(reply: Reply) -> None:
    zara = make_fact("brand_preference/zara")
    assert describe(reply("Ты же любишь Zara", "Нет!", zara)) == ["deactivate brand_preference/zara"]
    assert describe(reply("Ты же любишь Zara", "С чего ты взял?", zara)) == ["dispute brand_preference/zara"]


@pytest.mark.parametrize("words", ["no", "нет", "yes"])
def test_a_no_to_a_question_about_something_else_answers_that(reply: Reply, words: str) -> None:
    size = make_size(is_disputed=True)
    assert describe(reply("I kept size M in mind. Did your parcel come on Monday?", words, size)) == []
    assert describe(reply("I kept size M in mind. Is that right?", words, size)) != []


def test_refusals_are_named_by_codes(reply: Reply) -> None:
    assert reply("Вот платье M за 500", "нет, дорого", make_size()).reasons == ("item_rejected",)
    assert reply("Want more in M?", "no", make_size()).reasons == ("offer_declined",)


@pytest.mark.parametrize("words", ["покажи синие платья", "this looks gorgeous", "وريني فساتين", "hello there"])
def test_ordinary_messages_stop_at_the_gate(rule_set, words: str) -> None:
    assert may_correct(read_reply(words, rule_set=rule_set)) is False


@pytest.mark.parametrize(
    "words", ["", " ", "?", "no" * 5000, "\u200f\u0640\u200b", "'''", "(((", "9" * 400, "нет " * 900]
)
def test_any_text_is_read_without_an_error(rule_set, words: str) -> None:
    facts = (make_size(), make_budget(), make_fact("life_event/trip", days=5))
    found = detect(words, previous_turn=words, facts=facts, said_at=NOW, rule_set=rule_set)
    assert found.operations == ()
