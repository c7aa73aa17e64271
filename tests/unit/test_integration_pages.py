"""Pages of the other ways in, and for those who switch: every call and every adapter that they name exists."""

import ast
import re
import runpy
import tomllib
from pathlib import Path

import pytest

from config.mcp.tools import TOOLS
from config.mem0 import views
from tests.contract import list_operations

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "python"
PAGES = sorted((ROOT / "docs" / "integrations").glob("*.md"))
CALL = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/v1/[^`?]*)[^`]*`")
ADAPTERS = {
    "langgraph": "langgraph.py",
    "openai-agents": "openai_agents.py",
    "anthropic": "anthropic.py",
    "adk": "adk.py",
    "langchain": "langchain.py",
    "agent-framework": "agent_framework.py",
    "llama-index": "llama_index.py",
}


def blank(path: str) -> str:
    """A path without the names of its parameters."""
    return re.sub(r"\{[^}]*\}", "{}", path)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_call_that_a_page_names_is_one_of_the_api(page: Path) -> None:
    offered = {blank(name) for name, _ in list_operations()}
    named = {f"{method} {blank(path)}" for method, path in CALL.findall(page.read_text(encoding="utf-8"))}
    assert named <= offered


def test_the_pages_for_those_who_switch_name_calls_at_all() -> None:
    text = (ROOT / "docs" / "integrations" / "switching.md").read_text(encoding="utf-8")
    assert len(CALL.findall(text)) > 10


def test_the_tools_of_the_page_are_the_tools_of_the_door() -> None:
    text = (ROOT / "docs" / "integrations" / "mcp.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_]+)` \| ", text.partition("Beside them")[0], re.MULTILINE)
    assert rows == [tool.name for tool in TOOLS]


@pytest.mark.parametrize("extra", ADAPTERS)
def test_an_adapter_is_on_its_page_small_and_has_an_example(extra: str) -> None:
    module = CLIENT / "unde_memory" / ADAPTERS[extra]
    text = module.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    page = (ROOT / "docs" / "integrations" / "frameworks.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if f"| `{extra}` |" in line)
    made = re.search(r"`(\w+)\(", row)
    classes = {node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    assert made is not None and made[1] in classes
    used = [example for example in (CLIENT / "examples").glob("*.py") if made[1] in example.read_text(encoding="utf-8")]
    assert len(used) == 1
    extras = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    examples = runpy.run_path(str(CLIENT / "scripts" / "check_extras.py"))["EXAMPLES"]
    assert set(extras) == set(ADAPTERS) == set(examples)
    assert examples[extra][0] == used[0].name
    assert "\ndef test_" in (CLIENT / "tests" / f"test_{extra.replace('-', '_')}.py").read_text(encoding="utf-8")


def test_every_call_of_the_python_client_of_mem0_has_a_route_or_is_said_to_have_none() -> None:
    offered = {(method, pattern) for method, pattern, _, _ in views._ROUTES}
    wanted = {
        ("POST", "v3/memories/add"),
        ("POST", "v3/memories"),
        ("POST", "v3/memories/search"),
        ("GET", "v1/memories/x"),
        ("PUT", "v1/memories/x"),
        ("DELETE", "v1/memories/x"),
        ("DELETE", "v1/memories"),
        ("GET", "v1/memories/x/history"),
        ("GET", "v1/entities"),
        ("DELETE", "v2/entities/user/x"),
        ("PUT", "v1/batch"),
        ("DELETE", "v1/batch"),
        ("POST", "v1/exports"),
        ("POST", "v1/exports/get"),
        ("POST", "v1/feedback"),
        ("GET", "api/v1/orgs/organizations/o/projects/p"),
        ("PATCH", "api/v1/orgs/organizations/o/projects/p"),
        ("GET", "api/v1/webhooks/projects/p"),
        ("POST", "api/v1/webhooks/projects/p"),
        ("PUT", "api/v1/webhooks/x"),
        ("DELETE", "api/v1/webhooks/x"),
    }
    missing = {one for one in wanted if not any(m == one[0] and re.fullmatch(p, one[1]) for m, p in offered)}
    assert missing == set()
