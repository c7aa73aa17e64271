"""The compiled rule set: one message in, its readings out. Pure, deterministic, free to share between threads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date, datetime
from typing import Any
from uuid import UUID

from patterns.doubts import Doubts
from patterns.gate import Gate, Trigger
from patterns.lexicon import Entry, Lexicon
from patterns.normaliser import normalise
from patterns.phrases import Phrase, PhraseBook, is_phrases, list_phrases
from patterns.rollout import NOBODY_SPECIAL, get_bucket
from patterns.rule import Rule
from patterns.steps.allergies import read_allergies
from patterns.steps.bans import read_bans
from patterns.steps.budget import read_budget
from patterns.steps.doubts import drop_doubtful
from patterns.steps.draft import Draft, Findings, Fired, Refusal
from patterns.steps.events import consume_relations, read_events
from patterns.steps.language import detect_language
from patterns.steps.measures import read_measures
from patterns.steps.merge import merge_drafts
from patterns.steps.message import Message, analyse
from patterns.steps.retraction import drop_retracted
from patterns.steps.sizes import read_sizes
from patterns.types import Reading, ReadResult, Rejection

CONFIDENCE = {"life_event": 0.85}  # its date may be inexact (SPEC I-5)
DEFAULT_CONFIDENCE = 0.95
MAX_FIRED = 12  # of one vocabulary rule: a bound for hostile text
MAX_FOLLOWED = 14  # of all rules; of thousands of labelled messages none has more than 13
READ_PURPOSES = ("extract", "guard")  # a guard fires and refuses: its counter tells staff what was left out
_WORD = re.compile(r"[^\W_]{2,}")


class RuleSet:
    """Rules and vocabulary of one tenant or of all, ready to read messages."""

    def __init__(
        self,
        *,
        rules: Sequence[Rule],
        entries: Iterable[Entry] = (),
        settings: Mapping[str, Any],
        version: int,
        lexicon: Lexicon | None = None,
        phrases: Sequence[Phrase] = (),
    ) -> None:
        self.version = version
        self.settings = settings
        self.rules = tuple(rules)
        entries = tuple(entries)
        self.phrases = tuple(phrases) or tuple(list_phrases(entries))
        vocabulary = (entry for entry in entries if not is_phrases(entry.category))
        self.lexicon = Lexicon(vocabulary) if lexicon is None else lexicon
        self.derived: dict[str, object] = {}
        """What is worked out of words and phrases alone, once: shared by sets that differ in their rules."""
        self._has_partial = not all(rule.is_for_all for rule in rules)
        self._has_trials = self._has_partial or not all(phrase.is_for_all for phrase in self.phrases)
        patterned = [rule for rule in rules if rule.pattern and rule.purpose in READ_PURPOSES]
        self.gate = Gate(patterned)
        self._lexical: dict[str, list[Rule]] = {}
        for rule in rules:
            if rule.category and rule.purpose == "extract":
                self._lexical.setdefault(rule.category, []).append(rule)
        self._sized = frozenset(index for index, rule in enumerate(patterned) if _needs_number(rule))
        words = frozenset(w for rule in patterned for literal in rule.literals for w in _WORD.findall(literal))
        self.spelling = self.lexicon.make_spelling(words)
        self._doubts: Doubts | None = settings.get("doubts")
        self._judged = self._doubts.list_judged(self.rules) if self._doubts else frozenset()

    def exchange_rules(self, rules: Sequence[Rule], *, version: int) -> RuleSet:
        """Another set over the same vocabulary: a draft beside the set in force, without reading the words again."""
        other = RuleSet(
            rules=rules, settings=self.settings, version=version, lexicon=self.lexicon, phrases=self.phrases
        )
        other.derived = self.derived
        return other

    def exchange_phrases(self, phrases: Sequence[Phrase]) -> RuleSet:
        """Another set over the same rules and words, with other phrases of replies."""
        return RuleSet(
            rules=self.rules, settings=self.settings, version=self.version, lexicon=self.lexicon, phrases=phrases
        )

    @property
    def has_trials(self) -> bool:
        """Whether it depends on the user which rules or phrases read a message."""
        return self._has_trials

    @property
    def phrase_book(self) -> PhraseBook:
        """The phrases of replies, ready to be found; made when they are first asked for. Raises ValueError."""
        book = self.derived.get("phrase_book")
        if not isinstance(book, PhraseBook):
            book = self.derived["phrase_book"] = PhraseBook(self.phrases)
        return book

    def analyse(self, text: str) -> Message:
        """The message normalised with this set's spellings and looked up in its vocabulary."""
        return analyse(normalise(text, spelling=self.spelling), self.lexicon)

    def detect_language(self, text: str) -> str:
        """The language of any text: ru, en, ar, arabizi, mixed or other. Reads no facts."""
        return detect_language(self.analyse(text))

    def read(
        self,
        text: str,
        *,
        said_at: datetime,
        denied: frozenset[tuple[str, str]] = frozenset(),
        user_id: UUID | None = None,
        bucket: int | None = None,
        message: Message | None = None,
    ) -> ReadResult:
        """The facts that a message states about its writer, and what was refused and why (SPEC I-1 to I-7).

        `said_at` is aware and in the tenant's zone: relative dates count from its day. `denied`: (type, key) pairs that
        a correction in the same message has dealt with; they are not read again. `user_id` decides which side of a
        rollout reads the message; without one what is in force reads it. `bucket` names the side itself, for trials.
        `message`: the text where this set has analysed it already, by nobody read yet.
        Never raises on any text, writes nothing.
        """
        message = message or self.analyse(text)
        has_size = message.has_size
        tried: dict[int, list[Trigger]] | None = None if has_size else {}
        fired = self._list_fired(message, user_id, bucket, is_sized=has_size, tried=tried)
        language = detect_language(message)
        if not fired:
            return ReadResult((), (), language, message.normal.is_capped, self.version)
        message.list_triggered = lambda: (
            (f.start, f.end) for f in (fired if has_size else self._list_fired(message, user_id, bucket, tried=tried))
        )
        findings = Findings()
        self._run_readers(message, fired, findings, said_at.date())
        message.list_triggered = tuple  # it held the message itself
        drafts = [d for d in merge_drafts(findings.drafts) if (d.knowledge_type, d.key) not in denied]
        if drafts and self._doubts is not None:
            drafts = drop_doubtful(
                message, drafts, findings, doubts=self._doubts, judged=self._judged, language=language
            )
        return ReadResult(
            tuple(self._make_reading(message, draft, language) for draft in drafts),
            tuple(_make_rejection(message, refusal) for refusal in findings.refusals),
            language,
            message.normal.is_capped,
            self.version,
        )

    def _list_fired(
        self,
        message: Message,
        user_id: UUID | None,
        bucket: int | None,
        *,
        is_sized: bool = True,
        tried: dict[int, list[Trigger]] | None = None,
    ) -> list[Fired]:
        """The triggers to follow. `is_sized` False leaves out those that say nothing without a number or size."""
        skipped: Set[int] = frozenset() if is_sized else self._sized
        triggers = self.gate.list_triggers(message.normal.text, skipped=skipped, tried=tried)
        fired = [_place(message, trigger) for trigger in triggers]
        for category in self._lexical.keys() & message.marks.keys():
            for rule in self._lexical[category]:
                if is_sized or not _needs_number(rule):
                    fired.extend(_list_lexical(message, rule))
        if self._has_partial:
            fired = [one for one in fired if _is_reached(one.rule, user_id, bucket)]
        fired.sort(key=lambda f: (f.start, -f.end, f.rule.slug))
        return fired[:MAX_FOLLOWED]

    @staticmethod
    def _run_readers(message: Message, fired: list[Fired], findings: Findings, today: date) -> None:
        """Budget goes before bans and sizes, because the words of a limit mean nothing else."""
        by_type: dict[str, list[Fired]] = {}
        for trigger in fired:
            by_type.setdefault(trigger.rule.knowledge_type, []).append(trigger)
        consume_relations(message)
        read_budget(message, by_type.get("budget", []), findings)
        read_measures(message, by_type.get("body_params", []), findings)
        if message.has_size:
            read_sizes(message, by_type.get("body_params", []), findings)
        read_allergies(message, by_type.get("allergy", []), findings)
        read_bans(message, by_type.get("hard_ban", []), findings)
        read_events(message, by_type.get("life_event", []), findings, today=today)
        drop_retracted(message, findings)

    @staticmethod
    def _make_reading(message: Message, draft: Draft, language: str) -> Reading:
        start, end = _raw_span(message, draft.start, draft.end)
        confidence = CONFIDENCE.get(draft.knowledge_type, DEFAULT_CONFIDENCE)
        rule = draft.rule
        return Reading(
            draft.knowledge_type, draft.key, draft.value, draft.expires_on, confidence, start, end, rule.slug,
            rule.version, language,
        )  # fmt: skip


def _make_rejection(message: Message, refusal: Refusal) -> Rejection:
    return Rejection(
        refusal.rule.slug, refusal.reason, *_raw_span(message, refusal.start, refusal.end), signs=refusal.signs
    )


def _is_reached(rule: Rule, user_id: UUID | None, bucket: int | None) -> bool:
    if rule.is_for_all:
        return True
    if bucket is None:
        bucket = NOBODY_SPECIAL if user_id is None else get_bucket(slug=rule.slug, user_id=user_id)
    return rule.is_for(bucket)


def _needs_number(rule: Rule) -> bool:
    """Whether a rule reads nothing, and refuses nothing, in a text without a number or a size."""
    return rule.knowledge_type == "body_params" and "feetword" not in rule.pattern


def _list_lexical(message: Message, rule: Rule) -> Iterable[Fired]:
    for match in message.marks[rule.category][:MAX_FIRED]:
        if match.language == rule.language or rule.language == "mixed":
            first, last = message.tokens[match.start], message.tokens[match.end - 1]
            yield Fired(Trigger(rule, first.start, last.end), match.start, match.end)


def _place(message: Message, trigger: Trigger) -> Fired:
    start = message.token_at(trigger.start)
    end = message.token_at(max(trigger.start, trigger.end - 1)) + 1  # a trigger may end in a space: no token holds it
    return Fired(trigger, start, max(start + 1, min(end, len(message.tokens))))


def _raw_span(message: Message, start: int, end: int) -> tuple[int, int]:
    tokens = message.tokens
    return message.normal.raw_span(tokens[start].start, tokens[min(end, len(tokens)) - 1].end)
