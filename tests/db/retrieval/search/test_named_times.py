"""Time words in a question, through the whole search: what was said then comes first, whatever is newer (D-17)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from retrieval.configuration import get_pipeline
from tests.cast import Chatter
from tests.db.retrieval.conftest import build_pack, find_texts, search

NOW = datetime(2026, 6, 30, 9, tzinfo=UTC)
THEN = {
    "March": datetime(2026, 3, 10, 9, tzinfo=UTC),
    "a month ago": datetime(2026, 5, 31, 9, tzinfo=UTC),
    "last week": datetime(2026, 6, 24, 9, tzinfo=UTC),
}
SAID = {
    "en": "Bought a dress, number {}",
    "ru": "Купила платье, номер {}",
    "ar": "اشتريت فستان رقم {}",
    "arabizi": "ishtarayt fustan ra2am {}",
}
ASKED = {
    ("en", "March"): "what dress did I buy in March?",
    ("en", "a month ago"): "which dress did I buy a month ago?",
    ("en", "last week"): "which dress did I buy last week?",
    ("ru", "March"): "какое платье я купила в марте?",
    ("ru", "a month ago"): "какое платье я купила месяц назад?",
    ("ru", "last week"): "какое платье я купила на прошлой неделе?",
    ("ar", "March"): "أي فستان اشتريت في مارس؟",
    ("ar", "a month ago"): "أي فستان اشتريت قبل شهر؟",
    ("ar", "last week"): "أي فستان اشتريت الأسبوع اللي فات؟",
    ("arabizi", "March"): "ay fustan ishtarayt fi mars?",
    ("arabizi", "a month ago"): "ay fustan ishtarayt 2abl shahr?",
    ("arabizi", "last week"): "ay fustan ishtarayt el osbo3 elli fat?",
}


def tell(person: Chatter, language: str) -> dict[str, str]:
    """The same purchase at three times, far apart, and one today."""
    texts = {}
    for number, (name, moment) in enumerate([*THEN.items(), ("today", NOW - timedelta(hours=1))], start=1):
        texts[name] = SAID[language].format(number)
        person.say(texts[name], created_at=moment, conversation_id=f"{language}-{number}", now=NOW)
    return texts


@pytest.mark.parametrize(("language", "time"), ASKED)
def test_what_was_said_at_the_named_time_comes_first(alice: Chatter, language: str, time: str):
    texts = tell(alice, language)
    assert find_texts(alice, ASKED[language, time], now=NOW)[0] == texts[time]


def test_the_named_time_counts_from_as_of(alice: Chatter):
    texts = tell(alice, "en")
    as_of = THEN["a month ago"] + timedelta(days=7)
    assert find_texts(alice, "which dress did I buy last week?", now=NOW, as_of=as_of)[0] == texts["a month ago"]


def test_in_a_pack_the_named_time_beats_recency(alice: Chatter):
    texts = tell(alice, "ru")
    pack = build_pack(alice, ASKED["ru", "March"], now=NOW, conversation="new")
    assert pack.episode_cards[0].raw_excerpt == texts["March"]


def test_the_trace_names_the_time_and_what_it_added(alice: Chatter):
    tell(alice, "en")
    result = search(alice, ASKED["en", "March"], now=NOW, trace=True)
    assert result.trace["periods"] == [{"from": "2026-03-01T00:00:00+00:00", "to": "2026-04-01T00:00:00+00:00"}]
    assert {"period", "in_period"} <= set(result.results[0].trace)


def test_a_question_of_time_words_alone_finds_that_time(alice: Chatter):
    texts = tell(alice, "en")
    # Without vectors: those of unrelated words meet by chance, and nothing else would be there to go before that.
    pipeline = replace(get_pipeline(), provider=None)
    assert find_texts(alice, "and what about last week?", now=NOW, pipeline=pipeline)[0] == texts["last week"]
