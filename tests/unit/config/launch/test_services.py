import socket
from pathlib import Path

import pytest

from config.launch.errors import LaunchError
from config.launch.folders import Folders
from config.launch.readiness import check_port
from config.launch.services import Options, empty_folder, list_services, read_options

OPTIONS = Options(host="127.0.0.1", port=8000, web_workers=3, task_workers=2, has_console_logs=False)


@pytest.mark.parametrize("value", ["0", "-1", "eight", "65536", "80.5"])
def test_a_port_that_is_none_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("PORT", value)
    with pytest.raises(LaunchError, match="PORT must be a number"):
        read_options()


def test_without_choices_the_service_listens_to_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PORT", "UNDE_HOST", "WEB_CONCURRENCY", "UNDE_WORKER_CONCURRENCY", "UNDE_CONSOLE_LOGS"):
        monkeypatch.delenv(name, raising=False)
    options = read_options()
    assert (options.address, options.web_workers) == ("http://127.0.0.1:8000", 2)


def test_a_taken_port_is_refused_with_its_number() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LaunchError, match=f"Port {port}"):
            check_port(Options(host="127.0.0.1", port=port, web_workers=1, task_workers=1, has_console_logs=False))


def test_web_connects_as_app_and_the_rest_as_worker(tmp_path: Path) -> None:
    places = Folders(data=tmp_path, state=tmp_path, run=tmp_path, account=None)
    services = {service.name: service for service in list_services(places, options=OPTIONS, environment={"A": "b"})}
    roles = {name: service.command.environment.get("UNDE_DB_ROLE") for name, service in services.items()}
    assert roles == {"web": None, "worker": "worker", "beat": "worker"}
    skips = {name for name, service in services.items() if "CELERY_SKIP_CHECKS" in service.command.environment}
    assert skips == {"worker", "beat"}
    assert "3" in services["web"].command.arguments
    assert "high,normal,recovery,default" in services["worker"].command.arguments


def test_a_folder_of_an_earlier_life_is_emptied(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    empty_folder(folder)
    (folder / "counter_1.db").write_text("1")
    empty_folder(folder)
    assert list(folder.iterdir()) == []
