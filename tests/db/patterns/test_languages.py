"""Rows and packs read alike: the order of rows decides nothing, the language of a message least of all."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from patterns.rules.accuracy import load_corpus
from patterns.rules.pack import SHIPPED, compile_packs, load_pack
from patterns.selectors import get_stored_pack
from tests.packs import bring_in

pytestmark = pytest.mark.django_db

CORPUS = load_corpus(Path(__file__).parents[2] / "data" / "instant" / "proof")


def test_rules_from_rows_tell_the_languages_that_the_pack_tells() -> None:
    pack = load_pack(SHIPPED)
    bring_in(pack)
    from_files, from_rows = (
        compile_packs([pack], version=1),
        compile_packs([get_stored_pack(tenant_id=None)], version=1),
    )
    differing = []
    for row in CORPUS:
        said_at = datetime.fromisoformat(row["now"])
        languages = [rules.read(row["text"], said_at=said_at).language for rules in (from_files, from_rows)]
        if len(set(languages)) > 1:
            differing.append((row["id"], *languages))
    assert differing == []


def test_rows_mend_the_same_misspelt_words_as_the_files(db: None) -> None:
    pack = load_pack(SHIPPED)
    bring_in(pack)
    stored, shipped = (compile_packs([one], version=1) for one in (get_stored_pack(tenant_id=None), pack))
    said_at = datetime(2026, 3, 2, 12, tzinfo=UTC)
    for text in ("i'm alergiic to wool, and never sugest leather", "la t8tr7in jld"):
        assert stored.read(text, said_at=said_at).readings == shipped.read(text, said_at=said_at).readings != ()
