"""How much memory the embedded database takes."""

from dataclasses import replace
from pathlib import Path

import pytest

from config.launch.embedded import postgres
from config.launch.embedded.postgres import Postgres, read_memory
from config.launch.folders import Folders


@pytest.fixture
def limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(postgres, "CONTAINER_LIMIT", tmp_path / "memory.max")
    return tmp_path / "memory.max"


def make_cluster(folder: Path) -> Postgres:
    return Postgres(places=Folders(data=folder, state=folder, run=folder, account=None), programs=folder)


def test_a_container_counts_what_it_may_use(limit: Path):
    machine = read_memory()
    limit.write_text("1073741824\n")
    assert read_memory() == min(machine, 2**30)
    limit.write_text("max\n")
    assert read_memory() == machine


@pytest.mark.parametrize(("memory", "size"), [(2**28, "64MB"), (2**33, "1024MB"), (2**40, "4096MB")])
def test_the_database_buffers_an_eighth_of_the_memory_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int, size: str
):
    monkeypatch.setattr(postgres, "read_memory", lambda: memory)
    cluster = make_cluster(tmp_path)
    assert cluster._size_buffers() == size
    assert replace(cluster, is_fast=True)._size_buffers() == "128MB"


@pytest.mark.parametrize(("memory", "kept", "largest"), [(2**28, 4, 4), (2**33, 64, 32), (2**40, 128, 32)])
def test_its_processes_keep_freed_memory_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int, kept: int, largest: int
):
    monkeypatch.setattr(postgres, "read_memory", lambda: memory)
    cluster = make_cluster(tmp_path)
    wanted = {"MALLOC_TRIM_THRESHOLD_": str(kept * 2**20), "MALLOC_MMAP_THRESHOLD_": str(largest * 2**20)}
    assert cluster._command([]).environment.items() >= wanted.items()
    assert "MALLOC_TRIM_THRESHOLD_" not in replace(cluster, is_fast=True)._command([]).environment


def test_only_libraries_that_are_there_are_loaded(tmp_path: Path):
    (tmp_path / "lib").mkdir()
    programs = tmp_path / "bin"
    cluster = replace(make_cluster(tmp_path), programs=programs)
    assert cluster._choose_libraries() == {}
    for name in ("pg_prewarm", "pg_stat_statements"):
        (tmp_path / f"lib/{name}.so").touch()
    wanted = {"shared_preload_libraries": "pg_stat_statements,pg_prewarm", "pg_stat_statements.track_utility": "off"}
    assert cluster._choose_libraries() == wanted
    fast = replace(cluster, is_fast=True)._choose_libraries()
    assert fast == wanted | {"shared_preload_libraries": "pg_stat_statements"}
