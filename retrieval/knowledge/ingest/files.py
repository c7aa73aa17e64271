"""Documents and records from files: Markdown, HTML, plain text and JSON Lines. Pure but for reading the files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from retrieval.knowledge.ingest.types import DocumentBody, RecordBody

MAX_ID: Final = 128
MARKDOWN: Final = frozenset({".md", ".markdown"})
HTML: Final = frozenset({".html", ".htm"})
TEXT: Final = frozenset({".txt"})
LINES: Final = frozenset({".jsonl", ".ndjson"})
KNOWN: Final = MARKDOWN | HTML | TEXT | LINES
MAX_TITLE: Final = 500
_HEADING: Final = re.compile(r"^#{1,6}\s+(?P<title>.+?)\s*#*\s*$", re.MULTILINE)
_FRONT_MATTER: Final = re.compile(r"\A---\s*\n(?P<head>.*?)\n---\s*\n", re.DOTALL)
_FRONT_TITLE: Final = re.compile(r"^title:\s*(?P<title>.+?)\s*$", re.MULTILINE)
_UNSEEN: Final = frozenset({"script", "style", "head", "template", "noscript"})
_BLOCKS: Final = frozenset(
    {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "table", "ul", "ol", "pre"}
)


class SourceItem(NamedTuple):
    """An item and where it is from; of one that can't be read only where, and a code."""

    place: str
    item: DocumentBody | RecordBody | None
    code: str = ""


def read_path(path: Path) -> Iterator[SourceItem]:
    """The items of a file, or of every file of a folder that is of a known kind, by name. Raises OSError."""
    if path.is_dir():
        for file in sorted(each for each in path.rglob("*") if each.is_file() and each.suffix.lower() in KNOWN):
            yield from _read_file(file, file.relative_to(path).as_posix())
    else:
        yield from _read_file(path, path.name)


def _read_file(file: Path, name: str) -> Iterator[SourceItem]:
    if file.suffix.lower() in LINES:
        yield from _read_lines(file, name)
        return
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        yield SourceItem(name, None, "invalid_utf8")
        return
    if "\x00" in text:
        yield SourceItem(name, None, "nul_byte")
        return
    title, body = _read_html(text) if file.suffix.lower() in HTML else _read_markdown(text)
    yield SourceItem(name, DocumentBody(id=make_id(name), title=(title or file.stem)[:MAX_TITLE], text=body))


def make_id(name: str) -> str:
    """The id of a document from a file: its path, or as much of it as an id holds and a hash."""
    if len(name) <= MAX_ID:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{name[: MAX_ID - 17]}-{digest}"


def _read_lines(file: Path, name: str) -> Iterator[SourceItem]:
    with file.open("rb") as source:
        for number, line in enumerate(source, start=1):
            if line.strip():
                yield _read_line(line, f"{name}:{number}")


def _read_line(line: bytes, place: str) -> SourceItem:
    """A line is a record when it has a type, otherwise a document."""
    try:
        sent: Any = msgspec.json.decode(line)
        if not isinstance(sent, dict):
            return SourceItem(place, None, "invalid_request")
        if isinstance(sent.get("id"), int):
            sent["id"] = str(sent["id"])
        if b"\\u0000" in line:
            return SourceItem(place, None, "nul_byte")
        item: DocumentBody | RecordBody
        item = msgspec.convert(sent, RecordBody) if "type" in sent else msgspec.convert(sent, DocumentBody)
    except msgspec.ValidationError:
        return SourceItem(place, None, "invalid_request")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return SourceItem(place, None, "invalid_json")
    return SourceItem(place, item)


def _read_markdown(text: str) -> tuple[str, str]:
    front = _FRONT_MATTER.match(text)
    body = text[front.end() :] if front else text
    named = _FRONT_TITLE.search(front["head"]) if front else None
    heading = named or _HEADING.search(body)
    return (heading["title"].strip("\"' ") if heading else ""), body


def _read_html(text: str) -> tuple[str, str]:
    reader = _TextReader()
    reader.feed(text)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).splitlines())
    return " ".join("".join(reader.title).split()), re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _TextReader(HTMLParser):
    """The words of a page: no scripts, no styles; blocks end lines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title: list[str] = []
        self._hidden = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _UNSEEN
        self._in_title = self._in_title or tag == "title"
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN and self._hidden:
            self._hidden -= 1
        self._in_title = self._in_title and tag != "title"
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._hidden:
            self.pieces.append(data)
