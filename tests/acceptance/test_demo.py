"""The demo is held to its own script, and the README to the answers that it shows."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from config.launch import paths
from tests.acceptance.service_process import ServiceProcess, build_environment, find_free_port

pytestmark = pytest.mark.slow

CONVERSATION = paths.ROOT / "demo" / "conversation.yaml"


def run_demo(service: ServiceProcess, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`script/demo` as a person runs it on the same data directory."""
    command = [sys.executable, "-P", "-m", "demo", *arguments]
    environment = build_environment(service.data, PORT=str(service.port))
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)


def test_every_line_of_the_demo_is_as_its_file_says(service: ServiceProcess) -> None:
    ran = run_demo(service, "--assert", "--plain")
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr
    assert "NOT AS EXPECTED" not in ran.stdout
    *_, last, _, page = ran.stdout.rstrip().splitlines()
    assert last.endswith("each as expected.") and "/memory/open/" in page
    assert "\x1b[" not in ran.stdout


def test_after_the_demo_everything_is_what_the_logs_say(service: ServiceProcess) -> None:
    command = [str(paths.ROOT / "script" / "manage"), "rebuild", "--tenant", "demo", "--diff"]
    environment = build_environment(service.data, PORT=str(service.port))
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr
    assert "users compared: no differences" in ran.stdout


def test_a_second_run_has_users_of_its_own(service: ServiceProcess) -> None:
    first, second = (run_demo(service, "--assert").stdout.splitlines()[0] for _ in range(2))
    assert first != second


def test_the_console_pages_of_the_same_user_are_named(service: ServiceProcess) -> None:
    said = run_demo(service, "--plain", "--open").stdout
    page = next(line for line in said.splitlines() if line.startswith("Layla's memory: "))
    assert page.partition(": ")[2].startswith(f"http://127.0.0.1:{service.port}/admin/memory/user/")


def test_an_answer_that_is_not_expected_makes_the_demo_fail(service: ServiceProcess, tmp_path: Path) -> None:
    script = yaml.safe_load(CONVERSATION.read_text(encoding="utf-8"))
    hello = next(step for step in script["scenes"][0]["steps"] if step.get("name") == "hello")
    script["scenes"] = [script["scenes"][0] | {"steps": [hello]}]
    hello["expect"]["facts"][0] = "added body_params size = XXL"
    changed = tmp_path / "conversation.yaml"
    changed.write_text(yaml.safe_dump(script, allow_unicode=True), encoding="utf-8")
    ran = run_demo(service, "--assert", "--conversation", str(changed))
    assert ran.returncode == 1
    assert "NOT AS EXPECTED: facts: missing 'added body_params size = XXL'" in ran.stdout
    assert run_demo(service, "--conversation", str(changed)).returncode == 0


def test_a_wrong_key_is_said_in_a_sentence(service: ServiceProcess) -> None:
    ran = run_demo(service, "--key", "nonsense")
    assert ran.returncode == 1
    assert ran.stderr == "The key is not accepted. Use the key that script/server printed: --key KEY\n"


def test_without_a_service_the_demo_says_how_to_start_it(service: ServiceProcess) -> None:
    ran = run_demo(service, "--url", f"http://127.0.0.1:{find_free_port()}")
    assert ran.returncode == 1
    assert "Start it first: script/server" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_calls_of_the_readme_answer_what_it_shows(service: ServiceProcess) -> None:
    readme = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    first, second = (json.loads(body) for body in re.findall(r"-d '(\{.*?\})'", readme, re.DOTALL))
    shown = json.loads(re.search(r"```json\n(.*?)```", readme, re.DOTALL)[1])  # type: ignore[index]
    rendered = re.search(r"```xml\n(.*?)```", readme, re.DOTALL)[1]  # type: ignore[index]
    status, answer = service.call("/v1/messages", first)
    assert status == 201
    assert describe(json.loads(answer)) == describe(shown)
    status, pack = service.call("/v1/context", second)
    assert status == 200
    system = json.loads(pack)["rendered"]["messages"][0]["content"]
    values = re.compile(r'key="(\w+)"[^>]*>(\w+)\n\[user\] ([^<]+)</user_memory>')
    assert len(values.findall(rendered)) == 2
    assert values.findall(system) == values.findall(rendered)


def describe(answer: dict) -> dict:
    """An answer without what is new in every run."""
    facts = [{name: value for name, value in fact.items() if name != "id"} for fact in answer["facts"]]
    return {name: value for name, value in answer.items() if name != "id"} | {"facts": facts}
