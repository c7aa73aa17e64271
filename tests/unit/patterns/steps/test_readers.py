"""Each reader and each guard, by examples: what is read, what is refused and under which code."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I wear an extra large", "body_params/size=XL"),
        ("Italian size 42, always", "body_params/size=IT42"),
        ("I'm between sizes, my size is M/L", "body_params/size=M-L"),
        ("туфли 37, платья 42", "body_params/size=42"),
        ("ma2asi 46 w jezmti 39", "body_params/size=46"),
        ("я носила S, а сейчас M", "body_params/size=M"),
        ("джинсы у меня 30", "body_params/size_bottom=30"),
        ("хс я, мелкая", "body_params/size=XS"),
        ("5 ft 4", "body_params/height=163"),
        ("рост 1,75 м", "body_params/height=175"),
        ("метр шестьдесят пять", "body_params/height=165"),
        ("I weigh 140 pounds", "body_params/weight=64"),
    ],
)
def test_sizes_and_measures(read, text: str, fact: str) -> None:
    assert read(text) == {fact}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I wear 38 in shoes", "shoe"),
        ("this dress is size M", "thing"),
        ("my brother wears size L", "other_subject"),
        ("show me size M", "request"),
        ("do u have size M", "question"),
        ("это не мой размер M", "negated"),
        ("before the baby I was in size M", "past"),
        ("if I were a size S", "conditional"),
        ("maybe my size is M", "hedge"),
        ("at Mango I take L", "brand_scoped"),
        ("fwd: my size is M", "forwarded"),
        ("she said my size is M", "reported"),
    ],
)
def test_a_size_is_refused_with_its_reason(read, refusals, text: str, reason: str) -> None:
    assert read(text) == set()
    assert reason in refusals(text)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Аллергия: латекс, никель", {"latex", "nickel"}),
        ("حتى القطن عندي حساسية منه", {"cotton"}),
        ("у мамы на латекс, а у меня на кашемир аллергия", {"cashmere"}),
        ("mom can't have latex, I can't have cashmere: allergies", {"cashmere"}),
        ("synthetics make me break out in a rash", {"synthetic"}),
        ("wool? allergic.", {"wool"}),
        ("my sister and I are allergic to nickel", {"nickel"}),
        ("نيكل وصوف، حساسية", {"nickel", "wool"}),
        ("allergic to mornings", set()),
        ("wool is itchy", set()),
        ("I outgrew my wool allergy", set()),
        ("allergic to everything except cotton", set()),
    ],
)
def test_allergies(read, text: str, keys: set[str]) -> None:
    assert read(text) == {f"allergy/{key}" for key in keys}


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("никогда не предлагай открытые плечи", {"open_shoulders"}),
        ("мех мне не предлагайте", {"fur"}),
        ("ни кожи, ни меха не предлагай", {"leather", "fur"}),
        ("I don't want leather or pink", {"leather"}),
        ("don't show me Zara", {"zara"}),
        ("I'm vegan so no leather", {"leather"}),
        ("مابي فرو ولا شامواه", {"fur", "suede"}),
        ("la t2tir7een 3alay jild", {"leather"}),
        ("never suggest faux leather", set()),
        ("never suggest leather jackets", set()),
        ("I could never live without leather", set()),
        ("don't stop showing me velvet", set()),
        ("I don't want to pay over 900", set()),
    ],
)
def test_bans(read, text: str, keys: set[str]) -> None:
    assert {fact for fact in read(text) if fact.startswith("hard_ban")} == {f"hard_ban/{key}" for key in keys}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no lace", "not_lasting"),
        ("I don't wear heels to work", "scope"),
        ("I almost never wear heels", "softener"),
        ("никогда не предлагай кожу, кроме обуви", "exception"),
        ("it's not that I don't wear leather", "double_negation"),
        ("не предлагай мех сестре", "other_subject"),
        ("I don't like velvet", "like"),
        ("I don't want to wait", "not_in_vocabulary"),
        ("I don't want it", "pronoun"),
    ],
)
def test_a_ban_is_refused_with_its_reason(read, refusals, text: str, reason: str) -> None:
    assert read(text) == set()
    assert reason in refusals(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my budget is 1,500", "1500"),
        ("бюджет 1 200 дирхам", "1200"),
        ("бюджет 2,5 тыс", "2500"),
        ("бюджет полторы тысячи", "1500"),
        ("ميزانيتي ١٬٢٠٠", "1200"),
        ("ميزانيتي ألفين", "2000"),
        ("ميزانيتي ٣ آلاف", "3000"),
        ("budget from 2 to 3k", "2000-3000"),
        ("budget $200", "200 USD"),
        ("не хочу тратить больше 900", "900"),
        ("700 дирхам мой потолок", "700"),
    ],
)
def test_budgets(read, text: str, value: str) -> None:
    assert read(text) == {f"budget/general={value}"}


@pytest.mark.parametrize(
    "text",
    [
        "our wedding budget is 40k",
        "those boots cost 900 aed",
        "at least 500 budget",
        "mom's budget is 300",
        "spent 2000",
    ],
)
def test_what_is_no_budget_of_the_user(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("my sister's wedding is in two weeks", "wedding_sister@14"),
        ("через 3 недели день рождения мамы", "birthday_mom@21"),
        ("عرس بنت خالتي بعد أسبوع", "wedding_cousin@7"),
        ("20.04 др у папы", "birthday_dad@49"),
        ("takharroj binti fi shahar 6", "graduation_daughter@120"),
        ("иду на свадьбу 1 марта", "wedding@364"),
        ("trip next week", "trip@13"),
        ("in July we have a vacation", "vacation_july@151"),
        ("3eed zawajna 18 april", "anniversary@47"),
        ("this weekend is our anniversary", "anniversary@6"),
        ("عندي عرس بعد العيد", "wedding@30"),
        ("в следующем месяце брат женится, свадьба на 200 человек", "wedding_brother@59"),
        ("my wedding is on the 31st of April", "wedding@59"),
    ],
)
def test_events_and_their_dates(read, text: str, fact: str) -> None:
    assert read(text) == {f"life_event/{fact}"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("my brother is moving to London next week", "someone_elses"),
        ("the wedding got cancelled", "cancelled"),
        ("watched a film about a wedding", "title"),
        ("I love weddings", "not_ahead"),
        ("was at a wedding yesterday", "past"),
        ("when is your birthday?", "question"),
        ("her trip is next week", "other_subject"),
    ],
)
def test_an_event_is_refused_with_its_reason(read, refusals, text: str, reason: str) -> None:
    assert read(text) == set()
    assert reason in refusals(text)
