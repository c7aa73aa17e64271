"""Packs as zip files, and what differs between files and rows."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

import yaml
from django.conf import settings
from django.core.exceptions import ValidationError

from patterns.matching.lexicon import Entry
from patterns.models import LexiconEntry, Rule
from patterns.rules.differences import FieldDifference, list_differences
from patterns.rules.lint import is_storable
from patterns.rules.pack import PHRASES_FOLDER, Pack, PackError, load_pack
from patterns.selectors import get_stored_pack, read_entry_row, read_rule_row
from patterns.services.packs import export_pack, join_entries, make_rule_content
from patterns.services.trials import list_new_failures

_RULE_NAMES: Final = ("knowledge_type", "language", "purpose", "kind", "category", "object_side")
_ENTRY_NAMES: Final = ("category", "canonical", "language")
_UNREADABLE: Final = (
    *(yaml.YAMLError, AttributeError, TypeError, LookupError, ValueError, RecursionError),  # what is in the files
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError),  # the zip around them
)


@dataclass(frozen=True, slots=True)
class PackRow:
    """One rule or entry that is not the same in files and rows. `where`: both, files or rows."""

    name: str
    kind: str
    where: str
    differences: tuple[FieldDifference, ...]


def write_zip(*, name: str, tenant_id: UUID | None = None) -> bytes:
    """The shared rows, or a tenant's own, as a pack directory in a zip. Reads only."""
    with tempfile.TemporaryDirectory() as folder:
        files = export_pack(folder=Path(folder) / name, tenant_id=tenant_id)
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, f"{name}/{file.relative_to(Path(folder) / name)}")
    return target.getvalue()


def read_zip(data: bytes) -> Pack:
    """The pack in a zip: YAML files, at the top or in one folder. Raises PackError with what is wrong with it."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        infos = [info for info in archive.infolist() if info.filename.endswith(".yaml")]
    except zipfile.BadZipFile:
        raise PackError(["this file is not a zip archive"]) from None
    files, size = settings.UNDE_TUNING.PACK_MAX_FILES, settings.UNDE_TUNING.PACK_MAX_BYTES
    if not infos or len(infos) > files or sum(info.file_size for info in infos) > size:
        raise PackError([f"a pack is 1 to {files} YAML files of together at most {size >> 20} MB"])
    tops = [Path(info.filename).parent for info in infos if not _is_of_phrases(info)]
    name = re.sub(r"[^\w-]", "", tops[0].name if tops else "")[: settings.UNDE_TUNING.PACK_MAX_NAME] or "upload"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / name
        (folder / PHRASES_FOLDER).mkdir(parents=True)
        try:
            for info in infos:
                # Names alone: a path inside the zip must not lead out of the folder.
                target = folder / PHRASES_FOLDER if _is_of_phrases(info) else folder
                (target / Path(info.filename).name).write_bytes(archive.read(info))
            pack = load_pack(folder)
        except _UNREADABLE as error:
            raise PackError([f"the files are not a valid rule pack: {type(error).__name__}"]) from None
    problems = _list_unstorable(pack)
    if problems:
        raise PackError(problems)
    return pack


def _list_unstorable(pack: Pack) -> list[str]:
    """What the database would not take. Rules and entries go by number: their names may be what is wrong."""
    problems: list[str] = []
    for number, rule in enumerate(pack.rules, start=1):
        row = Rule(slug=rule.slug, **{name: getattr(rule, name) for name in _RULE_NAMES})
        problems += _list_faults(f"rule number {number}", row, ("slug", *_RULE_NAMES), astuple(rule))
    for number, entry in enumerate(pack.entries, start=1):
        stored = LexiconEntry(**{name: getattr(entry, name) for name in _ENTRY_NAMES})
        problems += _list_faults(f"entry number {number}", stored, _ENTRY_NAMES, astuple(entry))
    return problems


def _list_faults(name: str, row: Rule | LexiconEntry, checked: Iterable[str], parts: Iterable[object]) -> list[str]:
    texts = [str(text) for part in parts for text in (part if isinstance(part, tuple) else (part,))]
    if not all(is_storable(text) for text in texts):
        return [f"{name} contains an invalid character: a NUL, or half of a surrogate pair"]
    try:
        row.clean_fields(exclude={field.name for field in row._meta.fields} - set(checked))
    except ValidationError as error:
        return [f"{name}, {field}: {' '.join(said)}" for field, said in error.message_dict.items()]
    return []


def _is_of_phrases(info: zipfile.ZipInfo) -> bool:
    return Path(info.filename).parent.name == PHRASES_FOLDER


def check_pack(pack: Pack) -> None:
    """Try a pack together with the rows that it would not replace. Raises PackError with every reason against it.

    A pack may hold a few rules alone: their words are in the rows. Reads only.
    """
    stored = get_stored_pack(tenant_id=None)
    slugs = {rule.slug for rule in pack.rules}
    names = {(entry.category, entry.canonical, entry.language) for entry in pack.entries}
    rules = [rule for rule in stored.rules if rule.slug not in slugs]
    entries = [one for one in stored.entries if (one.category, one.canonical, one.language) not in names]
    together = Pack(stored.name, (*rules, *pack.rules), (*entries, *pack.entries))
    problems = list_new_failures(stored, together)
    if problems:
        raise PackError(problems)


def compare_pack(pack: Pack, *, tenant_id: UUID | None) -> list[PackRow]:
    """What differs between a pack's files and the rows for all, or a tenant's own; by kind and name. Reads only."""
    rules = {row.slug: row for row in Rule.objects.filter(tenant_id=tenant_id).exclude(state="draft")}
    found = [_compare_rule(rule.slug, make_rule_content(rule), rules.pop(rule.slug, None)) for rule in pack.rules]
    found += [PackRow(slug, "rule", "rows", ()) for slug, row in rules.items() if row.is_active]
    entries = {
        (row.category, row.canonical, row.language): row
        for row in LexiconEntry.objects.filter(tenant_id=tenant_id).exclude(state="draft")
    }
    for entry in join_entries(pack.entries):
        found.append(_compare_entry(entry, entries.pop((entry.category, entry.canonical, entry.language), None)))
    found += [PackRow("/".join(name), "words", "rows", ()) for name, row in entries.items() if row.is_active]
    return sorted(_drop_equal(found), key=lambda one: (one.kind, one.where, one.name))


def _drop_equal(found: Iterable[PackRow | None]) -> list[PackRow]:
    return [one for one in found if one is not None]


def _compare_rule(slug: str, content: dict[str, object], row: Rule | None) -> PackRow | None:
    if row is None:
        return PackRow(slug, "rule", "files", ())
    differences = list_differences(make_rule_content(read_rule_row(row)), content)
    return PackRow(slug, "rule", "both", tuple(differences)) if differences else None


def _compare_entry(entry: Entry, row: LexiconEntry | None) -> PackRow | None:
    name = f"{entry.category}/{entry.canonical}/{entry.language}"
    if row is None:
        return PackRow(name, "words", "files", ())
    stored = read_entry_row(row)
    before = {"aliases": sorted({*stored.aliases, *stored.forms}), "is_active": row.is_active}
    after = {"aliases": sorted({*entry.aliases, *entry.forms}), "is_active": True}
    differences = list_differences(before, after)
    return PackRow(name, "words", "both", tuple(differences)) if differences else None
