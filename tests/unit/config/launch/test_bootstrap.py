from pathlib import Path

import pytest

from config.launch import bootstrap


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


def test_a_python_without_venv_is_told_what_to_install(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="apt-get install python3-venv"):
        bootstrap.make_environment()
