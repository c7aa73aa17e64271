"""Asking a corpus in words: find, draft, let a model say it, check it, keep turn and receipt (SPEC N-5, N-6).

`find_answer` and `keep_answer` run inside a tenant scope; `word_answer` talks to the model and runs outside of any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from memory.extraction.model.openai_client import ModelFailed
from memory.extraction.types import Completion
from memory.fence.consents import list_withheld
from retrieval.knowledge.answers.checking import find_fault, mark_lines
from retrieval.knowledge.answers.drafting import draft_answer
from retrieval.knowledge.answers.prompting import build_messages
from retrieval.knowledge.answers.receipts import draft_receipt
from retrieval.knowledge.answers.turns import Memory, recall_turns, remember_turn
from retrieval.knowledge.answers.types import AskQuery, Draft, Outcome
from retrieval.knowledge.entities.resolving import resolve_texts
from retrieval.knowledge.metrics import count_answer
from retrieval.knowledge.models import AnswerReceipt, Corpus
from retrieval.knowledge.planning.deciding import Switches
from retrieval.knowledge.planning.followups import Topic, find_topic
from retrieval.knowledge.planning.plans import CorpusPlan, get_plan
from retrieval.knowledge.search.searching import ask_corpus, read_and_decide
from retrieval.knowledge.search.types import CorpusQuery

FAILED: Final = "model_failed"


class ChatModel(Protocol):
    """What words an answer."""

    def chat(self, messages: list[dict[str, str]]) -> Completion: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what was found for it and what is remembered of the conversation."""

    corpus: Corpus
    query: AskQuery
    draft: Draft
    memory: Memory


def find_answer(corpus: Corpus, query: AskQuery, *, switches: Switches, now: datetime) -> Asked:
    """What the corpus has and the template's words for it. Reads only; inside a tenant scope."""
    plan = get_plan(corpus)
    memory = recall_memory(corpus, query, switches=switches, plan=plan, now=now)
    found = ask_corpus(
        corpus,
        CorpusQuery(text=query.text, history=memory.questions, topic=memory.topic, as_of=query.as_of),
        switches=switches,
        now=now,
        plan=plan,
    )
    if not found.follow_up.is_follow_up:
        memory = replace(memory, questions=())  # nothing of an old topic in a new answer
    return Asked(corpus, query, draft_answer(found, settings=corpus.settings, style=query.style), memory)


def recall_memory(corpus: Corpus, query: AskQuery, *, switches: Switches, plan: CorpusPlan, now: datetime) -> Memory:
    """The conversation so far: what was kept of the user, or for callers without a user what they sent."""
    if not switches.conversation_memory:
        return Memory()
    if query.user is not None:
        return recall_turns(corpus=corpus, user=query.user, conversation=query.conversation, now=now)
    topic: Topic | None = None
    for text in query.history:
        asked = CorpusQuery(text=text, topic=topic)
        reading, follow_up, decision = read_and_decide(corpus, asked, switches=switches, plan=plan)
        topic = find_topic(decision, reading, follow_up)
    return Memory(topic, query.history)


def word_answer(asked: Asked, *, model: ChatModel | None, model_name: str = "") -> Outcome:
    """The answer in the words of a model where there is one and something to say; the template's otherwise.

    A model's answer still has to pass `check_answer`. Touches no database.
    """
    draft = asked.draft
    if model is None or not draft.is_found:
        return Outcome(draft, draft.text)
    try:
        completion = model.chat(build_messages(asked.query, draft, asked.memory, settings=asked.corpus.settings))
    except ModelFailed as failure:
        return Outcome(draft, draft.text, degraded_reasons=(FAILED, failure.code))
    return Outcome(draft, mark_lines(completion.text), "model", model=model_name)


def check_answer(asked: Asked, outcome: Outcome) -> Outcome:
    """A model's answer that leaves an item out or adds something gives way to the template. Inside a tenant scope."""
    if outcome.outcome != "model":
        return outcome
    draft, found = outcome.draft, outcome.draft.found
    items = [item.text for item in found.result.items] if found.result else []
    told = items if found.result else [found.hits[0].text]
    given = "\n".join([asked.query.text, draft.text, *told])
    answered, allowed = resolve_texts(corpus_id=asked.corpus.id, texts=[outcome.text, given], is_query=False)
    fault = find_fault(
        outcome.text,
        items=items,
        allowed_text=given,
        names={str(hit.entity_id) for hit in answered if hit.is_strict},
        allowed_names={str(hit.entity_id) for hit in (*allowed, *found.decision.starts, *found.decision.entities)}
        | {str(item.entity_id) for item in (found.result.items if found.result else ())},
    )
    return replace(outcome, text=draft.text, outcome="repaired", fault=fault) if fault else outcome


def keep_answer(asked: Asked, outcome: Outcome, *, switches: Switches, now: datetime) -> Outcome:
    """Store the receipt, and the question where a user asked it. Writes; inside a tenant scope."""
    query, found = asked.query, outcome.draft.found
    count_answer(outcome.outcome, outcome.fault)
    receipt = draft_receipt(asked.corpus, query.user, outcome, now=now)
    AnswerReceipt.objects.bulk_create([receipt])
    # A question is kept as a message is (D-47): only of a user who agreed.
    if query.user is not None and switches.conversation_memory and "messages" not in list_withheld(user=query.user):
        remember_turn(
            corpus=asked.corpus,
            user=query.user,
            conversation=query.conversation,
            question=query.text,
            topic=find_topic(found.decision, found.reading, found.follow_up),
            now=now,
        )
    return replace(outcome, receipt_id=receipt.id)
