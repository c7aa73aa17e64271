"""One turn of a conversation: the message is stored, understood and answered, and the reply is stored.

Every step goes through the API itself (`config.api.inside`), so that a product which talks through here and one that
makes its own calls have the same memory (D-58). `begin_turn` goes as far as the pack; `Course.speak` makes the reply
and stores it, whoever is still listening.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final
from uuid import UUID

import structlog
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from config.api.inside import Inside, call_inside
from config.chat.asking import ask_model, is_unsure
from config.chat.ledger import Claim, Ending, claim_turn, end_turn, find_turn
from config.chat.skills import Execution, Skill, SkillCall, find_skill, list_abilities, list_skills, run_skill
from config.chat.speaking import Messages, ModelNotConfigured, find_words, make_prompt, say
from config.chat.understanding import Understanding, read_data, understand
from memory.errors import CodedError
from memory.selectors.messages import find_message_by_client_id, has_forgotten
from memory.selectors.users import find_conversation_id, get_user
from memory.services.answered_requests import AnswerForgotten
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Caller, Scope
from memory.types import RecordedMessage, UserRef
from retrieval.knowledge.answers.modelling import find_model

REPLY_PREFIX: Final = "reply:"
INNER_SCOPES: Final = frozenset({Scope.READ, Scope.WRITE})

log = structlog.get_logger(__name__)


class TurnRunning(CodedError):
    """Another request is answering this very message."""

    code = "turn_running"
    status = 503
    default_message = "This message is being answered by another request. Send the same request again for its reply."
    retry_after_seconds = 2


class StepRefused(CodedError):
    """A step of the turn was refused: its own code and fields, as its endpoint would answer them."""

    def __init__(self, answer: Inside) -> None:
        body = answer.body or {}
        self.code, self.status = body.get("code", self.code), answer.status
        retry_after = int(answer.retry_after) if answer.retry_after and answer.retry_after.isdecimal() else None
        super().__init__(body.get("message"), fields=body.get("fields"), retry_after_seconds=retry_after)


@dataclass(frozen=True, slots=True)
class Turn:
    """What is asked, and what the tenant has set for it."""

    user_id: str
    conversation_id: str
    message: str
    client_id: str
    corpora: Sequence[str] = ()
    skills: Sequence[str] | None = None
    project_id: str | None = None
    character: str = ""
    """Who the assistant is and how it speaks."""
    permitted: Sequence[str] | None = None
    """Skills that the tenant lets run; None: all."""
    asks_model: bool = False
    """Whether a model says what the message wants where the rules are not sure."""
    is_streamed: bool = False


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
    snapshot_id: str | None = None


@dataclass(slots=True)
class Course:
    """A turn under way: its pack is there. `reply` is set once the reply is stored."""

    request: HttpRequest
    caller: Caller
    turn: Turn
    message: Mapping[str, Any]
    understanding: Understanding
    claim: Claim | None = None
    pack: Mapping[str, Any] = field(default_factory=dict)
    project: Mapping[str, Any] = field(default_factory=dict)
    skill: Skill | None = None
    execution: Execution | None = None
    reply: Reply | None = None

    @property
    def receipt_id(self) -> str | None:
        """The pack that the reply is made from."""
        return self.reply.receipt_id if self.reply else self.pack["receipt_id"]

    def speak(self) -> Iterator[str]:
        """The words of the reply as they come; at the end it is stored. Writes.

        Raises ModelNotConfigured, ModelUnavailable and what storing refuses. The message stays stored, and the same
        turn may be taken again.
        """
        said: list[str] = []
        try:
            for piece in self._find_words():
                said.append(piece)
                yield piece
            self.reply = self._store("".join(said))
        except CodedError as error:
            self.end(Ending(failure=error.code))
            raise
        self.end(self._make_ending(self.reply))

    def _find_words(self) -> Iterator[str]:
        """By a skill where something is to be done and one fits, else by the model; a friendly refusal for none."""
        if self.understanding.action_required:
            return iter([self._act() or find_words(read_data("replies")["no_skill"], self.message["language"])])
        return self._ask()

    def _act(self) -> str | None:
        if self.skill is None:
            return None
        turn = self.turn
        call = SkillCall(
            turn.user_id, turn.conversation_id, turn.message, self.understanding, self.pack, self.message["language"],
            self.message["id"],
        )  # fmt: skip
        reply, self.execution = run_skill(self.skill, call, permitted=turn.permitted)
        return reply

    def _ask(self) -> Iterator[str]:
        model, _ = find_model("")
        if model is None:
            raise ModelNotConfigured
        project: Messages = self.project["rendered"]["messages"] if self.project else ()
        messages = make_prompt(
            self.pack,
            character=self.turn.character,
            phase=self.understanding.phase,
            language=self.message["language"],
            project=project,
        )
        yield from say(model, messages, is_streamed=self.turn.is_streamed)

    def _store(self, text: str) -> Reply:
        body = {
            "user_id": self.turn.user_id,
            "conversation_id": self.turn.conversation_id,
            "role": "assistant",
            "content": text,
            "id": name_reply(self.turn.client_id),
            "reply_to_id": self.message["id"],
            "receipt_id": self.pack["receipt_id"],
        }
        stored = call_step(self.request, self.caller, "/v1/messages", body)
        return Reply(
            text,
            self.message,
            stored["id"],
            self.pack["receipt_id"],
            self.understanding,
            self.execution,
            tuple(self.pack["degraded_reasons"]),
            self.project.get("snapshot_id"),
        )

    def _make_ending(self, reply: Reply) -> Ending:
        ran = self.execution
        details = {
            "intent": asdict(reply.understanding),
            "skill_receipt": dict(ran.receipt) if ran else {},
            "degraded_reasons": list(reply.degraded_reasons),
            "snapshot_id": reply.snapshot_id,
        }
        return Ending(
            reply_id=UUID(reply.reply_id),
            receipt_id=UUID(reply.receipt_id) if reply.receipt_id else None,
            skill=ran.name if ran else "",
            skill_status=ran.status if ran else "",
            skill_code=ran.code if ran else "",
            skill_ms=ran.duration_ms if ran else 0,
            details=details,
        )

    def end(self, ending: Ending) -> None:
        """Note the end. Where that is refused the claim runs out; a stored reply is found all the same."""
        claim, self.claim = self.claim, None
        if claim is None:
            return
        try:
            end_turn(claim, ending, now=timezone.now())
        except CodedError as error:
            log.warning("turn_not_ended", message_id=str(claim.message_id), code=error.code)


def begin_turn(request: HttpRequest, caller: Caller, turn: Turn) -> Course:
    """Store the message, understand it, and build its pack; a turn that was taken before has its reply. Writes.

    Waits for another request that answers the same message. Raises what the steps refuse, TurnRunning,
    AnswerForgotten; whatever it is, the message stays stored where storing it was not what was refused.
    """
    inner = replace(caller, scopes=caller.scopes | INNER_SCOPES)
    same = {"user_id": turn.user_id, "conversation_id": turn.conversation_id}
    asked = {**same, "role": "user", "content": turn.message, "id": turn.client_id}
    message = call_step(request, inner, "/v1/messages", asked)
    skills = [skill for skill in list_skills() if turn.skills is None or skill.name in turn.skills]
    understanding = understand(turn.message, facts=message["facts"], abilities=list_abilities(skills))
    course = Course(request, inner, turn, message, understanding)
    course.claim, course.reply = _claim(course)
    if course.reply is None:
        try:
            _prepare(course, skills)
        except CodedError as error:
            course.end(Ending(failure=error.code))
            raise
    return course


def call_step(request: HttpRequest, caller: Caller, path: str, body: Mapping[str, Any]) -> Any:
    """The answer of one step. Raises StepRefused."""
    answer = call_inside(request, caller, "POST", path, body=body)
    if not answer.is_good:
        raise StepRefused(answer)
    return answer.body


def name_reply(client_id: str) -> str:
    """The client id of the reply to a message: the same turn again finds it."""
    return f"{REPLY_PREFIX}{client_id}"


def _prepare(course: Course, skills: Sequence[Skill]) -> None:
    """What the message wants, the pack for it, and the skill or the project that it needs."""
    turn = course.turn
    if turn.asks_model and is_unsure(course.understanding):
        model, _ = find_model("", seconds=settings.UNDE_TUNING.CHAT_UNDERSTANDING_SECONDS)
        capabilities = sorted({each for skill in skills for each in skill.capabilities})
        if model is not None:
            course.understanding = ask_model(
                turn.message, rules=course.understanding, capabilities=capabilities, model=model
            )
    same = {"user_id": turn.user_id, "query": turn.message}
    asked: dict[str, Any] = {**same, "conversation_id": turn.conversation_id, "intent": course.understanding.depth}
    if turn.corpora:
        asked["corpora"] = list(turn.corpora)
    course.pack = call_step(course.request, course.caller, "/v1/context", asked)
    if turn.project_id:
        path = f"/v1/projects/{turn.project_id}/context"
        course.project = call_step(course.request, course.caller, path, same)
    if course.understanding.action_required:
        course.skill = find_skill(course.understanding, skills=skills)


def _claim(course: Course) -> tuple[Claim | None, Reply | None]:
    """The right to answer, or the reply that is there. Waits for whoever answers already. Raises TurnRunning."""
    turn, message_id = course.turn, UUID(course.message["id"])
    with tenant_scope(course.caller.tenant_id):
        user = get_user(tenant_id=course.caller.tenant_id, external_id=turn.user_id)
    until = time.monotonic() + settings.UNDE_TUNING.CHAT_WAIT_SECONDS
    while True:
        reply = _find_reply(course, user)
        if reply is not None:
            return None, reply
        claim = claim_turn(user=user, message_id=message_id, now=timezone.now())
        if claim is not None:
            # The holder of the claim may have stored the reply since we looked.
            reply = _find_reply(course, user)
            if reply is None:
                return claim, None
            end_turn(claim, Ending(reply_id=UUID(reply.reply_id)), now=timezone.now())
            return None, reply
        if time.monotonic() > until:
            raise TurnRunning
        time.sleep(settings.UNDE_TUNING.CHAT_POLL_SECONDS)


def _find_reply(course: Course, user: UserRef) -> Reply | None:
    """The stored reply of a turn that was taken before, with what is known of how it came. Raises AnswerForgotten."""
    with tenant_scope(user.tenant_id):
        stored = _find_stored(course.turn, user)
        if stored is None:
            return None
        if has_forgotten(user=user, message_ids=[stored.id]):
            raise AnswerForgotten
        known = find_turn(user=user, message_id=UUID(course.message["id"]))
    details: Mapping[str, Any] = known[1] if known else {}
    intent, execution = details.get("intent"), None
    if known and known[0].skill:
        row = known[0]
        execution = Execution(
            row.skill, row.skill_status, row.skill_ms, row.skill_code, details.get("skill_receipt") or {}
        )
    return Reply(
        stored.content,
        course.message,
        str(stored.id),
        str(stored.receipt_id) if stored.receipt_id else None,
        Understanding(**intent) if intent else course.understanding,
        execution,
        tuple(details.get("degraded_reasons", ())),
        details.get("snapshot_id"),
    )


def _find_stored(turn: Turn, user: UserRef) -> RecordedMessage | None:
    conversation_id = find_conversation_id(user=user, external_id=turn.conversation_id)
    assert conversation_id is not None  # the message of the turn was just stored there
    return find_message_by_client_id(user=user, conversation_id=conversation_id, client_id=name_reply(turn.client_id))
