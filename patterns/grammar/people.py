"""Lists on who speaks and of whom, on talk, and on where one statement ends and another begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from patterns.grammar.kinds import Words


@dataclass(frozen=True, kw_only=True)
class PeopleLists:
    """Lists on who speaks and of whom, on talk, and on where one statement ends and another begins."""

    told_one: Annotated[Words, "“a lady told me”: whom somebody told, so the writer is not the one who says it"]
    told_to: Annotated[Words, "“he said you need:”: behind a verb of saying, what the writer is asked to give follows"]
    said_to_me: Annotated[Words, "“size 30, they said to me”: behind the verb, it is somebody else who says it"]
    they_said: Annotated[Words, "verbs of saying that only others are the subject of"]
    i_read: Annotated[Words, "“I read that latex causes rashes”: verbs of those who take a report and make none"]
    i_heard: Annotated[Words, "“heard the mall is packed”: verbs that open a piece of news"]
    hello: Annotated[Words, "“she says hi”: greetings that are all that is said"]
    nobody: Annotated[Words, "“nobody asked, but”: words by which nobody says it"]
