"""Every action of the conversation file as calls of the API, and what is wrong with the answer, if anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from time import sleep
from typing import Any

from demo.client import Service
from demo.script import DUBAI, MINUTE, Step
from demo.wording import compare, exclude, require, word_change, word_correction, word_fact, word_version

ERASURE_SECONDS = 30  # a worker needs less than one; it may have others to do
DAYS_OLD = 1  # of a message that comes from an old import
SHOWN_DECISIONS = 6  # of a receipt: the chosen, and enough of the others to see why they are not


class EarlierStepFailed(Exception):
    """A step needs the answer of another that has none; the message is that one's name."""


@dataclass
class Outcome:
    """What a step did (lines to show, the answer itself) and where it is not what the file says."""

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    answer: Any = None


@dataclass
class Replay:
    """One run: people get ids of this run alone, so that a second run starts from nothing."""

    service: Service
    suffix: str
    now: datetime
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    """By our id: the name of a message in the file, or its beginning where it has none."""

    def get_user_id(self, person: str) -> str:
        """The id under which the service knows a person of the file."""
        return f"{person}-demo-{self.suffix}"

    def run(self, step: Step) -> Outcome:
        """Carry out one step. Raises ServiceUnreachable; whatever else goes wrong is a problem of the outcome."""
        try:
            outcome = _ACTIONS[step.action](self, step)
        except EarlierStepFailed as failure:
            outcome = Outcome(problems=[f"cannot be tried: {failure} has no answer"])
        if step.name:
            self.answers[step.name] = outcome.answer
        return outcome

    def get_answer(self, name: str) -> Any:
        """What the step of that name was answered. Raises EarlierStepFailed."""
        if not self.answers.get(name):
            raise EarlierStepFailed(name)
        return self.answers[name]

    def get_message(self, name: str) -> dict[str, Any]:
        """The message of that name: our id, the body as posted, the answer. Raises EarlierStepFailed."""
        if name not in self.messages:
            raise EarlierStepFailed(name)
        return self.messages[name]

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[Any, list[str]]:
        """One request that must succeed: the answer, or the error as a problem."""
        status, answer = self.service.call(method, path, body)
        if status < 300:
            return answer, []
        return None, [f"{method} {path} answers {status}: {answer.get('code')} {answer.get('fields') or ''}".rstrip()]

    def name_facts(self, ids: list[str]) -> list[str]:
        """Facts by id in words, as far as this run has seen them."""
        return [self.facts.get(fact_id, fact_id) for fact_id in ids]

    def name_messages(self, ids: list[str]) -> list[str]:
        """Messages by our id, under the names that the file gives them or by their first words."""
        return [self.words.get(message_id, message_id) for message_id in ids]

    def note_message(self, body: dict[str, Any], answer: dict[str, Any]) -> None:
        """Remember what was posted and answered."""
        self.words[answer["id"]] = body.get("id") or f'"{body["content"][:40]}"'
        if "id" in body:
            self.messages[body["id"]] = {"id": answer["id"], "body": body, "answer": answer}
        self.note_facts(answer["facts"])

    def note_facts(self, facts: list[dict[str, Any]]) -> None:
        """Remember what the ids of these facts stand for."""
        self.facts |= {fact["id"]: f"{fact['knowledge_type']} {fact['knowledge_key']}" for fact in facts}


# --- messages ---------------------------------------------------------------------------------------------------------


def _say(replay: Replay, step: Step) -> Outcome:
    """Post one message and compare what it taught and corrected."""
    body = _make_body(replay, step, content=step.content, said_at=step.said_at)
    answer, problems = replay.call("POST", "/v1/messages", body)
    if answer is None:
        return Outcome(problems=problems)
    replay.note_message(body, answer)
    return _judge_message(step, answer)


def _make_body(replay: Replay, step: Step, *, content: Any, said_at: datetime) -> dict[str, Any]:
    body = {
        "user_id": replay.get_user_id(step.person),
        "conversation_id": step.conversation,
        "role": "assistant" if step.action == "hear" else "user",
        "content": content,
        "created_at": said_at.isoformat(),
    }
    if step.name:
        body["id"] = step.name
    if step.receipt:
        body["receipt_id"] = replay.get_answer(step.receipt)["receipt_id"]
    return body


def _judge_message(step: Step, answer: dict[str, Any]) -> Outcome:
    changes = [word_change(change, counted_from=step.said_at) for change in answer["facts"]]
    corrections = [word_correction(correction) for correction in answer["corrections"]]
    problems = compare("facts", expected=step.expect.get("facts", []), found=changes)
    problems += compare("corrections", expected=step.expect.get("corrections", []), found=corrections)
    return Outcome([*changes, *(f"correction {line}" for line in corrections)], problems, answer)


def _repeat(replay: Replay, step: Step) -> Outcome:
    """Send a message again, byte for byte: the first answer must come back."""
    first = replay.get_message(step.content)
    status, answer = replay.service.call("POST", "/v1/messages", first["body"])
    problems = [] if status == 200 else [f"status {status} instead of 200"]
    if answer != first["answer"]:
        problems.append("the second answer is not the first")
    return Outcome([f"status {status}, the same id and the same facts"], problems, answer)


def _import(replay: Replay, step: Step) -> Outcome:
    """Post older messages as one batch."""
    bodies: list[dict[str, Any]] = []
    times: list[datetime] = []
    for item in step.content:
        said_at = step.said_at - timedelta(days=item["days_ago"]) + len(times) * MINUTE
        body = _make_body(replay, step, content=item["content"], said_at=said_at) | {"role": item["role"]}
        bodies.append(body | ({"id": item["name"]} if "name" in item else {}))
        times.append(said_at)
    answer, problems = replay.call("POST", "/v1/messages/batch", {"messages": bodies})
    if answer is None:
        return Outcome(problems=problems)
    changes = []
    for body, said_at, result in zip(bodies, times, answer["results"], strict=True):
        if "error" in result:
            problems.append(f"refused: {result['error']['code']}")
            continue
        replay.note_message(body, result)
        changes += [word_change(change, counted_from=said_at) for change in result["facts"]]
    problems += compare("facts", expected=step.expect.get("facts", []), found=changes)
    return Outcome([f"{len(bodies)} messages of another year", *changes], problems, answer)


# --- facts ------------------------------------------------------------------------------------------------------------


def _put(replay: Replay, step: Step) -> Outcome:
    """Write facts from a form."""
    path = f"/v1/users/{replay.get_user_id(step.person)}/facts"
    answer, problems = replay.call("PUT", path, {"facts": step.content})
    if answer is None:
        return Outcome(problems=problems)
    replay.note_facts(answer["facts"])
    changes = [word_change(change, counted_from=replay.now) for change in answer["facts"]]
    return Outcome(changes, compare("facts", expected=step.expect.get("facts", []), found=changes), answer)


def _refused(replay: Replay, step: Step) -> Outcome:
    """Write what must not become a fact: the error's code is what is expected."""
    path = f"/v1/users/{replay.get_user_id(step.person)}/facts"
    status, answer = replay.service.call("PUT", path, {"facts": step.content})
    code = answer.get("code", "no error")
    problems = [] if code == step.expect["code"] else [f"code {code} instead of {step.expect['code']}"]
    return Outcome([f"{status} {code}: {answer.get('message', '')}"], problems, answer)


def _list_facts(replay: Replay, step: Step) -> Outcome:
    """What is known now."""
    return _read_facts(replay, step, query="limit=100")


def _list_facts_as_of(replay: Replay, step: Step) -> Outcome:
    """What was known at a moment of the past."""
    day = replay.now.astimezone(DUBAI).date() - timedelta(days=step.content["days_ago"])
    moment = datetime.combine(day, time.fromisoformat(step.content["at"]), tzinfo=DUBAI)
    return _read_facts(replay, step, query=f"as_of={moment.isoformat().replace('+', '%2B')}")


def _read_facts(replay: Replay, step: Step, *, query: str) -> Outcome:
    answer, problems = replay.call("GET", f"/v1/users/{replay.get_user_id(step.person)}/facts?{query}")
    if answer is None:
        return Outcome(problems=problems)
    replay.note_facts(answer["results"])
    lines = [word_fact(fact, counted_from=replay.now) for fact in answer["results"]]
    return Outcome(lines, compare("facts", expected=step.expect["facts"], found=lines), answer)


def _read_timeline(replay: Replay, step: Step) -> Outcome:
    """Every version of one key, oldest first."""
    fact_id = next((fact_id for fact_id, words in replay.facts.items() if words == step.content), "")
    answer, problems = replay.call("GET", f"/v1/facts/{fact_id}/timeline")
    if answer is None:
        return Outcome(problems=problems)
    lines = [word_version(version["fact"]) for version in answer["results"]]
    wanted = step.expect["versions"]
    problems = [] if lines == wanted else [f"versions: {lines} instead of {wanted}"]
    shown = [f"{line}, from: {_quote(version)}" for line, version in zip(lines, answer["results"], strict=True)]
    return Outcome(shown, problems, answer)


def _quote(version: dict[str, Any]) -> str:
    return "; ".join(evidence["excerpt"] for evidence in version["evidence"]) or "no message"


# --- search and the pack ----------------------------------------------------------------------------------------------


def _search(replay: Replay, step: Step) -> Outcome:
    """Find messages of this person."""
    body = {"user_id": replay.get_user_id(step.person), "query": step.content, "top_k": step.expect.get("top_k", 3)}
    answer, problems = replay.call("POST", "/v1/search", body)
    if answer is None:
        return Outcome(problems=problems)
    found = [card["client_id"] or "" for card in answer["results"]]
    lines = [f"{card['score']:.3f}  {card['raw_excerpt']}" for card in answer["results"]] or ["nothing"]
    return Outcome(lines, _judge_found(step, found), answer)


def _judge_found(step: Step, found: list[str]) -> list[str]:
    problems = require("found", wanted=step.expect.get("found", []), found=found)
    problems += exclude("found", unwanted=step.expect.get("absent", []), found=found)
    first = step.expect.get("first")
    return problems if first is None or found[:1] == [first] else [*problems, f"first is {found[:1]}, not {first!r}"]


def _read_context(replay: Replay, step: Step) -> Outcome:
    """The context pack for one reply."""
    body = {"user_id": replay.get_user_id(step.person), "conversation_id": step.conversation, "query": step.content}
    answer, problems = replay.call("POST", "/v1/context", body)
    if answer is None:
        return Outcome(problems=problems)
    facts = [word_fact(fact, counted_from=replay.now) for fact in answer["facts"]]
    expect = step.expect
    problems += compare("facts", expected=expect["facts"], found=facts)
    problems += _judge_found(step, [card["client_id"] or "" for card in answer["episode_cards"]])
    problems += compare("directives", expected=expect["directives"], found=_name_directives(answer))
    problems += _judge_rendering(expect, answer)
    return Outcome([], problems, answer | {"facts_in_words": facts})


def _name_directives(pack: dict[str, Any]) -> list[str]:
    return [directive["name"] for directive in pack["directives"]]


def _judge_rendering(expect: dict[str, Any], pack: dict[str, Any]) -> list[str]:
    text = "\n".join(message["content"] for message in pack["rendered"]["messages"])
    problems = [f"rendered: lacks {words!r}" for words in expect.get("rendered", []) if words not in text]
    problems += [f"rendered: holds {words!r}" for words in expect.get("not_rendered", []) if words in text]
    over = [slot for slot, use in pack["budget"].items() if isinstance(use, dict) and use["used"] > use["allotted"]]
    return problems + [f"budget: {slot} is over what it was given" for slot in over]


def _read_receipt(replay: Replay, step: Step) -> Outcome:
    """Why a pack held what it held: every message that was considered, with what was decided about it."""
    answer, problems = replay.call("GET", f"/v1/receipts/{replay.get_answer(step.content)['receipt_id']}")
    if answer is None:
        return Outcome(problems=problems)
    names = replay.name_messages([candidate["message_id"] for candidate in answer["candidates"]])
    decisions = [f"{row['decision_reason']}: {name}" for row, name in zip(answer["candidates"], names, strict=True)]
    problems += require("decisions", wanted=step.expect["decisions"], found=decisions)
    rest = len(decisions) - SHOWN_DECISIONS
    more = [f"and {rest} more that were considered"] if rest > 0 else []
    return Outcome(decisions[:SHOWN_DECISIONS] + more, problems, answer)


# --- forgetting -------------------------------------------------------------------------------------------------------


def _forget(replay: Replay, step: Step) -> Outcome:
    """Forget one message at once."""
    answer, problems = replay.call("POST", f"/v1/messages/{replay.get_message(step.content)['id']}/forget", {})
    return _judge_forget(replay, step, answer, problems, what="facts_deactivated")


def _plan_forget(replay: Replay, step: Step) -> Outcome:
    """A dry run: what would go."""
    ids = [replay.get_message(name)["id"] for name in step.content]
    body = {"message_ids": ids, "dry_run": True}
    answer, problems = replay.call("POST", f"/v1/users/{replay.get_user_id(step.person)}/forget", body)
    return _judge_forget(replay, step, answer, problems, what="facts_deactivated")


def _run_plan(replay: Replay, step: Step) -> Outcome:
    """Carry out exactly what a dry run listed."""
    body = {"plan_id": replay.get_answer(step.content)["plan_id"]}
    answer, problems = replay.call("POST", f"/v1/users/{replay.get_user_id(step.person)}/forget", body)
    return _judge_forget(replay, step, answer, problems, what="facts_deactivated")


def _restore(replay: Replay, step: Step) -> Outcome:
    """Undo a forget."""
    answer, problems = replay.call("POST", f"/v1/forgets/{replay.get_answer(step.content)['batch_id']}/restore", {})
    return _judge_forget(replay, step, answer, problems, what="facts_restored")


def _judge_forget(replay: Replay, step: Step, answer: Any, problems: list[str], *, what: str) -> Outcome:
    if answer is None:
        return Outcome(problems=problems)
    messages, facts = replay.name_messages(answer["message_ids"]), replay.name_facts(answer[what])
    problems += compare("messages", expected=step.expect["messages"], found=messages)
    problems += compare("facts", expected=step.expect["facts"], found=facts)
    lines = [f"{len(messages)} message(s): {', '.join(messages)}"]
    lines += [f"{what.replace('_', ' ')}: {line}" for line in facts]
    return Outcome(lines, problems, answer)


def _erase(replay: Replay, step: Step) -> Outcome:
    """Ask for an erasure, look at once whether the person is still there, and wait for its end."""
    path = f"/v1/users/{replay.get_user_id(step.person)}"
    answer, problems = replay.call("POST", f"{path}/erasure", {"scope": "all", "reason": step.content})
    if answer is None:
        return Outcome(problems=problems)
    status, refused = replay.service.call("GET", f"{path}/facts")
    lines = [f"{answer['status']}, due by {answer['deadline'][:10]}; reads at once: {status} {refused.get('code')}"]
    problems += compare("reads", expected=step.expect["reads"], found=[str(refused.get("code"))])
    done = _wait_for_erasure(replay, answer["erasure_id"])
    left = {name: count for name, count in done.get("counts", {}).get("after", {}).items() if count}
    certificate = "signed" if done.get("certificate") else "missing"
    status_now = done.get("status", "unknown")
    lines.append(f"{status_now}; rows left: {sum(left.values())}; certificate {certificate}")
    if status_now != "completed" or left or not done.get("certificate"):
        problems.append(f"after {ERASURE_SECONDS} s: {status_now}, rows left in {sorted(left)}")
    return Outcome(lines, problems, done)


def _wait_for_erasure(replay: Replay, erasure_id: str) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for _ in range(ERASURE_SECONDS):
        _, answer = replay.service.call("GET", f"/v1/erasures/{erasure_id}")
        if answer.get("status") == "completed":
            break
        sleep(1)
    return answer


def _turned_away(replay: Replay, step: Step) -> Outcome:
    """Post a message that must be refused: the error's code is what is expected."""
    body = _make_body(replay, step, content=step.content, said_at=step.said_at - timedelta(days=DAYS_OLD))
    status, answer = replay.service.call("POST", "/v1/messages", body)
    code = answer.get("code", "no error")
    problems = [] if code == step.expect["code"] else [f"code {code} instead of {step.expect['code']}"]
    return Outcome([f"{status} {code}: {answer.get('message', '')}"], problems, answer)


_ACTIONS: dict[str, Callable[[Replay, Step], Outcome]] = {
    "say": _say,
    "hear": _say,
    "repeat": _repeat,
    "import": _import,
    "put": _put,
    "refused": _refused,
    "search": _search,
    "context": _read_context,
    "receipt_of": _read_receipt,
    "facts": _list_facts,
    "as_of": _list_facts_as_of,
    "timeline": _read_timeline,
    "plan": _plan_forget,
    "run_plan": _run_plan,
    "forget": _forget,
    "restore": _restore,
    "erase": _erase,
    "turned_away": _turned_away,
}
