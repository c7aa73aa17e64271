"""Whether a rewritten text is still the user's own words (D-27). Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Final

from memory.errors import InvalidRequest

MAX_SHARED_RUN: Final = 2
"""Words in a row that a rewritten text may share with the original: three tell whose words they were."""
LETTERS_A_WORD: Final = 2
"""Of scripts that write no spaces: so many of their letters count as a word."""

_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}](?:[^\W{_UNSPACED}]|['’])*")
_IS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")


def list_words(text: str) -> list[str]:
    """The words of a text without case, marks and invisible characters; letters where a script has no spaces."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) not in ("Mn", "Cf"))
    return _WORD.findall(plain.casefold().replace("ё", "е").replace("ـ", ""))


def find_longest_run(one: str, other: str) -> float:
    """How many words in a row two texts share at most."""
    first, second = list_words(one), list_words(other)
    longest, before = 0.0, [0.0] * (len(second) + 1)
    for word in first:
        here = [0.0] * (len(second) + 1)
        for i, candidate in enumerate(second, start=1):
            if word == candidate:
                here[i] = before[i - 1] + _weigh(word)
                longest = max(longest, here[i])
        before = here
    return longest


def _weigh(word: str) -> float:
    return 1 / LETTERS_A_WORD if _IS_UNSPACED.match(word) else 1.0


def is_own_words(*, rewritten: str, original: str) -> bool:
    """Whether the rewritten text has three words in a row from the original.

    An original of one or two words ("no", "нет, не так") is nobody's own: it may stand.
    """
    return find_longest_run(rewritten, original) > MAX_SHARED_RUN


def refuse_own_words(texts: Mapping[str, str], *, said: Collection[str]) -> None:
    """Raise InvalidRequest naming each text that is still one of the things that were said."""
    own = {
        name: "is still what was said; retell it in your own words"
        for name, text in texts.items()
        if any(is_own_words(rewritten=text, original=original) for original in said)
    }
    if own:
        raise InvalidRequest("A golden case must not contain the user's own words.", fields=own)
