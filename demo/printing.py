"""How the demo looks on a terminal: plain text, with colours where somebody is watching."""

from __future__ import annotations

import textwrap
from typing import Any, TextIO

from demo.replay import Outcome
from demo.script import Scene, Step

_COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_BY_ACTION = {
    "added": "green",
    "superseded": "yellow",
    "renewed": "green",
    "restored": "green",
    "deactivated": "red",
    "disputed": "yellow",
    "stored_inactive": "dim",
    "correction": "cyan",
}
_TITLES = {
    "repeat": "The same message is sent again",
    "import": "Older history is imported in one batch",
    "put": "The app writes facts from its onboarding form",
    "refused": "The app tries to write a taste as a fact",
    "facts": "What is known now",
    "as_of": "What was known then",
    "timeline": "The timeline of one key",
    "receipt_of": "The receipt: why the pack held what it held",
    "plan": "Forget, dry run: what would go",
    "run_plan": "Forget: the plan is carried out",
    "forget": "Forget this message",
    "restore": "Undo the forget",
    "erase": "Erase this person",
    "turned_away": "An old import brings a message of the erased person",
}
WIDTH = 110
EXCERPT_CHARACTERS = 1_800  # of the rendering: enough to see its shape


class Printer:
    """Writes the replay as it goes."""

    def __init__(self, out: TextIO, *, has_colours: bool) -> None:
        self._out = out
        self._has_colours = has_colours

    def line(self, text: str = "", *, colour: str = "") -> None:
        """One line."""
        if colour and self._has_colours:
            text = f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"
        self._out.write(text + "\n")
        self._out.flush()

    def scene(self, scene: Scene) -> None:
        """The heading of a scene."""
        self.line()
        self.line(f"== {scene.begins_at:%A %d %B} · {scene.title}", colour="bold")

    def step(self, step: Step, outcome: Outcome) -> None:
        """What was said or done, what came of it, and why that is right."""
        self.line()
        self._head(step)
        if step.action == "context" and outcome.answer:
            self._pack(outcome.answer)
        for line in outcome.lines:
            self.line(f"         {_sign(line)} {line}", colour=_BY_ACTION.get(line.split(" ", 1)[0], ""))
        if step.action == "say" and not outcome.lines:
            self.line("         · nothing becomes a fact", colour="dim")
        for line in textwrap.wrap(step.why, WIDTH - 9):
            self.line(f"         {line}", colour="dim")
        for problem in outcome.problems:
            self.line(f"         NOT AS EXPECTED: {problem}", colour="red")

    def _head(self, step: Step) -> None:
        if step.action in ("say", "hear"):
            who = "assistant" if step.action == "hear" else step.person
            self.line(f"  {step.said_at:%H:%M}  {who}: {step.content}", colour="" if step.action == "hear" else "bold")
        elif step.action in ("search", "context"):
            name = "Search" if step.action == "search" else "Context pack for"
            self.line(f"  {step.said_at:%H:%M}  {name} ({step.person}): {step.content}", colour="blue")
        else:
            self.line(f"  {step.said_at:%H:%M}  {_TITLES[step.action]} ({step.person})", colour="blue")

    def _pack(self, pack: dict[str, Any]) -> None:
        self.line(f"         directives: {', '.join(directive['name'] for directive in pack['directives'])}")
        self.line("         facts:")
        for words, fact in zip(pack["facts_in_words"], pack["facts"], strict=True):
            self.line(f"           {words}  ({fact['provenance']}, confidence {fact['confidence']:.2f})")
        self.line("         episode cards:")
        for card in pack["episode_cards"]:
            self.line(f"           {card['score']:.3f}  {card['role']}: {_shorten(card['raw_excerpt'], 90)}")
        used = [f"{slot} {use['used']}/{use['allotted']}" for slot, use in _list_slots(pack)]
        self.line(f"         budget (tokens used/allotted, {pack['budget'].get('tokenizer', '')}): {', '.join(used)}")
        self.line(
            f"         degraded: {', '.join(pack['degraded_reasons']) or 'nothing'}; receipt {pack['receipt_id']}"
        )
        self.line("         rendered for a chat-completions call:")
        for message in pack["rendered"]["messages"]:
            directives, memory = _part(message["content"])
            self.line(f"           --- {message['role']}{directives}", colour="dim")
            for line in _shorten(memory, EXCERPT_CHARACTERS).splitlines():
                self.line(f"           {line}", colour="dim")

    def end(self, *, steps: int, problems: int) -> None:
        """The last line."""
        self.line()
        if problems:
            self.line(f"{problems} answer(s) of {steps} steps are not as expected.", colour="red")
        else:
            self.line(f"{steps} steps, each as expected.", colour="green")


def _sign(line: str) -> str:
    return {"deactivated": "-", "stored_inactive": "o", "disputed": "?", "correction": "!"}.get(line.split(" ")[0], "+")


def _list_slots(pack: dict[str, Any]) -> list[tuple[str, dict[str, int]]]:
    return [(slot, use) for slot, use in pack["budget"].items() if isinstance(use, dict) and use["allotted"]]


def _part(content: str) -> tuple[str, str]:
    """How long the directives of a rendered message are, in words, and what comes after them."""
    begin = content.find("<user_memory")
    return (f" ({begin} characters of directives, then:)", content[begin:]) if begin > 0 else ("", content)


def _shorten(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[:characters] + " …"
