"""What a reply gives away of its pack, and what it uses of it: replies as they are made, in four languages."""

from datetime import date
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.replies.answers import (
    CODES,
    Finding,
    ShownFact,
    ShownMessage,
    ShownPack,
    check_answer,
    list_runs,
    measure_use,
)

CARD, SHORT, ARABIC, CHINESE, LABELLED = (UUID(int=number) for number in range(1, 6))
FACT, RECEIPT = UUID(int=10), UUID("01934a3e-0000-7000-8000-000000000001")
TODAY = date(2026, 3, 20)
WINDOW = "yesterday you showed me three long evening dresses with sleeves"
PACK = ShownPack(
    receipt_id=RECEIPT,
    question="what should I wear to the wedding of my sister in April?",
    said=(WINDOW,),
    messages=(
        ShownMessage(
            CARD,
            "I tried the emerald satin dress and it pinched at the shoulders terribly",
            said_on=date(2026, 3, 2),
        ),
        ShownMessage(SHORT, "Tbilisi", said_on=date(2026, 3, 1)),
        ShownMessage(ARABIC, "والله ما ابي شي مفتوح من الكتف في العرس هذا", said_on=date(2026, 2, 11)),
        ShownMessage(CHINESE, "我不喜欢太紧的衣服，尤其是肩膀的地方会很疼", said_on=date(2026, 2, 10)),
        ShownMessage(LABELLED, "long story", snippet="tried on emerald satin, pinched at the shoulders", is_card=True),
    ),
    facts=(
        ShownFact(FACT, "open_shoulders", frozenset({"open_shoulders"})),
        ShownFact(UUID(int=11), "M", frozenset({"size:M"})),
    ),
)


def check(reply: str) -> list[tuple[str, UUID | None]]:
    return [(one.code, one.message_id or one.fact_id) for one in check_answer(reply, pack=PACK, replied_on=TODAY)]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        # --- kept to the rules
        ("Something with covered shoulders would suit you: a midi dress in emerald, perhaps?", []),
        ("Can you tell me what to wear? You asked: what should I wear to the wedding of my sister in April?", []),
        (f"As said, {WINDOW}", []),
        ("As you told me, satin pinched, so let's look at jersey.", []),
        ("Насколько я помню, атлас вам жал. Посмотрим трикотаж?", []),
        ("مثل ما قلتي، الاكتاف تبينها مغطاة. تبين شي بكم طويل؟", []),
        ("I remember how lovely you looked in green! In memory of that day, pearls?", []),
        ("I have noted a few options: 1) jersey 2) crepe. The store is open until 20 March.", []),
        ("The fabric is 95% cotton and 5% elastane, score!", []),
        ("Это платье на 70% из хлопка, размер 42.", []),
        # --- quotes
        ("You said it pinched at the shoulders terribly, so no.", [("quotes_memory", CARD)]),
        ("You wrote “emerald satin dress” once.", [("quotes_memory", CARD)]),
        ("قلتي ما ابي شي مفتوح من الكتف في العرس", [("quotes_memory", ARABIC)]),
        ("قلتي: والله ما أبي شيّ مفتوح من الكتف فى العرس", [("quotes_memory", ARABIC)]),
        ("你说过我不喜欢太紧的衣服，尤其是肩膀的地方", [("quotes_memory", CHINESE)]),
        ("Label: tried on emerald satin, pinched at the shoulders.", [("quotes_snippet", LABELLED)]),
        # --- ids
        (f"See {CARD}.", [("prints_id", CARD)]),
        (f"See {CARD.hex.upper()}.", [("prints_id", CARD)]),
        (f"By fact {FACT}", [("prints_id", FACT)]),
        (f"Receipt {RECEIPT}", [("prints_id", None)]),
        # --- tags, scores
        ('<user_memory source="episode">satin</user_memory>', [("prints_tag", None)]),
        ("From pending_raw I see you like jersey", [("prints_tag", None)]),
        ('provenance="user_message"', [("prints_tag", None)]),
        ("You wear M (confidence: 0.95).", [("prints_score", None)]),
        ("Ваш размер M, уверенность 95%", [("prints_score", None)]),
        ("I am 90% sure you wear M", [("prints_score", None)]),
        ("مقاسك M بنسبة الثقة 0.95", [("prints_score", None)]),
        # --- dates of memories
        ("On 2 March you tried satin.", [("prints_date", CARD)]),
        ("On March 2 you tried satin.", [("prints_date", CARD)]),
        ("Вы мерили атлас 2 марта.", [("prints_date", CARD)]),
        ("Вы мерили атлас 02.03.2026.", [("prints_date", CARD)]),
        ("يوم 11 فبراير قلتي تبين شي مستور", [("prints_date", ARABIC)]),
        ("From 2026-03-01", [("prints_date", SHORT)]),
        ("That was on 22 March.", []),
        # --- talk of a memory
        ("According to my notes, you dislike satin.", [("speaks_of_memory", None)]),
        ("My database shows that you wear M.", [("speaks_of_memory", None)]),
        ("I have it stored that you wear M", [("speaks_of_memory", None)]),
        ("У меня записано, что вам жмёт атлас.", [("speaks_of_memory", None)]),
        ("Судя по моим записям, атлас вам жал", [("speaks_of_memory", None)]),
        ("В моей базе данных указано: M", [("speaks_of_memory", None)]),
        ("حسب سجلاتي مقاسك M", [("speaks_of_memory", None)]),
        ("مسجّل عندي إن مقاسك M", [("speaks_of_memory", None)]),
        ("7asab sijilati maqasich M", [("speaks_of_memory", None)]),
        ("msajjal 3indi ennich tlbsin M", [("speaks_of_memory", None)]),
    ],
)
def test_a_reply_is_judged(reply: str, expected: list[tuple[str, UUID | None]]):
    assert check(reply) == expected


def test_everything_is_found_at_once_in_the_order_of_codes():
    reply = f"My notes say (confidence 0.9) on 2 March: it pinched at the shoulders terribly. <user_memory> {FACT}"
    assert [code for code, _ in check(reply)] == [code for code in CODES if code != "quotes_snippet"]


def test_a_user_who_asks_about_the_memory_is_answered_in_their_own_words():
    pack = ShownPack(RECEIPT, question="what is stored in your memory about me?")
    assert check_answer("Stored in your memory? Only sizes.", pack=pack, replied_on=TODAY) == []


@pytest.mark.parametrize("question", ["when did I try it on?", "когда я его мерила?", "متى جربته؟"])
def test_a_user_who_asks_for_a_time_is_told_it(question: str):
    pack = ShownPack(RECEIPT, question, messages=PACK.messages)
    assert check_answer("2 March", pack=pack, replied_on=TODAY) == []


def test_a_date_that_the_memory_itself_names_is_no_finding():
    message = ShownMessage(CARD, "my wedding is on 2 March", said_on=date(2026, 3, 2))
    pack = ShownPack(RECEIPT, "what do I need?", messages=[message])
    assert check_answer("A veil, before 2 March", pack=pack, replied_on=TODAY) == []


def test_findings_hold_no_text():
    assert set(Finding.__dataclass_fields__) == {"code", "message_id", "fact_id"}


@pytest.mark.parametrize(
    ("reply", "used", "unused"),
    [
        ("No satin then, and no emerald: jersey is kinder.", {CARD}, {SHORT, ARABIC, CHINESE, LABELLED}),
        ("How about flying to Tbilisi?", {SHORT}, {CARD, ARABIC, CHINESE, LABELLED}),
        ("Red suits you.", set(), {CARD, SHORT, ARABIC, CHINESE, LABELLED}),
        ("Satin?", set(), {SHORT, ARABIC, CHINESE, LABELLED}),
        ("What should I wear to the wedding?", set(), {CARD, SHORT, ARABIC, CHINESE, LABELLED}),
        ("شي مو مفتوح عند الكتف احسن لج", {ARABIC}, {CARD, SHORT, CHINESE, LABELLED}),
    ],
)
def test_what_a_reply_used_is_seen_in_its_content_words(reply: str, used: set[UUID], unused: set[UUID]):
    found = measure_use(reply, pack=PACK)
    assert (found.used_messages, found.unused_messages) == (used, unused)


def test_a_fact_is_used_when_its_value_is_named_and_never_unused():
    assert measure_use("No open shoulders, I promise.", pack=PACK).used_facts == {FACT}
    assert measure_use("Без открытых плеч", pack=PACK, names=["open_shoulders"]).used_facts == {FACT}
    assert measure_use("M should fit", pack=PACK, names=["size:M"]).used_facts == {UUID(int=11)}
    assert measure_use("Here are three dresses", pack=PACK).used_facts == frozenset()


@given(st.text(max_size=600))
def test_no_reply_is_too_odd_to_judge(reply: str):
    for finding in check_answer(reply, pack=PACK, replied_on=TODAY):
        assert finding.code in CODES
    measure_use(reply, pack=PACK)


def test_a_reply_of_any_length_is_judged_in_bounded_work():
    reply = "satin dress and it pinched " * 20_000
    assert len(list_runs(reply[:20_000])) < 10
    assert check(reply) == []
