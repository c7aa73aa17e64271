"""`script/demo --chat`: a conversation through /v1/chat, with intent, pack, skill and receipt of every turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from demo.client import Service
from demo.endpoint import ScriptedEndpoint
from demo.printing import Printer
from demo.script import ScriptError

TURNS = Path(__file__).with_name("chat.yaml")
HOW_TO_START = (
    "The service has no model. Start it for this demo:\n"
    "    .venv/bin/python -m pip install ./demo/skill\n"
    "    UNDE_LLM_URL=http://127.0.0.1:{port}/v1 UNDE_LLM_MODEL=demo script/server"
)


def talk(service: Service, *, printer: Printer, suffix: str, port: int) -> int:
    """Take every turn with a user of this run's own; how many answers were not as expected. Raises ScriptError."""
    try:
        endpoint = ScriptedEndpoint(port)
    except OSError:
        raise ScriptError(f"Port {port} is taken: give another one with --model-port.") from None
    user, problems = f"talker-{suffix}", 0
    turns = yaml.safe_load(TURNS.read_text(encoding="utf-8"))["turns"]
    try:
        printer.line(f"Talking to {service.url} as {user}")
        for number, turn in enumerate(turns, start=1):
            body = {"user_id": user, "conversation_id": "talk", "id": f"t-{number}", "message": turn["say"]}
            status, answer = service.call("POST", "/v1/chat", body)
            if answer.get("code") == "model_not_configured":
                raise ScriptError(HOW_TO_START.format(port=port))
            problems += show_turn(service, turn, status, answer, printer=printer)
    finally:
        endpoint.close()
    printer.end(steps=len(turns), problems=problems)
    return problems


def show_turn(service: Service, turn: dict[str, Any], status: int, answer: dict[str, Any], *, printer: Printer) -> int:
    """Print a turn; how much of it is not as expected."""
    printer.line()
    printer.line(f"  user: {turn['say']}", colour="bold")
    if status != 200:
        printer.line(f"         NOT AS EXPECTED: {status} {answer.get('code')}", colour="red")
        return 1
    intent, skill = answer["intent"], answer["skill"]
    ran = f"{skill['name']} {skill['status']} {skill['code']}".strip() if skill else ""
    printer.line(f"  assistant: {answer['reply']}")
    printer.line(f"         intent: {intent['intent_type']} ({intent['confidence']:.1f}, by {intent['made_by']})")
    printer.line(f"         facts: {', '.join(describe_facts(answer)) or 'none'}", colour="green")
    _, receipt = service.call("GET", f"/v1/receipts/{answer['receipt_id']}")
    degraded = ", ".join(answer["degraded_reasons"]) or "nothing"
    printer.line(f"         pack: {len(receipt.get('facts', []))} facts; degraded: {degraded}")
    printer.line(f"         skill: {ran or 'none'} {skill['receipt'] if skill else ''}".rstrip(), colour="cyan")
    printer.line(f"         receipt: {answer['receipt_id']}")
    printer.line(f"         {turn['why']}", colour="dim")
    found = list(find_problems(turn, answer, ran))
    for problem in found:
        printer.line(f"         NOT AS EXPECTED: {problem}", colour="red")
    return len(found)


def find_problems(turn: dict[str, Any], answer: dict[str, Any], ran: str) -> Iterator[str]:
    """What is not as the file says."""
    intent = answer["intent"]["intent_type"]
    if intent != turn["intent"]:
        yield f"intent {intent} instead of {turn['intent']}"
    if turn["reply"] not in answer["reply"]:
        yield f"the reply does not say {turn['reply']}"
    if ran != turn.get("skill", ""):
        yield f"skill {ran or 'none'} instead of {turn.get('skill') or 'none'}"
    known = [fact["knowledge_key"] for fact in answer["facts"]]
    if known != turn.get("facts", []):
        yield f"facts {known} instead of {turn.get('facts', [])}"


def describe_facts(answer: dict[str, Any]) -> list[str]:
    """The facts that a turn changed, in words."""
    return [f"{fact['action']} {fact['knowledge_key']} = {fact['value']}" for fact in answer["facts"]]
