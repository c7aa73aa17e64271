"""What a receiver's library sees: body and signatures."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from config.webhooks.addresses import Target
from config.webhooks.sending import make_body, name_host, read_retry_after, sign
from memory.ids import new_id
from memory.outbox.models import Event
from memory.outbox.selectors import EventView

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECRET, FORMER = ("whsec_" + base64.b64encode(bytes([n]) * 32).decode() for n in (1, 2))


def make_view(**data: object) -> EventView:
    event = Event(id=new_id(), user_id=new_id(), user_seq=7, type="fact.added", data=data, recorded_at=NOW)
    return EventView(event, "layla")


def test_the_body_says_type_time_and_whose_event_it_is() -> None:
    body = json.loads(make_body(make_view(fact_id="f-1")))
    assert body["type"] == "fact.added"
    assert datetime.fromisoformat(body["timestamp"]) == NOW
    assert body["data"] == {"fact_id": "f-1", "user_id": "layla", "user_seq": 7}


def test_the_official_library_verifies_what_is_sent() -> None:
    body = make_body(make_view())
    headers = sign(body, event_id="e-1", secrets=[SECRET], now=datetime.now(UTC))  # libraries refuse what is old
    assert Webhook(SECRET).verify(body.decode(), headers) == json.loads(body)


def test_a_signature_is_an_hmac_over_id_time_and_body() -> None:
    body = make_body(make_view())
    headers = sign(body, event_id="e-1", secrets=[SECRET], now=NOW)
    signed = f"e-1.{int(NOW.timestamp())}.".encode() + body
    expected = base64.b64encode(hmac.digest(bytes([1]) * 32, signed, hashlib.sha256)).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"


def test_during_a_rotation_receivers_with_either_secret_verify_it() -> None:
    body = make_body(make_view())
    headers = sign(body, event_id="e-1", secrets=[SECRET, FORMER], now=datetime.now(UTC))
    for secret in (SECRET, FORMER):
        Webhook(secret).verify(body.decode(), headers)


def test_a_changed_body_is_not_verified() -> None:
    headers = sign(make_body(make_view()), event_id="e-1", secrets=[SECRET], now=datetime.now(UTC))
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify("{}", headers)


@pytest.mark.parametrize(
    ("value", "pause"),
    [
        ("120", timedelta(seconds=120)),
        (" 5 ", timedelta(seconds=5)),
        ("Mon, 02 Mar 2026 12:01:00 GMT", timedelta(seconds=60)),
        ("Mon, 02 Mar 2020 12:01:00 GMT", timedelta()),
        ("9" * 40, timedelta(days=7)),
        ("soon", None),
        ("-3", None),
        ("1 Jan 99999999999999999999 00:00:00 +0000", None),
        ("Mon, 02 Mar 2026 00:00:00 +99999999999999", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, pause: timedelta | None) -> None:
    assert read_retry_after(value, now=datetime(2026, 3, 2, 12, tzinfo=UTC)) == pause


@pytest.mark.parametrize(
    ("scheme", "host", "port", "named"),
    [
        ("https", "hooks.example.com", 443, "hooks.example.com"),
        ("https", "hooks.example.com", 8443, "hooks.example.com:8443"),
        ("http", "hooks.internal", 80, "hooks.internal"),
        ("https", "2606:2800::1", 443, "[2606:2800::1]"),
    ],
)
def test_a_receiver_is_named_as_its_url_names_it(scheme: str, host: str, port: int, named: str) -> None:
    assert name_host(Target(scheme, host, port, "/", "93.184.215.14")) == named
