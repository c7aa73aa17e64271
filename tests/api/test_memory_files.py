"""Files of a model's memory tool over the running service: what each command answers, and what it refuses."""

from types import SimpleNamespace
from typing import Any

import pytest

from memory.types import TenantRef
from tests.caller import make_caller
from unde_memory import Memory
from unde_memory.memory_files import MemoryCommands, MemoryFiles, Refused

pytestmark = pytest.mark.django_db(transaction=True)


class Commands:
    """The commands as a model gives them: a name and its arguments."""

    def __init__(self, memory: Memory, user: str) -> None:
        self.commands = MemoryCommands(MemoryFiles(memory, user))

    def __call__(self, name: str, **given: Any) -> str:
        defaults = {"view_range": None, "new_str": None}
        return str(getattr(self.commands, name)(SimpleNamespace(**{**defaults, **given})))

    def make(self, path: str, text: str = "text") -> None:
        assert self("create", path=path, file_text=text) == f"File created successfully at: {path}"

    def refuse(self, name: str, **given: Any) -> str:
        with pytest.raises(Refused) as refused:
            self(name, **given)
        return str(refused.value)


@pytest.fixture
def use(live_server: Any, tenant: TenantRef) -> Commands:
    key = make_caller(tenant).client.defaults["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    return Commands(Memory(url=live_server.url, api_key=key), "layla")


def test_a_file_is_made_shown_changed_and_gone(use: Commands) -> None:
    use.make("/memories/notes.md", "one\ntwo\nthree\n")
    shown = use("view", path="/memories/notes.md")
    assert shown.splitlines()[1:4] == ["     1\tone", "     2\ttwo", "     3\tthree"]
    assert use("view", path="/memories/notes.md", view_range=[2, 2]).splitlines()[1:] == ["     2\ttwo"]
    assert use("view", path="/memories/notes.md", view_range=[3, -1]).splitlines()[1] == "     3\tthree"
    assert "2\tTWO" in use("str_replace", path="/memories/notes.md", old_str="two", new_str="TWO")
    use("insert", path="/memories/notes.md", insert_line=0, insert_text="zero\n")
    use("insert", path="/memories/notes.md", insert_line=4, insert_text="four")
    use("str_replace", path="/memories/notes.md", old_str="TWO\n")
    assert use.commands.files.read("/memories/notes.md")[0] == "zero\none\nthree\nfour\n"
    assert use("delete", path="/memories/notes.md") == "Successfully deleted /memories/notes.md"
    assert "does not exist" in use.refuse("view", path="/memories/notes.md")
    assert use("view", path="/memories").splitlines()[1] == "0B\t/memories"


def test_folders_are_listed_moved_and_deleted_with_what_is_in_them(use: Commands) -> None:
    for path in ("/memories/a.md", "/memories/office/b.md", "/memories/office/deep/c.md", "/memories/.hidden/d.md"):
        use.make(path, "12345")
    lines = use("view", path="/memories").splitlines()[2:]
    assert lines == [
        "5B\t/memories/a.md",
        "10B\t/memories/office/",
        "5B\t/memories/office/b.md",
        "5B\t/memories/office/deep/",
    ]
    use("rename", old_path="/memories/office", new_path="/memories/done")
    assert "does not exist" in use.refuse("view", path="/memories/office")
    assert "12345" in use("view", path="/memories/done/deep/c.md")
    use("delete", path="/memories/done")
    assert sorted(use.commands.files.list_all()) == ["/memories/.hidden/d.md", "/memories/a.md"]
    assert use.commands.clear() == "All memory cleared"
    assert use.commands.files.list_all() == {}


def test_what_a_disk_would_refuse_is_refused(use: Commands) -> None:
    use.make("/memories/a", "x x")
    use.make("/memories/dir/b")
    assert "already exists" in use.refuse("create", path="/memories/a", file_text="y")
    for path in ("/memories", "/memories/dir", "/memories/dir/"):
        assert "directory" in use.refuse("create", path=path, file_text="y")
    assert "through a file" in use.refuse("create", path="/memories/a/c", file_text="y")
    assert "1, 1" in use.refuse("str_replace", path="/memories/a", old_str="x", new_str="y")
    assert "did not appear" in use.refuse("str_replace", path="/memories/a", old_str="z", new_str="y")
    assert "[0, 1]" in use.refuse("insert", path="/memories/a", insert_line=5, insert_text="y")
    assert "not a file" in use.refuse("insert", path="/memories/dir", insert_line=0, insert_text="y")
    assert "does not exist" in use.refuse("delete", path="/memories/none")
    assert "Cannot delete" in use.refuse("delete", path="/memories")
    assert "already exists" in use.refuse("rename", old_path="/memories/a", new_path="/memories/dir/b")
    assert "into itself" in use.refuse("rename", old_path="/memories/dir", new_path="/memories/dir/in")
    assert "through a file" in use.refuse("rename", old_path="/memories/dir", new_path="/memories/a/in")
    for path in ("/etc/passwd", "/memories/../etc", "/memories_evil/x", "memories/a", "/memories/%2e%2e/../../x"):
        assert "/memories" in use.refuse("create", path=path, file_text="y")
    assert use.commands.files.read("/memories/a")[0] == "x x"


def test_two_who_write_at_once_lose_nothing_and_users_are_apart(use: Commands) -> None:
    use.make("/memories/a", "start\n")
    files, read = use.commands.files, use.commands.files.read
    was_disturbed = False

    def read_and_be_disturbed(path: str) -> tuple[str, int]:
        nonlocal was_disturbed
        found = read(path)
        if not was_disturbed:
            was_disturbed = True
            assert files.write(path, found[0] + "theirs\n", over=found[1])
        return found

    files.read = read_and_be_disturbed  # type: ignore[method-assign]
    use("insert", path="/memories/a", insert_line=0, insert_text="mine")
    assert read("/memories/a")[0] == "mine\nstart\ntheirs\n"
    assert Commands(files.memory.as_user("bob"), "bob").commands.files.list_all() == {}
