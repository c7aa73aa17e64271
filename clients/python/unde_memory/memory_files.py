"""Files of an agent's memory directory, kept as items of a user. What Anthropic's memory tool reads and writes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any

from unde_memory.errors import VersionConflict
from unde_memory.sync_client import Memory

ROOT = "/memories"
NAMESPACE = ["anthropic", "memory"]
PAGE = 1000


WIDTH = 6
MAX_LINES = 999_999
DEPTH = 2


class Refused(Exception):
    """A command that can't be carried out; `str()` is for the model."""


class NoFile(Exception):
    """The path names no file."""


class MemoryFiles:
    """Text files under `/memories`. Folders are what the names of files begin with."""

    def __init__(self, memory: Memory, user: str) -> None:
        self.memory = memory.as_user(user)

    def find(self, path: str) -> str:
        """The normal form of a path. Raises ValueError for one that leads elsewhere."""
        if not (path == ROOT or path.startswith(ROOT + "/")):
            raise ValueError(f"Path must start with /memories, got: {path}")
        plain = posixpath.normpath(path)
        if not (plain == ROOT or plain.startswith(ROOT + "/")):
            raise ValueError(f"Path {path} would escape /memories directory")
        return plain

    def read(self, path: str) -> tuple[str, int]:
        """The text of a file and its version. Raises NoFile."""
        item = self.memory.get_item(namespace=".".join(NAMESPACE), key=path)
        if item is None:
            raise NoFile
        return str(item.value["text"]), item.version

    def write(self, path: str, text: str, *, over: int) -> bool:
        """Write over the version that was read, 0 for none; False where somebody wrote in between."""
        try:
            self.memory.put_item(namespace=NAMESPACE, key=path, value={"text": text}, if_version=over)
        except VersionConflict:
            return False
        return True

    def list_all(self, folder: str = ROOT) -> dict[str, str]:
        """The texts of all files under a folder, by path."""
        found: dict[str, str] = {}
        while True:
            page = self.memory.search_items(namespace_prefix=NAMESPACE, limit=PAGE, offset=len(found)).items
            found |= {item.key: str(item.value["text"]) for item in page}
            if len(page) < PAGE:
                return {path: text for path, text in sorted(found.items()) if path.startswith(folder + "/")}

    def change(self, *, put: dict[str, str], delete: list[str]) -> None:
        """Put and delete files, all or none."""
        steps: list[dict[str, object]] = [
            {"op": "put", "namespace": NAMESPACE, "key": path, "value": {"text": text}} for path, text in put.items()
        ]
        steps += [{"op": "delete", "namespace": NAMESPACE, "key": path} for path in delete]
        if steps:
            self.memory.store_batch(steps)


class MemoryCommands:
    """The six commands over files. The words of the answers are those that the model knows. Raise Refused."""

    def __init__(self, files: MemoryFiles) -> None:
        self.files = files

    def view(self, command: Any) -> str:
        path = self._find(command.path)
        try:
            text, _ = self.files.read(path)
        except NoFile:
            return self._view_folder(path, command.path)
        lines = text.split("\n")
        if len(lines) > MAX_LINES:
            raise Refused(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
        first = 1
        if command.view_range and len(command.view_range) == 2:
            first = max(1, command.view_range[0])
            last = len(lines) if command.view_range[1] == -1 else command.view_range[1]
            lines = lines[first - 1 : last]
        return f"Here's the content of {command.path} with line numbers:\n" + _number(lines, first)

    def create(self, command: Any) -> str:
        path = self._find(command.path)
        self._check_place(path, command.path)
        if not self.files.write(path, command.file_text, over=0):
            raise Refused(f"File {command.path} already exists")
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        def edit(text: str) -> str:
            count = text.count(command.old_str)
            if count == 0:
                raise Refused(
                    f"No replacement was performed, old_str `{command.old_str}` did not appear verbatim in"
                    f" {command.path}."
                )
            if count > 1:
                starts = [at for at in range(len(text)) if text.startswith(command.old_str, at)]
                lines = ", ".join(str(text[:at].count("\n") + 1) for at in starts)
                raise Refused(
                    f"No replacement was performed. Multiple occurrences of old_str `{command.old_str}` in lines:"
                    f" {lines}. Please ensure it is unique"
                )
            return text.replace(command.old_str, command.new_str or "")

        old, new = self._edit(command.path, edit)
        changed = old[: old.find(command.old_str)].count("\n")
        start = max(0, changed - 2)
        snippet = _number(new.split("\n")[start : changed + 3], start + 1)
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def insert(self, command: Any) -> str:
        def edit(text: str) -> str:
            lines = text.split("\n")
            if lines[-1] == "":
                lines.pop()
            if not 0 <= command.insert_line <= len(lines):
                raise Refused(
                    f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range"
                    f" [0, {len(lines)}]."
                )
            lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
            return "\n".join(lines) + "\n"

        self._edit(command.path, edit)
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        path = self._find(command.path)
        if path == ROOT:
            raise Refused("Cannot delete the /memories directory itself")
        gone = self._list_under(path)
        if not gone:
            raise Refused(f"The path {command.path} does not exist")
        self.files.change(put={}, delete=list(gone))
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        old, new = self._find(command.old_path), self._find(command.new_path)
        if old == ROOT:
            raise Refused("Cannot rename the /memories directory itself")
        if new == ROOT or self._list_under(new):
            raise Refused(f"The destination {command.new_path} already exists")
        moved = self._list_under(old)
        if not moved:
            raise Refused(f"The path {command.old_path} does not exist")
        if new.startswith(old + "/"):
            raise Refused(f"Cannot move {command.old_path} into itself")
        self._check_place(new, command.new_path)
        self.files.change(put={new + path[len(old) :]: text for path, text in moved.items()}, delete=list(moved))
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear(self) -> str:
        self.files.change(put={}, delete=list(self.files.list_all()))
        return "All memory cleared"

    def _find(self, path: str) -> str:
        try:
            return self.files.find(path)
        except ValueError as error:
            raise Refused(str(error)) from None

    def _check_place(self, path: str, name: str) -> None:
        """Raise Refused where a disk would: the path is a folder, or a file stands where its folder would be."""
        files = self.files.list_all()
        if path == ROOT or any(file.startswith(path + "/") for file in files):
            raise Refused(f"The path {name} is a directory")
        if any(path.startswith(file + "/") for file in files):
            raise Refused(f"The path {name} leads through a file")

    def _list_under(self, path: str) -> dict[str, str]:
        try:
            return {path: self.files.read(path)[0]}
        except NoFile:
            return self.files.list_all(path)

    def _edit(self, name: str, edit: Callable[[str], str]) -> tuple[str, str]:
        path = self._find(name)
        while True:
            try:
                old, version = self.files.read(path)
            except NoFile:
                is_folder = path == ROOT or bool(self.files.list_all(path))
                kind = f"The path {name} is not a file."
                missing = f"The path {name} does not exist. Please provide a valid path."
                raise Refused(kind if is_folder else missing) from None
            new = edit(old)
            if self.files.write(path, new, over=version):
                return old, new

    def _view_folder(self, path: str, name: str) -> str:
        files = self.files.list_all(path)
        if not files and path != ROOT:
            raise Refused(f"The path {name} does not exist. Please provide a valid path.")
        shown: dict[str, int] = {}
        for file, text in files.items():
            parts = file[len(path) + 1 :].split("/")
            if any(part.startswith(".") for part in parts[:DEPTH]):
                continue
            for depth in range(1, min(len(parts), DEPTH + 1)):
                folder = "/".join(parts[:depth]) + "/"
                shown[folder] = shown.get(folder, 0) + len(text.encode())
            if len(parts) <= DEPTH:
                shown["/".join(parts)] = len(text.encode())
        header = f"Here're the files and directories up to 2 levels deep in {name}, excluding hidden items:"
        lines = [f"{_write_size(sum(len(text.encode()) for text in files.values()))}\t{name}"]
        lines += [f"{_write_size(shown[one])}\t{name}/{one}" for one in sorted(shown)]
        return "\n".join([header, *lines])


def _number(lines: list[str], first: int) -> str:
    return "\n".join(f"{str(first + place).rjust(WIDTH)}\t{line}" for place, line in enumerate(lines))


def _write_size(size: int) -> str:
    number, unit = float(size), "B"
    for larger in "KM":
        if number >= 1024:
            number, unit = number / 1024, larger
    return f"{int(number)}{unit}" if number == int(number) else f"{number:.1f}{unit}"
