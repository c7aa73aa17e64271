import io
import json
import logging
from datetime import datetime
from uuid import UUID

import pytest
import structlog

from config.observability.logs import log_request
from memory.errors import Conflict

SECRET = "у меня аллергия на никель"
ALICE = UUID("01900000-0000-7000-8000-00000000000a")


def read_line(log_stream: io.StringIO) -> dict[str, object]:
    lines = log_stream.getvalue().splitlines()
    assert len(lines) == 1
    return json.loads(lines[0])


def test_a_line_has_what_happened_when_where_and_the_bound_ids(log_stream: io.StringIO) -> None:
    structlog.contextvars.bind_contextvars(request_id="r-12345678")
    structlog.get_logger("unde.test").info("message_recorded", user_id=ALICE, count=3)
    line = read_line(log_stream)
    assert line.pop("timestamp")
    assert line == {
        "event": "message_recorded",
        "level": "info",
        "logger": "unde.test",
        "request_id": "r-12345678",
        "user_id": str(ALICE),
        "count": 3,
    }


def test_the_access_line_looks_like_any_other_and_has_the_same_net(log_stream: io.StringIO) -> None:
    structlog.contextvars.bind_contextvars(request_id="r-12345678", tenant_id=ALICE)
    log_request("unde.test", method=SECRET, route="v1/messages", status=201, duration_ms=1.5)
    line = read_line(log_stream)
    assert datetime.fromisoformat(str(line.pop("timestamp"))).tzinfo is not None
    assert line == {
        "event": "request",
        "level": "info",
        "logger": "unde.test",
        "request_id": "r-12345678",
        "tenant_id": str(ALICE),
        "method": "<withheld>",
        "route": "v1/messages",
        "status": 201,
        "duration_ms": 1.5,
    }


@pytest.mark.parametrize(
    "value",
    [SECRET, "I am allergic to nickel", [SECRET], {"text": SECRET}, {SECRET: 1}, ValueError(SECRET), b"nickel " * 3],
    ids=["text", "english", "list", "mapping", "key", "exception", "bytes"],
)
def test_a_value_that_reads_like_text_is_not_written(log_stream: io.StringIO, value: object) -> None:
    structlog.get_logger("unde.test").info("happened", value=value)
    assert "никель" not in log_stream.getvalue()
    assert "nickel" not in log_stream.getvalue()


def test_an_exception_leaves_its_types_and_places_but_not_its_message(log_stream: io.StringIO) -> None:
    def fail() -> None:
        raise ValueError(SECRET)

    try:
        try:
            fail()
        except ValueError as error:
            raise Conflict(SECRET, fields={"content": SECRET}) from error
    except Conflict:
        structlog.get_logger("unde.test").exception("failed")
    assert SECRET not in log_stream.getvalue()
    line = read_line(log_stream)
    assert line["exception"] == ["memory.errors.Conflict:conflict", "builtins.ValueError"]
    assert str(line["frames"]).count("test_logs.py") == 1


def test_an_exception_raised_from_none_does_not_name_what_it_hid(log_stream: io.StringIO) -> None:
    try:
        try:
            raise ValueError(SECRET)
        except ValueError:
            raise Conflict from None
    except Conflict as error:
        structlog.get_logger("unde.test").error("failed", exc_info=error)
    assert read_line(log_stream)["exception"] == ["memory.errors.Conflict:conflict"]


def test_a_library_logs_its_template_without_the_values(log_stream: io.StringIO) -> None:
    logging.getLogger("some.package").error("Could not parse %s", SECRET)
    line = read_line(log_stream)
    assert line["event"] == "Could not parse %s"
    assert line["logger"] == "some.package"


def test_a_library_that_formats_its_message_itself_is_withheld(log_stream: io.StringIO) -> None:
    logging.getLogger("some.package").warning(f"Could not parse {SECRET}")  # noqa: G004
    line = read_line(log_stream)
    assert line["event"] == "<withheld>"
    assert str(line["where"]).startswith("test_logs:")


def test_a_room_that_logs_without_structlog_keeps_its_codes_and_no_text(log_stream: io.StringIO) -> None:
    logging.getLogger("patterns.registry").error(
        "rule set %s refused: %s", "RuleSetRefused", SECRET, extra={"rule_set_version": 7, "rules": ("a", SECRET)}
    )
    line = read_line(log_stream)
    assert line["event"] == "rule set RuleSetRefused refused: <withheld>"
    assert (line["rule_set_version"], line["rules"]) == (7, ["a", "<withheld>"])
    assert SECRET not in log_stream.getvalue()


def test_a_room_may_name_its_values(log_stream: io.StringIO) -> None:
    logging.getLogger("retrieval.steps").warning("%(code)s of %(text)s", {"code": "late", "text": SECRET})
    assert read_line(log_stream)["event"] == "late of <withheld>"


def test_a_failed_task_is_named_without_the_text_of_its_exception(log_stream: io.StringIO) -> None:
    values = {"id": str(ALICE), "name": "retrieval.tasks.embed_pending", "exc": SECRET, "traceback": SECRET}
    logging.getLogger("celery.app.trace").error("Task %(name)s[%(id)s] raised: %(exc)s\n%(traceback)s", values)
    line = read_line(log_stream)
    assert line["task_name"] == "retrieval.tasks.embed_pending"
    assert line["task_id"] == str(ALICE)
    assert SECRET not in log_stream.getvalue()


def test_a_library_known_to_be_harmless_is_logged_in_full(log_stream: io.StringIO) -> None:
    logging.getLogger("celery.worker.consumer.connection").info("Connected to %s", "redis://local")
    assert read_line(log_stream)["event"] == "Connected to redis://local"


def test_a_traceback_of_a_library_is_shortened_in_the_same_way(log_stream: io.StringIO) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger("django.request").exception("Internal Server Error: %s", f"/v1/users/{SECRET}/facts")
    assert SECRET not in log_stream.getvalue()
    assert read_line(log_stream)["exception"] == ["builtins.ValueError"]
