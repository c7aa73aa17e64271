"""The words of corrections: the phrases of a rule set beside its lexicon."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from corrections.recognition.texts import Text
from patterns.matching.lexicon import Lexicon
from patterns.matching.phrases import PhraseBook
from patterns.steps.message import Message, analyse
from patterns.text.normaliser import normalise, spell
from patterns.text.recurring import Recurring

TASTES = ("colour", "brand")
CACHED_REPLIES = 1_000  # each is some ten kilobytes


class Vocabulary:
    """A lexicon of values with the phrases of corrections. Read-only, shared freely by threads."""

    def __init__(self, *, lexicon: Lexicon, phrases: PhraseBook) -> None:
        self.lexicon = lexicon
        self.phrases = phrases
        self.tastes = frozenset().union(*(lexicon.canonicals.get(name, ()) for name in TASTES))
        self.replies: Recurring[Text] = Recurring(size=CACHED_REPLIES)
        """What is found in texts that come again: for nobody's trials."""
        self._spelling = lexicon.make_spelling(phrases.words, phrases.arabizi_words)

    def read(self, text: str, *, user_id: UUID | None = None, message: Message | None = None) -> Text:
        """A text with its values and its cues found. Pure; only the first 2,000 characters are read.

        `user_id` decides which side of a phrase on trial reads it; without one what is in force does. `message`: the
        text as the rules of the same lexicon analysed it; what their spelling and this one agree on is taken from it.
        """
        if message is None:
            normal = normalise(text, spelling=self._spelling)
        else:
            normal = spell(message.written, self._spelling, known=message.written)
        if message is not None and normal is message.written:
            message = message.copy()
        else:
            message = analyse(normal, self.lexicon)
        return Text(message, self.phrases.find_all(normal.words, user_id=user_id))

    def read_all(self, messages: Sequence[Message]) -> list[Text]:
        """As `read` for texts analysed before, for nobody's trials: each step goes over all of them before the next."""
        normals = [spell(message.written, self._spelling, known=message.written) for message in messages]
        analysed = [
            message.copy() if normal is message.written else analyse(normal, self.lexicon)
            for message, normal in zip(messages, normals, strict=True)
        ]
        cues = [self.phrases.find_all(normal.words) for normal in normals]
        return [Text(*pair) for pair in zip(analysed, cues, strict=True)]
