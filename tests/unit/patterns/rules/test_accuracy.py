"""Labelled sets are read the same whether they are compressed or not."""

from pathlib import Path

from patterns.rules.accuracy import list_corpora, load_corpus, name_corpus, open_lines

LINES = '{"id": "a", "text": "مقاسي M"}\n\n{"id": "b", "text": "мой размер M"}\n'


def test_a_compressed_set_is_read_like_any_other_and_takes_more_lines(tmp_path: Path) -> None:
    plain, packed = tmp_path / "dev.jsonl", tmp_path / "dev2.jsonl.gz"
    for path in (plain, packed):
        for line in LINES.splitlines(keepends=True):
            with open_lines(path, "at") as file:
                file.write(line)
    (tmp_path / "notes.txt").write_text("not a set")
    assert [row["id"] for row in load_corpus(packed)] == ["a", "b"]
    assert load_corpus(packed) == load_corpus(plain)
    assert [name_corpus(path) for path in list_corpora(tmp_path)] == ["dev", "dev2"]
