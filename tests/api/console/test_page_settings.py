"""The memory page in the tenant's settings: name, colour, logo, words, sites, pauses."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from memory.tenants.models import Tenant
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff

pytestmark = pytest.mark.django_db


def save(tenant: TenantRef, **fields: Any) -> tuple[Any, dict[str, Any]]:
    client = Client()
    client.force_login(make_staff("operator", tenant=tenant, role=Role.OPERATOR))
    answer = client.post(
        reverse("console:settings"), {"reviewers_per_item": 1, "legal_profile": "default", "has_layers": "on", **fields}
    )
    return answer, Tenant.objects.get(id=tenant.id).settings


def test_the_page_is_set_in_the_console(tenant: TenantRef) -> None:
    answer, stored = save(
        tenant,
        page_name="Maison",
        page_colour="#A0522D",
        page_logo="https://cdn.example/logo.png",
        page_words="en = Hello.\nar = أهلًا",
        page_origins="https://app.example/\nhttp://localhost:3000",
        pause_keeps_messages="on",
    )
    assert answer.status_code == 302, answer.content.decode()[-3000:]
    assert stored["page_words"] == {"en": "Hello.", "ar": "أهلًا"}
    assert stored["page_origins"] == ["https://app.example", "http://localhost:3000"]
    assert (stored["page_colour"], stored["pause_keeps_messages"]) == ("#A0522D", True)


@pytest.mark.parametrize(
    "fields",
    [
        {"page_colour": "red"},
        {"page_logo": "http://cdn.example/logo.png"},
        {"page_words": "fr = Bonjour"},
        {"page_origins": "https://app.example/path"},
        {"page_origins": "*"},
    ],
)
def test_what_cannot_be_is_refused_at_its_field(tenant: TenantRef, fields: dict[str, str]) -> None:
    answer, stored = save(tenant, **fields)
    assert answer.status_code == 200 and stored == {}
