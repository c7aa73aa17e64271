import re
import shutil
import subprocess
from pathlib import Path

import pytest

from config.launch import bootstrap, paths


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with requirements and an environment that looks installed."""
    environment = tmp_path / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin/python").write_text("")
    (environment / "pyvenv.cfg").write_text("version = 3.11.7\n")
    (tmp_path / "requirements.txt").write_text("Django\n")
    (tmp_path / "requirements-dev.txt").write_text("-r requirements.txt\npytest\n")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "ENVIRONMENT", environment)
    monkeypatch.setattr(bootstrap, "STAMP", environment / "installed.json")
    monkeypatch.setattr(bootstrap, "PYTHON", environment / "bin/python")
    return tmp_path


def test_what_is_installed_is_not_installed_again(checkout: Path) -> None:
    assert not bootstrap.is_installed(["requirements.txt"])
    bootstrap.write_stamp("requirements.txt")
    assert bootstrap.is_installed(["requirements.txt"])


def test_the_service_alone_does_not_count_as_the_tests_tools(checkout: Path) -> None:
    bootstrap.write_stamp("requirements.txt")
    assert not bootstrap.is_installed(["requirements.txt", "requirements-dev.txt"])
    bootstrap.write_stamp("requirements-dev.txt")
    assert bootstrap.is_installed(["requirements.txt", "requirements-dev.txt"])


@pytest.mark.parametrize("changed", ["requirements.txt", ".venv/pyvenv.cfg"])
def test_changed_requirements_or_another_python_install_again(checkout: Path, changed: str) -> None:
    bootstrap.write_stamp("requirements.txt")
    (checkout / changed).write_text("changed")
    assert not bootstrap.is_installed(["requirements.txt"])


def test_an_environment_without_python_is_not_installed(checkout: Path) -> None:
    bootstrap.write_stamp("requirements.txt")
    (checkout / ".venv/bin/python").unlink()
    assert not bootstrap.is_installed(["requirements.txt"])
    assert not bootstrap.is_usable()


def test_a_python_that_is_too_old_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is needed"):
        bootstrap.enter("config.launch.serve", requirements=["requirements.txt"])


@pytest.mark.parametrize("name", ["server", "manage", "test", "demo"])
def test_help_installs_nothing_and_shows_an_example(name: str, tmp_path: Path) -> None:
    for part in ("script", "config/launch"):
        (tmp_path / part).mkdir(parents=True)
    for file in (f"script/{name}", "config/launch/bootstrap.py", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(paths.ROOT / file, tmp_path / file)
    told = subprocess.run([tmp_path / "script" / name, "--help"], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")
    assert f"    script/{name}" in told.stdout
    assert not (tmp_path / ".venv").exists()


def test_the_help_of_the_server_explains_its_variables() -> None:
    told = subprocess.run([paths.ROOT / "script/server", "--help"], capture_output=True, text=True, check=True).stdout
    for name in ("PORT", "UNDE_HOST", "ALLOWED_HOSTS", "UNDE_DATA_DIR", "DATABASE_URL", "REDIS_URL"):
        assert f"\n  {name} " in told
    assert "PORT=9000 " in told


def test_the_help_of_an_installed_command_is_its_own(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap.write_stamp("requirements.txt")
    became: list[list[str]] = []
    monkeypatch.setattr(bootstrap.sys, "argv", ["script/manage", "--help"])
    monkeypatch.setattr(bootstrap.os, "execve", lambda _, arguments, __: became.append(arguments))
    bootstrap.enter("config.launch.manage", requirements=["requirements.txt"], usage="Short.", has_own_help=True)
    assert became[0][-2:] == ["config.launch.manage", "--help"]


@pytest.mark.parametrize(
    ("python", "said"),
    [("#!/bin/sh\necho 3.10.13; exit 1\n", "is 3.10.13."), ("#!/bin/sh\nexit 127\n", "is none that starts.")],
)
def test_a_named_python_that_is_too_old_is_told_before_anything_is_removed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, python: str, said: str
) -> None:
    named = checkout / "python-of-ours"
    named.write_text(python)
    named.chmod(0o755)
    monkeypatch.setenv("UNDE_PYTHON", str(named))
    with pytest.raises(SystemExit, match=rf"Python 3\.11 or newer is needed; .*{re.escape(said)}"):
        bootstrap.make_environment()
    assert bootstrap.PYTHON.exists()


def test_a_named_python_that_is_none_is_told(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDE_PYTHON", "/nowhere/python")
    with pytest.raises(SystemExit, match="/nowhere/python that UNDE_PYTHON names cannot be started: No such file"):
        bootstrap.make_environment()


def test_a_python_without_venv_is_told_what_to_install(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "choose_python", lambda: bootstrap.sys.executable)
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="apt-get install python3-venv"):
        bootstrap.make_environment()


@pytest.fixture
def system_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution's Python, beside this one of which nothing says that it was built with optimisation."""
    python = tmp_path / "python3.11"
    python.write_text("#!/bin/sh\nexit 0\n")
    python.chmod(0o755)
    monkeypatch.setattr(bootstrap, "SYSTEM_PYTHON", python)
    monkeypatch.setattr(bootstrap.sysconfig, "get_config_var", lambda name: "--prefix=/home/me/.pyenv")
    monkeypatch.delenv("UNDE_PYTHON", raising=False)
    return python


def test_the_distributions_python_takes_the_place_of_one_built_without_optimisation(system_python: Path) -> None:
    assert bootstrap.choose_python() == str(system_python)


def test_a_python_that_was_built_with_optimisation_stays(system_python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.sysconfig, "get_config_var", lambda name: "--enable-optimizations --with-lto")
    assert bootstrap.choose_python() == bootstrap.sys.executable


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", None])
def test_a_distributions_python_that_lacks_something_is_left_alone(system_python: Path, text: str | None) -> None:
    system_python.unlink() if text is None else system_python.write_text(text)
    assert bootstrap.choose_python() == bootstrap.sys.executable


def test_the_python_that_the_operator_names_is_taken(system_python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDE_PYTHON", "/opt/python/bin/python3")
    assert bootstrap.choose_python() == "/opt/python/bin/python3"
