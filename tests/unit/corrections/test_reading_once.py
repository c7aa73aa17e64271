"""What is worked out once for a word or a text is what reading all of it anew gives."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

from corrections.evaluation.corpus import read_cases
from corrections.recognition.detector import detect, get_vocabulary, may_concern, read_reply
from corrections.steps import read_text, read_together
from memory.storing.reading import TextReader
from patterns.rules.ruleset import RuleSet
from patterns.steps.message import Message
from patterns.text.folded_pieces import _TOKEN, cut_tokens, cut_words, fold_pieces, join_words, place_words
from patterns.text.folding import fold_text
from patterns.text.normaliser import NormalisedText, normalise
from patterns.text.recurring import MAX_CHARACTERS

SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
CORRECTIONS = Path(__file__).parents[2] / "data" / "corrections" / "proof"
NOISE = "'’-–_  \n\t\u200f\u0640ًّ٠٥07.,!?؟;:()\"«»🙂é̈İßﬁﻻक्षि中文ノ\x00\x07"


def list_texts(rules: RuleSet, *, count: int) -> list[str]:
    """Examples of rules put together, half of them with noise between the letters."""
    source = random.Random(5)
    examples = [text for rule in rules.rules for text in (*rule.positive, *rule.negative)]
    texts = list(examples)
    for number in range(count):
        letters = list(source.choice((" ", ". ", "\n", "")).join(source.sample(examples, source.randint(1, 4))))
        for _ in range(source.randint(1, 12) if number % 2 else 0):
            letters.insert(source.randint(0, len(letters)), source.choice(NOISE))
        texts.append("".join(letters))
    return texts


def test_pieces_between_spaces_are_folded_as_the_whole_text_is(rule_set: RuleSet) -> None:
    for text in list_texts(rule_set, count=2_000):
        folded, offsets = join_words(*fold_text(text))
        pieces, places, words = fold_pieces(text, at_most=len(text))
        assert pieces == folded, ascii(text)
        assert list(places) == list(offsets), ascii(text)
        assert place_words(folded, words) == cut_tokens(folded), ascii(text)


def test_no_token_reaches_over_a_space(rule_set: RuleSet) -> None:
    for text in list_texts(rule_set, count=1_000):
        folded, *_ = fold_pieces(text, at_most=len(text))
        tokens = place_words(folded, cut_words(folded))
        assert tokens == cut_tokens(folded), ascii(text)
        assert [(token.text, token.start, token.end, token.kind) for token in tokens] == [
            (found[0], *found.span(), found.lastgroup or "mark") for found in _TOKEN.finditer(folded)
        ], ascii(text)


def test_a_text_analysed_once_serves_rules_and_corrections(rule_set: RuleSet) -> None:
    for text in list_texts(rule_set, count=300):
        message = rule_set.analyse(text)
        shared = read_reply(text, rule_set=rule_set, message=message)
        alone = read_reply(text, rule_set=rule_set)
        assert (shared.cues, describe(shared.message)) == (alone.cues, describe(alone.message)), ascii(text)
        assert rule_set.read(text, said_at=SAID_AT, message=message) == rule_set.read(text, said_at=SAID_AT), ascii(
            text
        )


def test_replies_read_together_are_those_read_alone(rule_set: RuleSet) -> None:
    texts = list_texts(rule_set, count=200)
    together = TextReader(tenant_id=uuid4())
    together.__dict__["rule_set"] = rule_set
    read_together(texts, together)
    for text in texts:
        assert together.has(("reply", text, None)), ascii(text)
        found, alone = read_text(text, together), read_reply(text, rule_set=rule_set)
        assert (found.cues, describe(found.message)) == (alone.cues, describe(alone.message)), ascii(text)


def test_what_one_reader_notes_in_a_message_the_other_does_not_see(rule_set: RuleSet) -> None:
    message = rule_set.analyse("my sister, my size is M")
    shared = read_reply("", rule_set=rule_set, message=message)
    message.consumed.add(0)
    message.cache["noted"] = True
    assert shared.message.written is message.written
    assert not shared.message.consumed
    assert not shared.message.cache


def test_only_words_that_the_other_spelling_knows_differently_are_analysed_again(rule_set: RuleSet) -> None:
    vocabulary = get_vocabulary(rule_set)
    message = rule_set.analyse("no, that is wrong")
    assert vocabulary.read("no, that is wrong", message=message).message.starts is message.starts


def describe_text(normal: NormalisedText) -> tuple[object, ...]:
    return normal.text, list(normal.offsets), normal.tokens, normal.clauses, normal.is_capped


def describe(message: Message) -> tuple[object, ...]:
    return *describe_text(message.normal), message.tokens, message.marks, message.segments, message.quoted


def test_a_word_is_the_same_at_its_second_reading(rule_set: RuleSet) -> None:
    text = "у меня аллергея на шерсть, wooool and poliester"
    first, second = (normalise(text, spelling=rule_set.spelling) for _ in range(2))
    assert describe_text(first) == describe_text(second)


def test_a_text_that_comes_again_is_read_as_the_first_time(rule_set: RuleSet) -> None:
    texts = [text for text in list_texts(rule_set, count=0) if len(text) <= MAX_CHARACTERS][::7]
    first = None
    for day in (2, 2, 2, 3):
        reader = TextReader(tenant_id=uuid4())
        reader.__dict__["rule_set"] = rule_set
        said_at = SAID_AT.replace(day=day)
        reader.read_all([(text, said_at) for text in texts], zone=ZoneInfo("UTC"))
        found = [
            (reader.read(text, said_at=said_at, zone=ZoneInfo("UTC")), read_text(text, reader).cues) for text in texts
        ]
        first = first or found
        assert found == first if day == 2 else [cues for _, cues in found] == [cues for _, cues in first]
        assert [result for result, _ in found] == [rule_set.read(text, said_at=said_at) for text in texts]
    for text in texts:  # each twice in a row: texts that share a place in the table of what was met displace each other
        for _ in range(2):
            reader = TextReader(tenant_id=uuid4())
            reader.__dict__["rule_set"] = rule_set
            reader.read_all([(text, SAID_AT)], zone=ZoneInfo("UTC"))
        assert rule_set.results.find((text, SAID_AT.date())) is not None, ascii(text)


def test_a_reply_without_a_turn_that_names_no_fact_of_the_user_corrects_nothing(rule_set: RuleSet) -> None:
    """Whatever detection finds without a turn, the test before it lets through."""
    cases = list(read_cases(CORRECTIONS))[::2]
    source = random.Random(3)
    corrected = 0
    for case in cases:
        text = read_reply(case.reply, rule_set=rule_set)
        for facts in (case.facts, *(other.facts for other in source.sample(cases, 4))):
            found = detect(case.reply, previous_turn=None, facts=facts, said_at=case.said_at, rule_set=rule_set)
            corrected += bool(found.operations)
            assert may_concern(text, facts) or not found.operations, case.id
    assert corrected > 10
