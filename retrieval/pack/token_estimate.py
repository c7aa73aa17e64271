"""How many model tokens a text takes, estimated by script (D-20).

Named in `budget.tokenizer`, so that nobody takes it for exact.
"""

from __future__ import annotations

import math
import re

TOKENIZER = "estimate-by-script-1"
MESSAGE_OVERHEAD = 4  # role and separators of one chat message

# Characters a token, low on purpose: an estimate that is too high only leaves room.
_LATIN, _CYRILLIC, _ARABIC, _CJK, _OTHER = 3.8, 2.6, 2.2, 0.9, 2.0
_CYRILLIC_LETTERS = re.compile("[\u0400-\u04ff]+")
_ARABIC_LETTERS = re.compile("[\u0600-\u06ff]+")
_CJK_LETTERS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def estimate_tokens(text: str) -> int:
    """Tokens of a text, rounded up. 0 for an empty one."""
    if text.isascii():
        return math.ceil(len(text) / _LATIN)
    ascii_count = len(text.encode("ascii", "ignore"))
    other = len(text) - ascii_count
    counts = []
    for letters in (_CYRILLIC_LETTERS, _ARABIC_LETTERS, _CJK_LETTERS):
        # Most texts have one script: what is left when nothing is left needs no look.
        counts.append(len("".join(letters.findall(text))) if other else 0)
        other -= counts[-1]
    cyrillic, arabic, cjk = counts
    parts = (ascii_count / _LATIN, cyrillic / _CYRILLIC, arabic / _ARABIC, cjk / _CJK, other / _OTHER)
    return math.ceil(sum(parts))
