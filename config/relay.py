"""The web processes of one server share their work: who has some waiting gives it to who has less.

A client's connection belongs to one process for as long as it lives, and which one is decided by chance: of four
connections to two processes three or all four meet in one, while the other is idle. So a process whose turn is taken
hands a request over to the sibling with the least to do, and sends its answer on. Siblings know of each other's work by
a board in shared memory, and reach each other by sockets without a name in the file system, the caller's account
checked. A sibling that is gone costs nothing but the attempt: its request is worked on here. One that says nothing
for some seconds is left alone for a minute. Linux; no Django.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import msgspec

from config.arrival import ARRIVED

Environ = MutableMapping[str, Any]
Answer = tuple[str, list[tuple[str, str]], bytes]
"""Status line, headers, body."""
Work = Callable[[Environ], Answer | None]
"""What answers a sibling's request, or says with None that the sibling had better do it."""

BOARD: Final = "web-processes"
ROWS: Final = 64
ANSWER_SECONDS: Final = 3.0  # a sibling that says nothing for so long has stopped: a search ends after two
SILENT_SECONDS: Final = 60.0  # for so long it is not asked again
REFUSED_SECONDS: Final = 5.0  # nor one that is gone: its number may come back
PAUSE_SECONDS: Final = 0.1  # without files or threads for another caller: until some may be free
BACKLOG: Final = 64
_ROW: Final = struct.Struct("=iii")  # process, its parent, how many requests it works on or has waiting
_LENGTH: Final = struct.Struct(">I")
_CREDENTIALS: Final = struct.Struct("=iii")  # of Linux: process, account, group
# What a request is; the rest of what the server puts beside it is the same in every process.
_KEPT: Final = frozenset(
    {
        *("REQUEST_METHOD", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "CONTENT_TYPE", "CONTENT_LENGTH"),
        *("SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "REMOTE_ADDR", "wsgi.url_scheme", ARRIVED),
    }
)
_encode = msgspec.msgpack.Encoder().encode
_read_request = msgspec.msgpack.Decoder(tuple[dict[str, str], bytes]).decode
_read_answer = msgspec.msgpack.Decoder(Answer).decode


class Board:
    """Who of the siblings has how much to do: a row each, written by its owner alone."""

    def __init__(self, path: Path) -> None:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # Its room is taken at once: on a full disk writing through memory would end the process.
            os.posix_fallocate(handle, 0, ROWS * _ROW.size)
            self._memory = mmap.mmap(handle, ROWS * _ROW.size)
            self._number = os.fstat(handle).st_ino
            self._me, self._parent = os.getpid(), os.getppid()
            self._at = self._find_row() * _ROW.size
            self._shown = 0  # taken, but nobody's sibling yet
            self.write(0)
        finally:
            # Explicitly: the memory keeps the file open, and the lock with it.
            fcntl.flock(handle, fcntl.LOCK_UN)
            os.close(handle)

    def announce(self) -> None:
        """From now on siblings see this process."""
        self._shown = self._parent
        self.write(0)

    def write(self, length: int) -> None:
        """Say how many requests this process works on or has waiting."""
        _ROW.pack_into(self._memory, self._at, self._me, self._shown, length)

    def list_siblings(self) -> list[tuple[int, int]]:
        """Length and process of every other child of this process's parent, the least busy first; some may be gone."""
        rows = _ROW.iter_unpack(self._memory[:])
        return sorted((length, pid) for pid, parent, length in rows if parent == self._parent and pid != self._me)

    def name(self, pid: int) -> bytes:
        """The address of a process: one that begins with NUL is in no folder, and goes with the process."""
        return b"\0unde-web-%d-%d" % (self._number, pid)

    def _find_row(self) -> int:
        owners = [pid for pid, _, _ in _ROW.iter_unpack(self._memory[:])]
        if self._me in owners:  # of an earlier life of this machine or container
            return owners.index(self._me)
        return next((place for place, pid in enumerate(owners) if not _is_alive(pid)), ROWS - 1)


class Relay:
    """This process among its siblings: `hand_over` gives a request away, `serve` takes those of others."""

    def __init__(self, folder: Path, *, patience: float = ANSWER_SECONDS) -> None:
        self.board = Board(folder / BOARD)
        self._patience = patience
        self._idle: dict[int, list[socket.socket]] = {}
        self._alone_until: dict[int, float] = {}

    @classmethod
    def join(cls, folder: str | None) -> Relay | None:
        """The relay of the processes that share a folder; None without a folder, or where there is no such thing."""
        if not folder or sys.platform != "linux":
            return None
        try:
            return cls(Path(folder))
        except OSError:
            return None

    def hand_over(self, environ: Environ, body: bytes, *, length: int) -> Answer | None:
        """A sibling's answer to a request, or None: work on it here, where `length` requests are before it.

        For requests alone that may be done twice: a sibling may end before its answer is here.
        """
        siblings = self.board.list_siblings()
        self._forget_all_but({pid for _, pid in siblings})
        now = time.monotonic()
        for other, pid in siblings:
            if other >= length:
                return None
            if self._alone_until.get(pid, now) > now:
                continue
            try:
                sibling = self._connect(pid)
            except OSError as error:
                self._leave_alone(pid, SILENT_SECONDS if isinstance(error, TimeoutError) else REFUSED_SECONDS)
                continue
            return self._ask(pid, sibling, environ, body)
        return None

    def serve(self, work: Work) -> None:
        """From now on do what siblings hand over, each of their connections in a thread of its own."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(self.board.name(os.getpid()))
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            return  # somebody sits there: siblings never see us
        threading.Thread(target=self._accept_all, args=(listener, work), name="relay", daemon=True).start()
        self.board.announce()

    def _accept_all(self, listener: socket.socket, work: Work) -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                time.sleep(PAUSE_SECONDS)
                continue
            try:
                self._accept(caller, work)
            except (OSError, RuntimeError):  # of a thread that cannot be started
                caller.close()
                time.sleep(PAUSE_SECONDS)

    def _accept(self, caller: socket.socket, work: Work) -> None:
        if _read_credentials(caller)[1] != os.geteuid():
            caller.close()
            return
        threading.Thread(target=self._answer_all, args=(caller, work), name="relay-answer", daemon=True).start()

    def _answer_all(self, caller: socket.socket, work: Work) -> None:
        with caller, caller.makefile("rb") as stream, suppress(OSError):  # the caller has ended
            while (packed := _receive(stream)) is not None:
                values, body = _read_request(packed)
                try:
                    answer = work(_complete(values, body))
                except Exception:
                    return  # the caller does it again, and says what is wrong
                answered = b"" if answer is None else _encode(answer)
                caller.sendall(_LENGTH.pack(len(answered)) + answered)

    def _ask(self, pid: int, sibling: socket.socket, environ: Environ, body: bytes) -> Answer | None:
        values = {
            name: value
            for name, value in environ.items()
            if (name in _KEPT or name.startswith("HTTP_")) and isinstance(value, str)
        }
        packed = _encode((values, body))
        try:
            sibling.sendall(_LENGTH.pack(len(packed)) + packed)
            with sibling.makefile("rb") as stream:
                answer = _receive(stream)
        except TimeoutError:
            answer = None
            self._leave_alone(pid, SILENT_SECONDS)
        except OSError:
            answer = None
        if answer is None:
            sibling.close()
            self._forget(pid)
            return None
        self._idle.setdefault(pid, []).append(sibling)
        return _read_answer(answer) if answer else None

    def _leave_alone(self, pid: int, seconds: float) -> None:
        self._alone_until[pid] = time.monotonic() + seconds
        self._forget(pid)

    def _forget_all_but(self, siblings: set[int]) -> None:
        for pid in set(self._idle) - siblings:
            self._forget(pid)
        for pid in set(self._alone_until) - siblings:
            self._alone_until.pop(pid, None)

    def _forget(self, pid: int) -> None:
        for sibling in self._idle.pop(pid, ()):
            sibling.close()

    def _connect(self, pid: int) -> socket.socket:
        try:
            return self._idle[pid].pop()
        except LookupError:
            pass
        sibling = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sibling.settimeout(self._patience)
        try:
            sibling.connect(self.board.name(pid))
            if _read_credentials(sibling)[:2] != (pid, os.geteuid()):
                raise PermissionError
        except OSError:
            sibling.close()
            raise
        return sibling


def _read_credentials(peer: socket.socket) -> tuple[int, ...]:
    return _CREDENTIALS.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))


def _receive(stream: Any) -> bytes | None:
    """The next message, None where the other side has ended."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    packed: bytes = stream.read(length)
    return packed if len(packed) == length else None


def _complete(values: dict[str, str], body: bytes) -> Environ:
    return {
        **values,
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }


def _is_alive(pid: int) -> bool:
    # As `config.launch.processes.is_running`, but that a dead one keeps its row until it is reaped: cheaper to ask.
    if not pid:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
