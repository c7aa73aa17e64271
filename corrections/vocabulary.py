"""The words of corrections: phrases of the pack's folder `corrections/`, beside the lexicon of the rule set."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

import patterns
from corrections.phrases import Phrase, PhraseBook
from corrections.reading import Text, make_text
from patterns.lexicon import Lexicon
from patterns.normaliser import normalise
from patterns.steps.message import analyse

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PACKS = Path(patterns.__file__).resolve().parent / "packs"


class Vocabulary:
    """A lexicon of values with the phrases of corrections. Read-only, shared freely by threads."""

    def __init__(self, *, lexicon: Lexicon, phrases: PhraseBook) -> None:
        self.lexicon = lexicon
        self.phrases = phrases
        self._spelling = lexicon.make_spelling(phrases.words, phrases.arabizi_words)

    def read(self, text: str) -> Text:
        """A text with its values and its cues found. Pure; only the first 2,000 characters are read."""
        normal = normalise(text, spelling=self._spelling)
        return make_text(analyse(normal, self.lexicon), self.phrases.find_all(normal.tokens))


def list_phrases(folder: Path) -> list[Phrase]:
    """Every phrase of a pack's correction files: category -> meaning -> language -> phrases separated by commas.

    Raises ValueError naming the file when it has another shape.
    """
    phrases: list[Phrase] = []
    for file in sorted(folder.glob("*.yaml")):
        document = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)
        try:
            phrases.extend(_read_document(document))
        except AttributeError:
            raise ValueError(f"{file.name} is not category -> meaning -> language -> phrases") from None
    return phrases


def _read_document(document: dict[str, Any]) -> Iterable[Phrase]:
    for category, meanings in document.items():
        for meaning, languages in meanings.items():
            for language, text in languages.items():
                for phrase in text.split(","):
                    if phrase.strip():
                        yield Phrase(category, meaning, language, phrase.strip())


@lru_cache(maxsize=4)
def load_phrase_book(pack: str = "fashion") -> PhraseBook:
    """The phrases that a pack ships with; read once a process."""
    return PhraseBook(list_phrases(PACKS / pack / "corrections"))
