"""How many tokens a text takes: counted by the tokenizer of the named model where one is configured, else estimated.

The library `tokenizers` is optional and works offline from a `tokenizer.json`; a pack names what counted in
`budget.tokenizer` (D-20). Pure but for reading that file.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from retrieval.pack.token_estimate import TOKENIZER, estimate_tokens

UNAVAILABLE = "tokenizer_unavailable"  # in degraded_reasons: the configured file or the library is not there


class TokenizerMisconfigured(Exception):
    """A configured tokenizer cannot be used; the message names the model's pattern and why."""


class TokenCounter(Protocol):
    """Counts tokens. `name` says how, and changes whenever counts would."""

    @property
    def name(self) -> str: ...

    def __hash__(self) -> int: ...

    def count(self, text: str) -> int:
        """Tokens of a text. 0 for an empty one."""
        ...


class EstimateCounter:
    """The estimate by script (retrieval/pack/token_estimate.py)."""

    name = TOKENIZER

    def count(self, text: str) -> int:
        """See TokenCounter."""
        return estimate_tokens(text)


class ExactCounter:
    """A model's own tokenizer, from its `tokenizer.json`."""

    def __init__(self, *, pattern: str, path: str) -> None:
        file = Path(path)
        try:
            library = importlib.import_module("tokenizers")
            content = file.read_bytes()
            self._tokenizer: Any = library.Tokenizer.from_str(content.decode("utf-8"))
        except ImportError:
            raise TokenizerMisconfigured(f"{pattern}: the library tokenizers is not installed") from None
        except OSError:
            raise TokenizerMisconfigured(f"{pattern}: the file cannot be read") from None
        except Exception:  # the library raises plain Exception for a file that it cannot parse
            raise TokenizerMisconfigured(f"{pattern}: the file is not a tokenizer.json") from None
        # Files come with the settings of their training: packs are neither cut nor filled up here.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.name = f"exact:{pattern}:{hashlib.sha256(content).hexdigest()[:8]}"

    def count(self, text: str) -> int:
        """See TokenCounter. Markers that a chat format adds are in the overhead of each message."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


ESTIMATE = EstimateCounter()


def choose_counter(model: str, tokenizers: Mapping[str, str]) -> TokenCounter:
    """The counter for a model. `tokenizers` maps patterns of model names (`*` fits anything) to files, first fit first.

    The estimate where nothing fits or no model is named. Raises TokenizerMisconfigured.
    """
    for pattern, path in tokenizers.items():
        if model and fnmatchcase(model.lower(), pattern.lower()):
            return _load(pattern, str(path))
    return ESTIMATE


def check_tokenizers(tokenizers: Mapping[str, str]) -> None:
    """Load every configured tokenizer. Raises TokenizerMisconfigured. Called at start."""
    if not isinstance(tokenizers, Mapping):
        raise TokenizerMisconfigured("must be an object of patterns and files")
    for pattern, path in tokenizers.items():
        _load(pattern, str(path))


@lru_cache(maxsize=16)
def _load(pattern: str, path: str) -> ExactCounter:
    return ExactCounter(pattern=pattern, path=path)
