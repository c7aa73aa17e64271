"""One turn of a conversation: the message is stored, understood and answered, and the reply is stored.

Every step goes through the API itself (`config.api.inside`), so that a product which talks through here and one that
makes its own calls have the same memory (D-58).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.http import HttpRequest

from config.api.inside import Inside, call_inside
from config.chat.skills import Execution, SkillCall, find_skill, list_skills, run_skill
from config.chat.understanding import Understanding, read_data, understand
from memory.errors import CodedError
from memory.extraction.model.openai_client import ModelFailed
from memory.selectors.messages import find_message_by_client_id, has_forgotten
from memory.selectors.users import find_conversation_id, get_user
from memory.services.answered_requests import AnswerForgotten
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Caller, Scope
from memory.types import RecordedMessage
from retrieval.knowledge.answers.modelling import find_model

REPLY_PREFIX: Final = "reply:"
INNER_SCOPES: Final = frozenset({Scope.READ, Scope.WRITE})
FALLBACK_LANGUAGE: Final = "en"


class ModelUnavailable(CodedError):
    """The model gave no reply. The message is stored: the same request again goes on from there."""

    code = "model_unavailable"
    status = 503
    default_message = "The model gave no reply. The message is stored; send the same request again."
    retry_after_seconds = 5


class ModelNotConfigured(CodedError):
    """The installation has no model to talk with."""

    code = "model_not_configured"
    status = 409
    default_message = "Chat needs a model: set UNDE_LLM_URL and UNDE_LLM_MODEL. The message is stored."


class StepRefused(CodedError):
    """A step of the turn was refused: its own code and fields, as its endpoint would answer them."""

    def __init__(self, answer: Inside) -> None:
        body = answer.body or {}
        self.code, self.status = body.get("code", self.code), answer.status
        retry_after = int(answer.retry_after) if answer.retry_after and answer.retry_after.isdecimal() else None
        super().__init__(body.get("message"), fields=body.get("fields"), retry_after_seconds=retry_after)


@dataclass(frozen=True, slots=True)
class Turn:
    """What is asked."""

    user_id: str
    conversation_id: str
    message: str
    client_id: str
    corpora: Sequence[str] = ()
    skills: Sequence[str] | None = None
    persona: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of it."""

    text: str
    message: Mapping[str, Any]
    reply_id: str
    receipt_id: str | None
    understanding: Understanding
    execution: Execution | None = None
    degraded_reasons: Sequence[str] = field(default_factory=tuple)


def take_turn(request: HttpRequest, caller: Caller, turn: Turn) -> Reply:
    """Store the message, answer it, store the reply. A turn that was taken before gives its reply again. Writes.

    Raises what the steps refuse, ModelNotConfigured, and ModelUnavailable; from the two the message stays stored.
    """
    inner = replace(caller, scopes=caller.scopes | INNER_SCOPES)

    def call(method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        answer = call_inside(request, inner, method, path, body=body, query=query)
        if not answer.is_good:
            raise StepRefused(answer)
        return answer.body

    same = {"user_id": turn.user_id, "conversation_id": turn.conversation_id}
    message = call("POST", "/v1/messages", {**same, "role": "user", "content": turn.message, "id": turn.client_id})
    understanding = understand(turn.message, facts=message["facts"])
    stored = _find_reply(caller, turn)
    if stored is not None:
        receipt_id = str(stored.receipt_id) if stored.receipt_id else None
        return Reply(stored.content, message, str(stored.id), receipt_id, understanding)
    asked: dict[str, Any] = {**same, "query": turn.message, "intent": understanding.depth}
    pack = call("POST", "/v1/context", asked | ({"corpora": list(turn.corpora)} if turn.corpora else {}))
    text, execution = _answer(turn, understanding, pack, language=message["language"])
    reply = call(
        "POST",
        "/v1/messages",
        {
            **same,
            "role": "assistant",
            "content": text,
            "id": name_reply(turn.client_id),
            "reply_to_id": message["id"],
            "receipt_id": pack["receipt_id"],
        },
    )
    reasons = tuple(pack["degraded_reasons"])
    return Reply(text, message, reply["id"], pack["receipt_id"], understanding, execution, reasons)


def name_reply(client_id: str) -> str:
    """The client id of the reply to a message: the same turn again finds it."""
    return f"{REPLY_PREFIX}{client_id}"


def _find_reply(caller: Caller, turn: Turn) -> RecordedMessage | None:
    """The stored reply of a turn that was taken before. Raises AnswerForgotten."""
    with tenant_scope(caller.tenant_id):
        user = get_user(tenant_id=caller.tenant_id, external_id=turn.user_id)
        conversation_id = find_conversation_id(user=user, external_id=turn.conversation_id)
        assert conversation_id is not None  # the message of the turn was just stored there
        found = find_message_by_client_id(
            user=user, conversation_id=conversation_id, client_id=name_reply(turn.client_id)
        )
        if found is not None and has_forgotten(user=user, message_ids=[found.id]):
            raise AnswerForgotten
    return found


def _answer(
    turn: Turn, understanding: Understanding, pack: Mapping[str, Any], *, language: str
) -> tuple[str, Execution | None]:
    """By a skill where an action is wanted and one fits, else by the model; a friendly refusal where none does."""
    execution = None
    if understanding.action_required:
        skill = find_skill(understanding, allowed=turn.skills, skills=list_skills())
        if skill is None:
            return _refuse(language), None
        call = SkillCall(turn.user_id, turn.conversation_id, turn.message, understanding, pack)
        reply, execution = run_skill(skill, call)
        return (reply or _refuse(language)), execution
    return _ask_model(turn, understanding, pack), execution


def _refuse(language: str) -> str:
    replies: Mapping[str, str] = read_data("replies")["no_skill"]
    return replies.get(language, replies[FALLBACK_LANGUAGE])


def _ask_model(turn: Turn, understanding: Understanding, pack: Mapping[str, Any]) -> str:
    model, _ = find_model("")
    if model is None:
        raise ModelNotConfigured
    try:
        said = model.chat(make_prompt(pack, persona=turn.persona, phase=understanding.phase)).text
    except ModelFailed as failure:
        raise ModelUnavailable(fields={"model": failure.code}) from None
    if not said.strip():
        raise ModelUnavailable(fields={"model": "empty_answer"})
    return said.strip()


def make_prompt(pack: Mapping[str, Any], *, persona: str, phase: str) -> list[dict[str, str]]:
    """The rendered pack, after who the assistant is and before what this phase of the conversation asks for."""
    messages = [dict(each) for each in pack["rendered"]["messages"]]
    guide = read_data("guides").get(phase, "")
    before = [{"role": "system", "content": persona}] if persona else []
    after = [{"role": "system", "content": guide}] if guide else []
    return [*before, *messages[:1], *after, *messages[1:]]
