"""The test bench: what the working rule set makes of pasted messages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from memory.models import Message
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor(log_in: Callable[[Role], Client]) -> Client:
    return log_in(Role.PATTERN_EDITOR)


def test_a_message_is_shown_with_its_fact_rule_and_time(editor: Client) -> None:
    answer = editor.post(reverse("console:bench"), {"messages": "I am allergic to nickel"})
    sample = answer.context["samples"][0]
    assert [(one.reading.knowledge_type, one.reading.value) for one in sample.found] == [("allergy", "nickel")]
    assert sample.microseconds > 0
    assert sample.found[0].reading.rule in answer.content.decode()


def test_a_refused_trigger_says_why_in_words(editor: Client) -> None:
    answer = editor.post(reverse("console:bench"), {"messages": "My sister is allergic to latex"})
    sample = answer.context["samples"][0]
    assert sample.found == ()
    assert sample.refused
    assert "_" not in sample.refused[0].reason


def test_every_line_is_a_message_and_empty_ones_are_left_out(editor: Client) -> None:
    answer = editor.post(reverse("console:bench"), {"messages": "one\n\n  \ntwo"})
    assert [sample.normalised for sample in answer.context["samples"]] == ["one", "two"]


def test_markup_in_a_message_stays_text(editor: Client) -> None:
    answer = editor.post(reverse("console:bench"), {"messages": "<script>alert(1)</script> size M"})
    assert "<script>alert" not in answer.content.decode()


def test_nothing_that_is_pasted_is_stored(editor: Client) -> None:
    answer = editor.post(reverse("console:bench"), {"messages": "I am allergic to nickel"})
    with tenant_scope(answer.wsgi_request.staff_access.tenant.id):  # type: ignore[attr-defined]
        assert not Message.objects.exists()


def test_the_bench_is_for_pattern_editors(log_in: Callable[[Role], Client]) -> None:
    for role in (Role.REVIEWER, Role.AUDITOR):
        assert log_in(role).get(reverse("console:bench")).status_code == 403
