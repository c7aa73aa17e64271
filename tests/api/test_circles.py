"""A batch leaves no circles of garbage: what it leaves alive may be put aside unseen (`config.allocation`)."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from uuid import uuid4

import msgspec
import pytest
from django.utils import timezone

from config.api.endpoints.messages import store_batch
from config.api.endpoints.structs import MessageAnswer
from memory.storing.types import TenantRef
from memory.tenants.types import Caller, Scope

pytestmark = pytest.mark.django_db

TEXTS = ("мой размер M", "hello there", "I'm allergic to wool", "no, that is wrong", "مقاسي L", "my size is L now")


@pytest.fixture
def caller(tenant: TenantRef) -> Caller:
    return Caller(
        key_id=uuid4(),
        tenant_id=tenant.id,
        tenant_slug="t",
        timezone="UTC",
        scopes=frozenset(Scope),
        requests_per_minute=None,
    )


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def make_items(mark: str, **more: str) -> list[msgspec.Raw]:
    return [
        msgspec.Raw(
            msgspec.json.encode(
                {
                    "user_id": f"user-{place % 3}",
                    "conversation_id": "c-1",
                    "role": "user",
                    "content": f"{TEXTS[place % len(TEXTS)]} {mark}{place // 6}",
                    "id": f"{mark}-{place}",
                    **more,
                }
            )
        )
        for place in range(18)
    ]


@pytest.mark.usefixtures("no_collector")
def test_a_batch_of_people_with_facts_leaves_no_circle(caller: Caller) -> None:
    for mark in "abc":  # what is made at the first use, of a process and of a user
        store_batch(make_items(mark), caller=caller, now=timezone.now())
        gc.collect()
    answers = store_batch(make_items("d"), caller=caller, now=timezone.now())
    assert all(isinstance(answer, MessageAnswer) for answer in answers)
    del answers
    assert gc.collect() == 0


@pytest.mark.usefixtures("no_collector")
def test_a_refused_message_does_not_hold_on_to_the_others(caller: Caller) -> None:
    for mark in "abc":
        store_batch(make_items(mark, id=mark), caller=caller, now=timezone.now())
        gc.collect()
    answers = store_batch(make_items("d", id="d"), caller=caller, now=timezone.now())
    assert sum("error" in answer for answer in answers if isinstance(answer, dict)) > 1
    del answers
    assert gc.collect() == 0
