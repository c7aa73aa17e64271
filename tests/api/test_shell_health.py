"""Liveness, readiness, figures and the document of the API."""

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from config.api import health
from config.launch.states import ProcessState, write_states
from config.settings import tuning
from memory.registries import QueueProbe, Registry

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.api.shell_views")]


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def fail_to_count() -> int:
    raise ValueError("у меня аллергия на никель")


def test_a_process_that_lives_says_so_without_a_key(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_a_service_that_can_answer_is_ready(client: Client) -> None:
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ready", "reasons": []})


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
@pytest.mark.parametrize("host", ["10.0.0.5:8000", "[fd00::5]:8000", "not a host", ""])
def test_balancers_and_scrapers_are_answered_under_any_host(
    client: Client, settings: Any, path: str, host: str
) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["memory.example.com"], True
    response = client.get(path, headers={"Host": host})
    assert response.status_code == 200
    assert response["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("path", ["/v1/users/alice/notes", "/admin/login/", "/healthz/", "/nowhere"])
def test_everything_else_is_refused_under_a_host_that_is_not_ours(client: Client, settings: Any, path: str) -> None:
    settings.ALLOWED_HOSTS = ["memory.example.com"]
    assert client.get(path, headers={"Host": "10.0.0.5:8000"}).status_code == 400


def test_queues_are_counted_by_the_probes_of_the_rooms_and_a_broken_one_hides_no_other(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    probes: Registry[QueueProbe] = Registry("queue probes")
    probes.register("extraction_pending", QueueProbe(count_pending=fail_to_count))
    probes.register("embedding_pending", QueueProbe(count_pending=lambda: 2))
    monkeypatch.setattr("config.observability.queues.queue_probes", probes)
    assert client.get("/readyz?verbose=1").json()["queues"] == {"extraction_pending": None, "embedding_pending": 2}
    assert 'unde_queue_pending{queue="embedding_pending"} 2.0' in client.get("/metrics").content.decode()


def test_verbose_readiness_tells_services_and_versions(client: Client) -> None:
    body = client.get("/readyz?verbose=1").json()
    assert set(body["services"].values()) == {"ok"}
    assert list(body["services"]) == [
        "database",
        "role",
        "migrations",
        "keys",
        "cache",
        "rules",
        "processes",
        "storage",
    ]
    assert body["versions"]["postgresql"].startswith("18")
    assert body["versions"]["vector"]


def test_without_a_key_store_the_service_is_not_ready_and_says_why(client: Client, settings: Any) -> None:
    settings.UNDE_MASTER_KEYS = ""
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"status": "not_ready", "reasons": ["keys: the key store cannot be read"]}


def test_without_the_database_the_service_is_not_ready_and_tells_no_address(client: Client) -> None:
    def is_gone(*_: Any) -> Any:
        raise OSError("host=10.0.0.5 password=secret")

    with connection.execute_wrapper(is_gone):
        response = client.get("/readyz?verbose=1")
    assert response.status_code == 503
    assert response.json()["reasons"] == ["database: cannot be reached"]
    assert "10.0.0.5" not in response.content.decode()


def test_without_the_cache_the_service_stays_ready_and_says_so_when_asked(client: Client, settings: Any) -> None:
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "unix:///nowhere/redis.sock"}
    }
    response = client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (200, "ready")
    assert response.json()["reasons"] == [f"cache: {health._check_cache()}"]
    assert "cannot be reached" in client.get("/readyz?verbose=1").json()["services"]["cache"]


def test_a_process_that_keeps_dying_is_named_while_requests_succeed(
    client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.UNDE_DATA_DIR = tmp_path
    at = datetime(2026, 3, 2, 12, tzinfo=UTC)
    looping = ProcessState(is_up=False, restarts=9, quick_deaths=7, code=1, next_try_at=at.timestamp())
    write_states(tmp_path, {"web": ProcessState(), "worker": looping})
    response = client.get("/readyz?verbose=1")
    assert response.status_code == 200
    assert response.json()["reasons"] == ["processes: worker has ended 7 times in a row (code 1)"]
    assert response.json()["processes"] == {
        "web": {"up": True, "restarts": 0, "last_code": None, "next_try_at": None},
        "worker": {"up": False, "restarts": 9, "last_code": 1, "next_try_at": "2026-03-02T12:00:00+00:00"},
    }
    figures = client.get("/metrics").content.decode()
    assert 'unde_process_crash_loop{process="worker"} 1.0' in figures
    assert 'unde_process_restarts{process="worker"} 9.0' in figures


def test_what_a_launcher_that_is_gone_left_behind_is_not_told(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.UNDE_DATA_DIR = tmp_path
    write_states(tmp_path, {"worker": ProcessState(quick_deaths=7)})
    gone = subprocess.Popen(["true"])
    gone.wait()
    states = tmp_path / "processes.json"
    states.write_text(states.read_text().replace(f'"launcher": {os.getpid()}', f'"launcher": {gone.pid}'))
    assert client.get("/readyz").json()["reasons"] == []


def test_a_disk_with_little_room_is_told_while_requests_succeed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "DISK_LOW_BYTES", 10**18)
    monkeypatch.setattr(tuning, "DISK_LOW_RATIO", 1.1)
    response = client.get("/readyz")
    assert response.status_code == 200
    (reason,) = response.json()["reasons"]
    assert re.fullmatch(r"storage: \d+% of the disk of \w+ is free \(\d+ MB\)", reason)
    figures = client.get("/metrics").content.decode()
    assert 'unde_disk_low{folder="data"} 1.0' in figures
    assert re.search(r'unde_disk_free_bytes\{folder="data"\} [1-9]', figures)
    assert re.search(r'unde_disk_free_ratio\{folder="data"\} 0\.', figures)
    assert "unde_storage_full 0.0" in figures


def test_figures_tell_a_cache_that_is_gone_and_a_beat_that_never_started(client: Client, settings: Any) -> None:
    assert "unde_cache_up 1.0" in client.get("/metrics").content.decode()
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "unix:///nowhere/redis.sock"}
    }
    figures = client.get("/metrics").content.decode()
    assert "unde_cache_up 0.0" in figures
    assert "unde_beat_silence_seconds +Inf" in figures


def test_figures_count_requests_by_route_and_never_by_path(client: Client) -> None:
    client.get("/v1/users/alice-who-must-not-be-named/notes")
    text = client.get("/metrics").content.decode()
    assert 'route="v1/users/<external:user_id>/notes",status="401"' in text
    assert "must-not-be-named" not in text
    assert "unde_http_request_seconds_bucket" in text


def read_queue_length() -> list[Any]:
    from prometheus_client.core import GaugeMetricFamily

    return [GaugeMetricFamily("unde_embedding_pending", "Messages that wait for a vector.", value=7)]


def test_figures_read_from_the_database_are_added_and_one_that_fails_does_not_hide_the_rest(
    client: Client, settings: Any
) -> None:
    settings.METRIC_READERS = [f"{__name__}.fail_to_count", f"{__name__}.read_queue_length"]
    assert "unde_embedding_pending 7.0" in client.get("/metrics").content.decode()
    assert f'reader="{__name__}.fail_to_count"' in client.get("/metrics").content.decode()


def test_figures_of_several_processes_are_added_up(tmp_path: Any) -> None:
    import sys

    code = (
        "import django, os, sys; django.setup()\n"
        "from config.observability.metrics import observe_request, render_metrics\n"
        "observe_request(method='GET', route='v1/x', status=200, seconds=0.01)\n"
        "sys.stdout.buffer.write(render_metrics())\n"
    )
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for expected in ("1.0", "2.0"):
        text = subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
        ).stdout
        assert f'unde_http_requests_total{{method="GET",route="v1/x",status="200"}} {expected}' in text


def test_the_document_describes_bodies_queries_answers_errors_and_the_key(client: Client) -> None:
    document = client.get("/v1/schema?format=json").json()
    post = document["paths"]["/v1/notes"]["post"]
    assert post["requestBody"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Note"}
    assert set(post["responses"]) == {"201", "400", "401", "403", "404", "413", "429", "503"}
    assert post["security"] == [{"apiKey": []}]
    schemas = document["components"]["schemas"]
    assert schemas["Note"]["properties"]["parts"]["items"] == {"$ref": "#/components/schemas/Part"}
    assert schemas["Note"]["additionalProperties"] is False
    assert schemas["Part"]["properties"]["count"]["minimum"] == 0
    query = {parameter["name"]: parameter for parameter in document["paths"]["/v1/notes"]["get"]["parameters"]}
    assert query["limit"]["schema"]["maximum"] == 200
    assert query["role"]["schema"]["type"] == "array"
    assert document["components"]["securitySchemes"]["apiKey"]["scheme"] == "bearer"


def test_the_page_of_the_document_loads_nothing_from_elsewhere(client: Client) -> None:
    page = client.get("/v1/docs").content.decode()
    assert "swagger-ui" in page
    assert "https://" not in page.replace("https://swagger.io", "")
