"""The compiled rule set: one message in, its readings out. Pure, deterministic, free to share between threads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

from msgspec.structs import replace

from patterns.kinds.kind import Kind
from patterns.kinds.table import KINDS
from patterns.matching.lexicon import Derived, Entry, Lexicon, share_lexicon
from patterns.matching.phrases import Phrase, PhraseBook, is_phrases, list_phrases
from patterns.matching.triggers import LONG_TEXT, MAX_TRIGGERS, Trigger, TriggerFinder
from patterns.rollout import NOBODY_SPECIAL, get_bucket
from patterns.rule import Rule
from patterns.statements.retraction import drop_retracted
from patterns.steps.doubt_weights import Doubts
from patterns.steps.doubts import drop_doubtful
from patterns.steps.draft import Draft, Findings, Fired, Refusal
from patterns.steps.language import detect_language
from patterns.steps.merge import merge_drafts
from patterns.steps.message import Message, analyse, analyse_all
from patterns.text.normaliser import NormalisedText, cap_text, normalise, normalise_all
from patterns.text.recurring import Recurring
from patterns.types import Reading, ReadResult, Rejection

MAX_FIRED = 12  # of one vocabulary rule: a bound for hostile text
MAX_FOLLOWED = MAX_TRIGGERS
CONTEXT = 200  # characters behind the last trigger of a dense text, beyond which it is not read
CACHED_RESULTS = 5_000
HEAD = 600  # characters of a long text that tell whether it is dense
DENSE = 24  # rules whose literals stand in them: talk has 11
READ_PURPOSES = ("extract", "guard")  # a guard fires and refuses: its counter tells staff what was left out
_WORD = re.compile(r"[^\W_]{2,}")
_NONE: frozenset[int] = frozenset()


class _Side(NamedTuple):
    """Whose words are read, for rules on trial: a user's, or those of one side of the rollout."""

    user_id: UUID | None = None
    bucket: int | None = None


_NOBODY = _Side()


class _Followed(NamedTuple):
    """A message whose triggers are followed, by the type of fact they may state."""

    message: Message
    by_type: dict[str, list[Fired]]
    findings: Findings
    language: str


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
        kinds: Sequence[Kind] = KINDS,
    ) -> None:
        self.version = version
        self.kinds = kinds
        self._confidence = {kind.knowledge_type: kind.confidence for kind in kinds}
        self._valued = frozenset(kind.knowledge_type for kind in kinds if kind.is_valued)
        self.settings = settings
        self.rules = tuple(rules)
        entries = tuple(entries)
        self.phrases = tuple(phrases) or tuple(list_phrases(entries))
        vocabulary = tuple(entry for entry in entries if not is_phrases(entry.category))
        self.lexicon = share_lexicon(vocabulary) if lexicon is None else lexicon
        self.results: Recurring[ReadResult] = Recurring(size=CACHED_RESULTS)
        """What is read of texts that come again, by text and day: for nobody's trials."""
        self.derived = self.lexicon.derived.setdefault(self.phrases, Derived())
        """What is worked out of words and phrases alone, once: shared by sets that differ in their rules."""
        self._nothing: dict[tuple[str, bool], ReadResult] = {}
        self._has_partial = not all(rule.is_for_all for rule in rules)
        self._has_trials = self._has_partial or not all(phrase.is_for_all for phrase in self.phrases)
        patterned = [rule for rule in rules if rule.pattern and rule.purpose in READ_PURPOSES]
        self.finder = TriggerFinder(patterned)
        self._lexical: dict[str, list[Rule]] = {}
        for rule in rules:
            if rule.category and rule.purpose == "extract":
                self._lexical.setdefault(rule.category, []).append(rule)
        self._lexical_names = frozenset(self._lexical)
        self._sized = frozenset(index for index, rule in enumerate(patterned) if _needs_number(rule))
        words = [frozenset(w for literal in rule.literals for w in _WORD.findall(literal)) for rule in patterned]
        self.spelling = self.lexicon.make_spelling(rules=words)
        self._doubts: Doubts | None = settings.get("doubts")
        self._judged = self._doubts.list_judged(self.rules) if self._doubts else frozenset()

    def exchange_rules(self, rules: Sequence[Rule], *, version: int) -> RuleSet:
        """Another set over the same vocabulary: a draft beside the set in force, without reading the words again."""
        return self._exchange(rules=rules, phrases=self.phrases, version=version)

    def exchange_phrases(self, phrases: Sequence[Phrase]) -> RuleSet:
        """Another set over the same rules and words, with other phrases of replies."""
        return self._exchange(rules=self.rules, phrases=phrases, version=self.version)

    def _exchange(self, *, rules: Sequence[Rule], phrases: Sequence[Phrase], version: int) -> RuleSet:
        return RuleSet(
            rules=rules,
            settings=self.settings,
            version=version,
            lexicon=self.lexicon,
            phrases=phrases,
            kinds=self.kinds,
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

    def analyse_said(self, texts: Sequence[str]) -> list[Message]:
        """As `analyse` for each of the texts, of dense ones no more than what `read` looks at.

        Each step goes over all texts before the next: what it needs of memory stays at hand.
        """
        heads = [_find_head(text) if self._is_dense(text) else text for text in texts]
        normals = normalise_all(heads, spelling=self.spelling)
        triggers: dict[int, list[Trigger]] = {}
        for place, normal in enumerate(normals):
            if len(normal.text) > LONG_TEXT or heads[place] is not texts[place]:
                triggers[place], normals[place] = self._cap_dense(texts[place], heads[place], normal)
        messages = analyse_all(normals, self.lexicon)
        for place, found in triggers.items():
            messages[place].triggers = found
        return messages

    def _is_dense(self, text: str) -> bool:
        """Whether so much is likely to be followed in the first part of a long text that it alone needs to be read."""
        if len(text) <= 2 * HEAD:
            return False
        return len(self.finder.list_candidates(text[:HEAD].lower(), enough=DENSE)) >= DENSE

    def _cap_dense(self, text: str, head: str, normal: NormalisedText) -> tuple[list[Trigger], NormalisedText]:
        """The triggers of a long text, and the text without what stands far behind the last that is followed.

        `normal`: of `head`, which is all of the text or its first part. Of a longer part where that ends too soon.
        """
        found = self.finder.list_triggers(normal.text)
        is_full = len(found) == MAX_TRIGGERS
        if is_full and (head is text or found[-1].end + CONTEXT <= len(normal.text)):
            capped = cap_text(normal, found[-1].end + CONTEXT)
            return found, capped if head is text else replace(capped, is_capped=True)
        if head is text:
            return found, normal
        longer = text[: 2 * len(head)] if is_full and 2 * len(head) < len(text) else text
        return self._cap_dense(text, longer, normalise(longer, spelling=self.spelling))

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
        message = message or self.analyse_said([text])[0]
        is_sized = message.has_size
        tried: dict[int, list[Trigger]] = {}
        side = _Side(user_id, bucket)
        triggers = self._list_triggers(message, tried, is_sized=is_sized)
        fired = self._list_fired(message, triggers, side, is_sized=is_sized)
        language = detect_language(message)
        if not fired:
            return self._state_nothing(message, language)
        self._note_triggered(message, fired, side, tried, is_sized=is_sized)
        followed = _sort_fired(message, fired, said_at.date(), language)
        self._run_readers([followed])
        return self._conclude(followed, denied)

    def read_all(self, messages: Sequence[Message], *, said_at: Sequence[datetime]) -> list[ReadResult]:
        """As `read` for each of the messages, for no user's trials: each step goes over all before the next.

        The messages come from `analyse_said`, read by nobody yet, and may be read by others afterwards.
        """
        sized = [message.has_size for message in messages]
        tried: list[dict[int, list[Trigger]]] = [{} for _ in messages]
        triggers = self.finder.list_all_triggers(
            [message.normal.text for message in messages],
            skipped=[_NONE if is_sized else self._sized for is_sized in sized],
            tried=tried,
            known=[message.triggers if is_sized else None for message, is_sized in zip(messages, sized, strict=True)],
        )
        languages = [detect_language(message) for message in messages]
        followed: dict[int, _Followed] = {}
        for place, message in enumerate(messages):
            is_sized = sized[place]
            fired = self._list_fired(message, triggers[place], _NOBODY, is_sized=is_sized)
            if fired:
                own = message.copy()  # readers note things in it
                self._note_triggered(own, fired, _NOBODY, tried[place], is_sized=is_sized)
                followed[place] = _sort_fired(own, fired, said_at[place].date(), languages[place])
        self._run_readers(list(followed.values()))
        return [
            self._conclude(followed[place]) if place in followed else self._state_nothing(message, languages[place])
            for place, message in enumerate(messages)
        ]

    def _state_nothing(self, message: Message, language: str) -> ReadResult:
        """The result of most messages: the same one for all of a language."""
        name = language, message.normal.is_capped
        found = self._nothing.get(name)
        if found is None:
            found = self._nothing[name] = ReadResult((), (), *name, self.version)
        return found

    def _note_triggered(
        self,
        message: Message,
        fired: list[Fired],
        side: _Side,
        tried: dict[int, list[Trigger]],
        *,
        is_sized: bool,
    ) -> None:
        """Let the message tell where triggers stand, also those that are not followed in it."""

        def list_triggered() -> Iterable[tuple[int, int]]:
            found = fired if is_sized else self._list_fired(message, self._list_triggers(message, tried), side)
            return ((one.start, one.end) for one in found)

        message.list_triggered = list_triggered

    def _list_triggers(
        self, message: Message, tried: dict[int, list[Trigger]], *, is_sized: bool = True
    ) -> Sequence[Trigger]:
        """The triggers of a message. `is_sized` False leaves out those that say nothing without a number or size."""
        if is_sized and message.triggers is not None:
            return message.triggers
        return self.finder.list_triggers(message.normal.text, skipped=_NONE if is_sized else self._sized, tried=tried)

    def _conclude(self, followed: _Followed, denied: frozenset[tuple[str, str]] = frozenset()) -> ReadResult:
        """What the readers made of the triggers, when the second opinion has been asked."""
        message, findings, language = followed.message, followed.findings, followed.language
        message.list_triggered = tuple  # it held the message itself
        drafts = [
            d for d in merge_drafts(findings.drafts, valued=self._valued) if (d.knowledge_type, d.key) not in denied
        ]
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
        self, message: Message, triggers: Sequence[Trigger], side: _Side, *, is_sized: bool = True
    ) -> list[Fired]:
        """The triggers to follow, with those that words of the vocabulary are by themselves."""
        named = message.categories
        if not triggers and self._lexical_names.isdisjoint(named):
            return []
        fired = [_place(message, trigger) for trigger in triggers]
        for category, rules in self._lexical.items():
            if category in named:
                for rule in rules:
                    if is_sized or not _needs_number(rule):
                        fired.extend(_list_lexical(message, rule))
        if self._has_partial:
            fired = [one for one in fired if _is_reached(one.rule, side)]
        fired.sort(key=lambda f: (f.start, -f.end, f.rule.slug))
        return fired[:MAX_FOLLOWED]

    def _run_readers(self, followed: Sequence[_Followed]) -> None:
        """Each reader reads all messages before the next one: what it needs of memory stays at hand."""
        for kind in self.kinds:
            if kind.prepare is not None:
                for one in followed:
                    kind.prepare(one.message)
        for kind in self.kinds:
            for read in kind.readers:
                for one in followed:
                    read(one.message, one.by_type.get(kind.knowledge_type, []), one.findings)
        for one in followed:
            drop_retracted(one.message, one.findings)

    def _make_reading(self, message: Message, draft: Draft, language: str) -> Reading:
        start, end = _raw_span(message, draft.start, draft.end)
        rule = draft.rule
        return Reading(
            draft.knowledge_type, draft.key, draft.value, draft.expires_on, self._confidence[draft.knowledge_type],
            start, end, rule.slug, rule.version, language,
        )  # fmt: skip


def _make_rejection(message: Message, refusal: Refusal) -> Rejection:
    return Rejection(
        refusal.rule.slug,
        refusal.reason,
        *_raw_span(message, refusal.start, refusal.end),
        signs=refusal.signs,
        rule_version=refusal.rule.version,
    )


def _is_reached(rule: Rule, side: _Side) -> bool:
    if rule.is_for_all:
        return True
    if side.bucket is not None:
        return rule.is_for(side.bucket)
    return rule.is_for(NOBODY_SPECIAL if side.user_id is None else get_bucket(slug=rule.slug, user_id=side.user_id))


def _sort_fired(message: Message, fired: Iterable[Fired], today: date, language: str) -> _Followed:
    by_type: dict[str, list[Fired]] = {}
    for trigger in fired:
        by_type.setdefault(trigger.rule.knowledge_type, []).append(trigger)
    return _Followed(message, by_type, Findings(today), language)


def _find_head(text: str) -> str:
    return text[: text.rfind(" ", 0, HEAD) + 1 or HEAD]


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
