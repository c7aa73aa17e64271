"""Paths of kept items: what may be one, and which fit a condition. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from memory.errors import InvalidRequest
from memory.kept.types import ANY_LABEL, Condition, Namespace

MAX_LABELS: Final = 20
MAX_LABEL_CHARACTERS: Final = 128
MAX_KEY_CHARACTERS: Final = 512


def check_path(namespace: Sequence[str], key: str) -> None:
    """Raise InvalidRequest unless the two can name a document: 1 to 20 labels without dots, and a key."""
    if not namespace:
        raise InvalidRequest(fields={"namespace": "must not be empty"})
    check_labels(namespace, name="namespace")
    for label in namespace:
        if "." in label:
            raise InvalidRequest(fields={"namespace": "must have no dot in a label"})
    if not 1 <= len(key) <= MAX_KEY_CHARACTERS:
        raise InvalidRequest(fields={"key": f"must have 1 to {MAX_KEY_CHARACTERS} characters"})


def check_labels(namespace: Sequence[str], *, name: str) -> None:
    """Raise InvalidRequest for too many labels, an empty or a long one."""
    if len(namespace) > MAX_LABELS:
        raise InvalidRequest(fields={name: f"must have at most {MAX_LABELS} labels"})
    if any(not 1 <= len(label) <= MAX_LABEL_CHARACTERS for label in namespace):
        raise InvalidRequest(fields={name: f"must have labels of 1 to {MAX_LABEL_CHARACTERS} characters"})


def fits(namespace: Namespace, condition: Condition) -> bool:
    """Whether the namespace has the labels of the condition where it asks for them."""
    wanted = condition.path
    if len(namespace) < len(wanted):
        return False
    part = namespace[: len(wanted)] if condition.kind == "prefix" else namespace[len(namespace) - len(wanted) :]
    return all(want in (ANY_LABEL, label) for want, label in zip(wanted, part, strict=True))


def list_fitting(
    namespaces: Iterable[Namespace], *, conditions: Sequence[Condition], max_depth: int | None
) -> list[Namespace]:
    """Those that fit all conditions, cut to `max_depth` labels, each once, in order."""
    fitting = (one for one in namespaces if all(fits(one, condition) for condition in conditions))
    return sorted({one[:max_depth] for one in fitting})
