"""One attempt to deliver one event: body, signature, request, outcome."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import httpx
import msgspec
from django.conf import settings
from standardwebhooks import Webhook

from config.webhooks.addresses import PORTS, AddressRefused, Network, Resolve, Target, find_target, resolve_host
from memory.outbox.selectors import EventView
from memory.outbox.services.deliveries import ClaimedDelivery, Outcome

READ_AT_MOST: Final = 64 * 1024


def make_body(view: EventView) -> bytes:
    """The payload: type, time, and ids. The same bytes for every attempt."""
    event = view.event
    data = dict(event.data)
    if view.user_id is not None:
        data |= {"user_id": view.user_id, "user_seq": event.user_seq}
    if event.message_id is not None:
        data["message_id"] = str(event.message_id)
    return msgspec.json.encode({"type": event.type, "timestamp": event.recorded_at, "data": data})


def sign(body: bytes, *, event_id: str, secrets: Sequence[str], now: datetime) -> dict[str, str]:
    """The three headers of Standard Webhooks. With two secrets there are two signatures, and either is good."""
    signatures = [Webhook(secret).sign(event_id, now, body.decode()) for secret in secrets]
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def send(
    delivery: ClaimedDelivery,
    *,
    client: httpx.Client,
    allowed: Sequence[Network],
    now: datetime,
    resolve: Resolve = resolve_host,
) -> Outcome:
    """Send it once, as `send_signed` does."""
    body = make_body(delivery.event)
    headers = sign(body, event_id=str(delivery.event.event.id), secrets=delivery.secrets, now=now)
    call = Call(delivery.url, body, headers)
    return send_signed(call, client=client, allowed=allowed, now=now, resolve=resolve)


@dataclass(frozen=True, slots=True)
class Call:
    """JSON on its way to an address, with the headers that prove whose it is."""

    url: str
    body: bytes
    headers: Mapping[str, str]


def send_signed(
    call: Call, *, client: httpx.Client, allowed: Sequence[Network], now: datetime, resolve: Resolve = resolve_host
) -> Outcome:
    """Make one call. Never raises for what a receiver or the network does: that is the outcome, as a code."""
    started = time.monotonic()

    def finish(status: int | None, error: str, retry_after: timedelta | None = None) -> Outcome:
        return Outcome(status, error, int((time.monotonic() - started) * 1000), retry_after)

    try:
        target = find_target(call.url, allowed=allowed, resolve=resolve)
        response = _post(client, target, call.body, call.headers)
    except AddressRefused:
        return finish(None, "address_refused")
    except httpx.TimeoutException:
        return finish(None, "timeout")
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError):
        return finish(None, "connection_failed")
    if response.is_success:
        return finish(response.status_code, "")
    error = "redirected" if response.is_redirect else "refused"
    return finish(response.status_code, error, read_retry_after(response.headers.get("retry-after"), now=now))


def build_request(
    client: httpx.Client, method: str, target: Target, *, headers: Mapping[str, str], content: bytes | None = None
) -> httpx.Request:
    """To the address that was looked at, under the host's name: a second look-up could give another one."""
    literal = f"[{target.address}]" if ":" in target.address else target.address
    named = {"host": name_host(target), "user-agent": f"UNDE-Memory/{settings.UNDE_VERSION}"}
    return client.build_request(
        method,
        f"{target.scheme}://{literal}:{target.port}{target.path}",
        content=content,
        headers={**headers, **named},
        extensions={"sni_hostname": target.host},
    )


def _post(client: httpx.Client, target: Target, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
    json = {**headers, "content-type": "application/json"}
    request = build_request(client, "POST", target, headers=json, content=body)
    response = client.send(request, stream=True)
    try:
        # Only the status counts: the rest of the answer must not fill our memory.
        for piece in response.iter_raw(READ_AT_MOST):
            del piece
            break
    finally:
        response.close()
    return response


def name_host(target: Target) -> str:
    """The `Host` header of a URL: without the port that its scheme means anyway."""
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port == PORTS[target.scheme] else f"{host}:{target.port}"


def read_retry_after(value: str | None, *, now: datetime) -> timedelta | None:
    """The pause that a receiver asks for, in seconds or as a date; None where it says nothing that can be read."""
    if not value:
        return None
    if value.strip().isdecimal():
        return timedelta(seconds=min(int(value.strip()[:9]), 7 * 86_400))
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # the second for a year of twenty digits
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(until - now, timedelta())
