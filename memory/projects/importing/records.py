"""A decision record read: header fields, title, status, what it replaces and requires, whom its prose names. Pure.

Records have their fields in a header (PEP: `Status: Final`), in YAML or front matter (KEP, MADR), in a list
(`* Status: accepted`), or under headings (`## Status`). Which field tells what is data (statuses.toml).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Final

SUFFIXES: Final = (".md", ".markdown", ".rst", ".txt", ".adoc", ".yaml", ".yml")
DEFAULT_STATE: Final = "proposed"
_FIELD: Final = re.compile(
    r"^\s{0,3}(?:[*+-]\s+)?(?:\*\*|__)?([A-Za-z][A-Za-z _-]{1,30}?)(?:\*\*|__)?\s*:(?:\*\*|__)?\s*(.*?)\s*$"
)
_HEADING: Final = re.compile(r"^\s{0,3}(#{1,4})\s+(.+?)\s*#*$")
_LIST_ITEM: Final = re.compile(r"^\s*[-*+]\s+(.+)$")
_CONTINUED: Final = re.compile(r"^\s{2,}\S")
_TITLE_NUMBER: Final = re.compile(r"^(?:(?:ADR|PEP|KEP|RFC|EIP)[- ]?)?0*(\d+)\s*[.:—–-]\s*(.+)$", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?<!\d)\d{1,6}(?!\d)")  # longer ones are dates
_FILE_NUMBER: Final = re.compile(r"(?:^|[^\d])0*(\d{1,6})(?=[^\d]|$)")
_LINK: Final = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_SUPERSEDED_BY: Final = re.compile(
    r"\b(?:superse?ded|replaced|obsoleted|deprecated)\s+(?:by|in favou?r of)\b(.*)", re.IGNORECASE
)
_SUPERSEDES: Final = re.compile(r"^\W*(?:superse?des|replaces|obsoletes)\b(.*)", re.IGNORECASE)
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_WRITTEN: Final = re.compile(r"\b(\d{1,2})[- ]([A-Za-z]{3,9})[- ](\d{4})\b")
_CODE: Final = re.compile(r"^\s*(?:```|~~~)")
_HEADER_LINES: Final = 60


@dataclass(frozen=True, slots=True)
class Record:
    """One version of a record. Ids are numbers as text, without zeros before them."""

    id: str
    title: str
    status: str
    state: str
    is_known_status: bool
    decided: date | None = None
    created: date | None = None
    owner: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    """Records that its prose names by a written identifier, each once, in order."""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Naming:
    """How the records of a directory are called: `PEP`, `ADR`; found in names of files and in headers."""

    words: tuple[str, ...] = field(default=())

    def list_mentions(self, text: str) -> Iterator[str]:
        """Numbers of records that a text names: behind their word ("PEP 484", "ADRs 3-5"), or as a file or address."""
        for match in _build_mentions(self.words).finditer(text):
            yield from (number.lstrip("0") or "0" for number in _list_named(match))
        for pattern in _build_addresses(self.words):
            yield from (number.lstrip("0") or "0" for number in pattern.findall(text))


def _list_named(match: re.Match[str]) -> list[str]:
    """The numbers of one match: of a range those between its ends too."""
    if match["one"]:
        return [match["one"], *_NUMBER.findall(match["rest"])]
    if match["last"] is None:
        return [match["first"], *_NUMBER.findall(match["more"])]
    first, last = int(match["first"]), int(match["last"])
    return (
        [str(each) for each in range(first, last + 1)]
        if first < last <= first + read_links()["widest_range"]
        else [match["first"]]
    )


@cache
def read_tables() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """State by word of status, and meaning by name of field, from statuses.toml."""
    data = tomllib.loads((Path(__file__).parent / "statuses.toml").read_text(encoding="utf-8"))
    states = {word: state for state, words in data["states"].items() for word in words}
    fields = {name: meaning for meaning, names in data["fields"].items() for name in names}
    return states, fields


@cache
def read_links() -> Mapping[str, Any]:
    """What statuses.toml says of links in prose: the widest range, and expressions of addresses by word of records."""
    data = tomllib.loads((Path(__file__).parent / "statuses.toml").read_text(encoding="utf-8"))
    return dict(data["links"])


def map_status(status: str) -> tuple[str, bool]:
    """The state that a word of a history means, and whether the table has it."""
    states, _ = read_tables()
    low = " ".join(status.lower().split()).strip(" .*_")
    if low in states:
        return states[low], True
    # "Superseded by [ADR-12](...)", "Accepted (2021-03-04)", "Rejected, see below": the words before the rest.
    words = re.split(r"\s+(?:by|in favou?r of|on)\b|[\[(;,|]", low)[0].strip()
    if words in states:
        return states[words], True
    first = words.split(" ")[0] if words else ""
    return (states[first], True) if first in states else (DEFAULT_STATE, False)


def find_id(path: PurePosixPath | str, text: str) -> str | None:
    """The number of a record: of its header, its file or its folder; None for a file that is no record."""
    name = PurePosixPath(path)
    fields = dict(_read_fields(text.splitlines()[:_HEADER_LINES]))
    for key in _list_names("id"):
        number = _NUMBER.search(fields.get(key, ""))
        if number:
            return number[0].lstrip("0") or "0"
    found = _FILE_NUMBER.search(name.stem) or (_FILE_NUMBER.search(name.parent.name) if name.parent.name else None)
    return (found[1].lstrip("0") or "0") if found else None


def read_record(path: PurePosixPath | str, text: str, *, naming: Naming) -> Record | None:
    """One version of a record, None for a file that is none: without a number, or without a status."""
    id = find_id(path, text)
    if id is None:
        return None
    lines = text.splitlines()
    fields = dict(_read_fields(lines[:_HEADER_LINES]))
    sections = _read_sections(lines)
    status = _find_field(fields, "status") or _first_line(sections.get("status", ()))
    if not status:
        return None
    state, is_known = map_status(_strip_links(status))
    status_lines = [status, *sections.get("status", ())]
    superseded_by = _list_numbers(_find_field(fields, "superseded_by"))
    supersedes = _list_numbers(_find_field(fields, "supersedes"))
    for line in status_lines:
        by, replaces = _SUPERSEDED_BY.search(line), _SUPERSEDES.search(line)
        superseded_by += _list_numbers(by[1]) if by else []
        supersedes += _list_numbers(replaces[1]) if replaces else []
    if superseded_by and state != "superseded" and not is_known:
        state, is_known = "superseded", True
    own = {id}
    return Record(
        id=id, title=_find_title(fields, lines, id), status=" ".join(_strip_links(status).split())[:200], state=state,
        is_known_status=is_known, decided=_find_date(_find_field(fields, "decided")),
        created=_find_date(_find_field(fields, "created")), owner=_find_field(fields, "owner")[:200],
        supersedes=_unique(supersedes, own), superseded_by=_unique(superseded_by, own),
        requires=_unique(_list_numbers(_find_field(fields, "requires")), own),
        mentions=_unique(list(naming.list_mentions(_read_prose(lines, fields))), own), summary=_find_summary(sections),
    )  # fmt: skip


def find_naming(files: Sequence[tuple[str, str]], *, word: str | None = None) -> Naming:
    """The word that records of a directory are called by: as given, else those of their files and headers."""
    if word:
        return Naming((word.lower(),))
    found: dict[str, int] = {}
    for path, text in files:
        stem = re.match(r"([A-Za-z]{2,6})[-_ ]?\d", PurePosixPath(path).name)
        if stem:
            found[stem[1].lower()] = found.get(stem[1].lower(), 0) + 1
        names = dict(_read_fields(text.splitlines()[:_HEADER_LINES]))
        for key in ("pep", "adr", "kep", "rfc", "eip"):
            if key in names or f"{key}-number" in names:
                found[key] = found.get(key, 0) + 1
    common = [name for name, count in found.items() if count * 2 >= len(files)]
    return Naming(tuple(sorted(common)) or ("adr",))


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Name and value of header fields, until the text begins; continued lines and YAML lists are joined."""
    name, value = "", ""
    is_front = bool(lines) and (lines[0].strip() == "---" or not any(line.startswith("#") for line in lines))
    for number, line in enumerate(lines):
        if is_front and number and line.strip() == "---":
            break
        found = _FIELD.match(line)
        item = _LIST_ITEM.match(line) if name else None
        if found and _normalise(found[1]) in read_tables()[1]:
            if name:
                yield name, value
            name, value = _normalise(found[1]), found[2].strip("\"'")
        elif item and is_front:
            value = f"{value}, {item[1].strip(chr(34) + chr(39))}" if value else item[1].strip("\"'")
        elif name and _CONTINUED.match(line) and not found:
            value = f"{value} {line.strip()}"
        elif name and (found or not line.strip()):
            yield name, value
            name, value = "", ""
        elif not is_front and line.startswith("## ") and number > 1:
            break
    if name:
        yield name, value


def _normalise(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def _read_sections(lines: Sequence[str]) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    current = ""
    for line in lines:
        heading = _HEADING.match(line)
        if heading:
            current = heading[2].strip().lower()
        elif line.strip():
            sections.setdefault(current, []).append(line.strip())
    return sections


def _list_names(meaning: str) -> list[str]:
    return [name for name, told in read_tables()[1].items() if told == meaning]


def _find_field(fields: Mapping[str, str], meaning: str) -> str:
    return next((fields[name] for name in _list_names(meaning) if fields.get(name)), "")


def _first_line(lines: Sequence[str]) -> str:
    return _LIST_ITEM.sub(r"\1", lines[0]) if lines else ""


def _strip_links(text: str) -> str:
    return _LINK.sub(r"\1", text)


def _find_title(fields: Mapping[str, str], lines: Sequence[str], id: str) -> str:
    heading = next((found[2] for line in lines if (found := _HEADING.match(line))), "")
    title = _strip_links(_find_field(fields, "title") or heading)
    numbered = _TITLE_NUMBER.match(title)
    return (numbered[2] if numbered else title).strip()[:500] or id


def _find_summary(sections: Mapping[str, Sequence[str]]) -> str:
    for name in ("decision", "decision outcome", "abstract", "summary"):
        if sections.get(name):
            return " ".join(_strip_links(line) for line in sections[name])[:2_000]
    return ""


def _list_numbers(text: str) -> list[str]:
    """Numbers of records in a field: "0003, 0007", "[ADR-5](0005-x.md)", "/keps/sig-node/1287-in-place"."""
    numbers: list[str] = []
    for part in re.split(r"[,;\s]+(?![^\[]*\])", _LINK.sub(lambda link: _name_link(link[1], link[2]), text)):
        found = _NUMBER.search(part)
        if found and not _ISO.search(part):
            numbers.append(found[0].lstrip("0") or "0")
    return numbers


def _name_link(label: str, target: str) -> str:
    number = _NUMBER.search(label) or _FILE_NUMBER.search(PurePosixPath(target).name)
    return f" {number[0] if number else ''} "


def _find_date(text: str) -> date | None:
    months = {name: number for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )}  # fmt: skip
    iso, written = _ISO.search(text), _WRITTEN.search(text)
    try:
        if iso:
            return date(int(iso[1]), int(iso[2]), int(iso[3]))
        if written and written[2][:3].lower() in months:
            return date(int(written[3]), months[written[2][:3].lower()], int(written[1]))
    except ValueError:
        return None
    return None


def _unique(numbers: Sequence[str], own: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(number for number in numbers if number not in own))


def _read_prose(lines: Sequence[str], fields: Mapping[str, str]) -> str:
    """The text of a record without code and without the header, whose fields are links of their own."""
    kept, is_code, is_header = [], False, True
    is_front = bool(lines) and lines[0].strip() == "---"
    for number, line in enumerate(lines):
        if is_header:
            if is_front:
                is_header = not (number and line.strip() == "---")
                continue
            found = _FIELD.match(line)
            if (found and _normalise(found[1])) or _CONTINUED.match(line):
                continue
            is_header = number == 0 or (not line.strip() and number < len(fields) + 4)
        if _CODE.match(line):
            is_code = not is_code
        elif not is_code:
            kept.append(line)
    return "\n".join(kept)


@cache
def _build_mentions(words: tuple[str, ...]) -> re.Pattern[str]:
    """Word and number, in a role of reST, over the end of a line, in lists and ranges.

    Behind a plural any number of a list is a record: "PEPs 484 and 526". Behind a singular only one with nothing to
    count behind it, and no year: "PEP 8, 80 columns" names one.
    """
    name = "|".join(re.escape(word) for word in words)
    number = r"\d{1,5}\b(?![.]\d|-\d\d-\d)"
    again = rf"(?:(?:{name})s?[- ]?|-)?"
    between = r"\s*(?:,\s*(?:and|or)\b|,|;|/|&|\band\b|\bor\b)\s*"
    alone = r"(?!(?:19|20)\d\d\b)" + number + r"(?=\s*(?:$|[.,;:)\]/!?&]|and\b|or\b))"
    range_of = r"(?:\s*(?:-|–|\bto\b)\s*(?P<last>\d{1,5})\b(?![.-]\d))?"
    lead = r"(?:[-_:`#\[]|\s|\bno\.?\s|№){0,4}"
    plural = rf"s{lead}(?P<first>{number}){range_of}(?P<more>(?:{between}{again}{number})*)"
    singular = rf"{lead}(?P<one>{number})(?P<rest>(?:{between}(?:(?:{name})[- ]?|-)?{alone})*)"
    pattern = rf"(?<![\w/.-])(?:{name})(?:{plural}|{singular})"
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


@cache
def _build_addresses(words: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Addresses of records: `/pep-0484`, `0007-queues.md`, `keps/sig-node/753-x`, and those that the table has."""
    name = "|".join(re.escape(word) for word in words)
    patterns = [
        rf"/(?:{name})-?(\d{{1,5}})\b",
        r"(?<![\w-])(\d{1,5})-[a-z][\w-]*\.(?:md|markdown|rst|adoc)\b",
        rf"\b(?:{name})s?/(?:[a-z][\w-]*/)?(\d{{1,5}})-[a-z]",
    ]
    named = read_links()["addresses"]
    patterns += [named[word] for word in words if word in named]
    return tuple(re.compile(each, re.IGNORECASE) for each in patterns)
