import io
import json
import logging
import warnings
from datetime import datetime
from uuid import UUID

import pytest
import structlog
from django.utils.module_loading import import_string

from config.launch import paths
from config.observability.logs import log_request, make_formatter
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


def test_a_library_logs_its_message_without_the_texts_in_it(log_stream: io.StringIO) -> None:
    logging.getLogger("some.package").error(
        "Could not parse %s after %d of %.1f s: %r", SECRET, 3, 0.25, KeyError(SECRET)
    )
    line = read_line(log_stream)
    assert line["event"] == "Could not parse <withheld> after 3 of 0.2 s: 'KeyError'"
    assert line["logger"] == "some.package"


def test_an_id_of_the_tenant_is_no_code_of_a_library(log_stream: io.StringIO) -> None:
    logging.getLogger("django.request").error("%s: %s", "Not Found", "/v1/users/alice/facts")
    assert read_line(log_stream)["event"] == "Not Found: <withheld>"


def test_a_text_where_a_library_wants_a_number_leaves_its_template() -> None:
    record = logging.LogRecord("some.package", logging.ERROR, "x.py", 1, "Waited %d s", (SECRET,), None)
    assert json.loads(make_formatter().format(record))["event"] == "Waited %d s"


def test_a_warning_of_python_is_a_line_with_its_kind_and_place(log_stream: io.StringIO) -> None:
    warnings.showwarning(UserWarning(SECRET), UserWarning, "somewhere.py", 7)
    line = read_line(log_stream)
    assert (line["event"], line["kind"], line["where"]) == ("python_warning", "UserWarning", "somewhere.py:7")
    assert SECRET not in log_stream.getvalue()


def test_the_web_server_writes_its_lines_in_the_same_form(log_stream: io.StringIO) -> None:
    asked = json.loads((paths.ROOT / "config/launch/web_logs.json").read_text())["formatters"]["generic"]["()"]
    record = logging.LogRecord(
        "_granian", logging.INFO, "x.py", 1, "Listening at: %s", ("http://127.0.0.1:8000",), None
    )
    line = json.loads(import_string(asked)().format(record))
    assert (line["event"], line["level"]) == ("Listening at: http://127.0.0.1:8000", "info")


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
    task = f"retrieval.tasks.embed_pending[{ALICE}]"
    assert line["event"] == f"Task {task} raised: <withheld>\n<withheld>"
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
