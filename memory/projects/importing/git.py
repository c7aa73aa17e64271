"""What a Git history says of the files of a directory: each version with its time. No shell, no network."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_COMMIT: Final = "\x01"
_TIMEOUT_SECONDS: Final = 600


class NoGitHistory(Exception):
    """The directory is in no Git repository, or Git is not there."""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file as a commit left it. `text` None: the commit took it away."""

    commit: str
    at: datetime
    path: str
    text: str | None


def list_versions(directory: Path) -> Iterator[FileVersion]:
    """All versions of the files of a directory on the line of its branch, oldest first. Raises NoGitHistory."""
    root = _find_root(directory)
    inside = str(directory.resolve().relative_to(root))
    changes = list(_list_changes(root, inside))
    texts = _read_blobs(root, [f"{commit}:{path}" for commit, _, path, is_gone in changes if not is_gone])
    for commit, at, path, is_gone in changes:
        text = None if is_gone else texts.get(f"{commit}:{path}")
        if is_gone or text is not None:
            yield FileVersion(commit, at, path, text)


def _find_root(directory: Path) -> Path:
    return Path(_run(directory, "rev-parse", "--show-toplevel").decode().strip()).resolve()


def _list_changes(root: Path, inside: str) -> Iterator[tuple[str, datetime, str, bool]]:
    """Commit, time, path and whether it was taken away, in the order of the history. A rename is both."""
    # The line of the branch itself: what was merged is there from its merge on.
    output = _run(
        root, "-c", "core.quotePath=false", "log", "--first-parent", "--diff-merges=first-parent", "--reverse",
        "--no-renames", "--name-status", "-z", f"--format={_COMMIT}%H %cI", "--", inside,
    )  # fmt: skip
    commit, at = "", datetime.min.replace(tzinfo=UTC)
    tokens = iter(
        token for part in output.decode("utf-8", "replace").split("\0") for token in part.split("\n") if token
    )
    for token in tokens:
        if token.startswith(_COMMIT):
            commit, _, moment = token[len(_COMMIT) :].partition(" ")
            # What comes later in the history is not older, whatever the clock said where it was committed.
            at = max(at, datetime.fromisoformat(moment))
        else:
            yield commit, at, next(tokens), token == "D"


def _read_blobs(root: Path, names: Sequence[str]) -> dict[str, str]:
    """Texts by `commit:path`; what is no text is left out."""
    if not names:
        return {}
    output = _run(root, "cat-file", "--batch", stdin="\n".join(names).encode() + b"\n")
    texts, at = {}, 0
    for name in names:
        end = output.index(b"\n", at)
        head = output[at:end].split(b" ")
        at = end + 1
        if head[-1] == b"missing" or len(head) != 3:
            continue
        size = int(head[2])
        body = output[at : at + size]
        at += size + 1
        if head[1] == b"blob" and b"\0" not in body:
            texts[name] = body.decode("utf-8", "replace")
    return texts


def _run(directory: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    try:
        done = subprocess.run(
            ["git", "-C", str(directory), *arguments],
            input=stdin,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        raise NoGitHistory from None
    return done.stdout
