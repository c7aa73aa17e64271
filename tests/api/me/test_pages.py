"""The pages of a visit in a browser without JavaScript."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config.me.wording import read_words
from memory.erasure.worker import run_erasure
from memory.models import ErasureRequest
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef, UserRef
from memory.visits.types import LOCALES
from tests.api.me.conftest import Visitor
from tests.caller import Caller

pytestmark = pytest.mark.django_db
PAGES = ("/memory/", "/memory/said", "/memory/episodes", "/memory/kept", "/memory/control", "/memory/erase")
ARABIC = "مقاسي M بس مابي open shoulders"


def find_one(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return found[1]


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_in_the_language_of_the_link(
    api: Caller, make_visitor: Callable[..., Visitor], locale: str, path: str
) -> None:
    api.send("my size is M")
    api.post("/v1/users/alice/episodes/close")
    body = {"value": {"colour": "red"}, "namespace": ["notes"], "key": "tea"}
    headers = {"X-UNDE-User": "alice"}
    api.client.put("/v1/store/items", body, content_type="application/json", headers=headers)
    page = make_visitor(locale=locale, theme="dark").read(path)
    direction = "rtl" if locale == "ar" else "ltr"
    assert f'<html lang="{locale}" dir="{direction}" data-theme="dark">' in page
    assert read_words(locale)["tab_control"] in page
    assert "<style" not in page and 'style="' not in page and not re.search(r"<script(?! src)", page)
    assert not re.search(r"\{\w+\}|\{[%{]", page)


def test_all_languages_have_all_words() -> None:
    def list_keys(part: Any, path: str = "") -> set[str]:
        is_plural = isinstance(part, dict) and "other" in part
        if not isinstance(part, dict) or is_plural:
            return {path}
        return {key for name, each in part.items() for key in list_keys(each, f"{path}.{name}")}

    keys = {locale: list_keys(read_words(locale)) for locale in LOCALES}
    assert keys["en"] == keys["ru"] == keys["ar"] and len(keys["en"]) > 150


def test_a_quotation_keeps_its_own_direction_inside_a_page_of_another(
    api: Caller, make_visitor: Callable[..., Visitor]
) -> None:
    api.send(ARABIC)
    for locale in LOCALES:
        visitor = make_visitor(locale=locale)
        for path in ("/memory/", "/memory/said"):
            assert f'<bdi dir="auto">{ARABIC}</bdi>' in visitor.read(path)


def test_words_of_a_user_are_text_and_nothing_else(api: Caller, visitor: Visitor) -> None:
    api.send("my size is M <script>alert(1)</script><img src=x onerror=alert(1)>")
    for path in ("/memory/", "/memory/said", "/memory/memory.html"):
        page = visitor.read(path)
        assert "<script>alert" not in page and "<img src=x" not in page
    assert "&lt;script&gt;alert" in visitor.read("/memory/said")


def test_a_fact_is_confirmed_disputed_and_corrected_with_forms(visitor: Visitor) -> None:
    fact = find_one(r'id="fact-([0-9a-f-]{36})"', visitor.read("/memory/"))
    answer = visitor.send(f"/memory/facts/{fact}/confirm")
    assert answer.status_code == 302 and "Confirmed." in visitor.read(answer["Location"].partition("#")[0])
    assert visitor.send(f"/memory/facts/{fact}/dispute").status_code == 302
    assert "doubtful" in visitor.read("/memory/")
    wrong = visitor.send(f"/memory/facts/{fact}/correct", value="a tent")
    assert wrong.status_code in (302, 400)
    if wrong.status_code == 400:
        assert "a tent" in wrong.content.decode() and 'aria-invalid="true"' in wrong.content.decode()
    assert visitor.send(f"/memory/facts/{fact}/nonsense").status_code == 404


def test_a_fact_is_forgotten_after_a_look_and_brought_back(visitor: Visitor) -> None:
    fact = find_one(r'id="fact-([0-9a-f-]{36})"', visitor.read("/memory/"))
    preview = visitor.send("/memory/forget", fact=fact).content.decode()
    assert "my size is M" in preview or "allergic" in preview
    assert f"fact-{fact}" in visitor.read("/memory/")
    done = visitor.send("/memory/forget/do", plan=find_one(r'name="plan" value="([^"]+)"', preview)).content.decode()
    assert f"fact-{fact}" not in visitor.read("/memory/")
    undo = find_one(r'action="(/memory/forget/[^"]+/undo)"', done)
    assert visitor.send(undo).status_code == 200
    assert f"fact-{fact}" in visitor.read("/memory/")


def test_chosen_messages_are_forgotten(visitor: Visitor) -> None:
    page = visitor.read("/memory/said")
    chosen = re.findall(r'name="message" value="([^"]+)"', page)
    preview = visitor.send("/memory/forget", message=chosen).content.decode()
    plan = find_one(r'name="plan" value="([^"]+)"', preview)
    assert visitor.send("/memory/forget/do", plan=plan).status_code == 200
    assert "my size is M" not in visitor.read("/memory/said")
    assert visitor.send("/memory/forget", back="said")["Location"] == "/memory/said"


def test_a_fact_that_no_message_holds_goes_alone(api: Caller, make_visitor: Callable[..., Visitor]) -> None:
    api.put("/v1/users/alice/facts", {"facts": [{"knowledge_type": "budget", "value": 500, "source": "onboarding"}]})
    visitor = make_visitor()
    fact = find_one(r'id="fact-([0-9a-f-]{36})"', visitor.read("/memory/"))
    assert "It alone goes" in visitor.send("/memory/forget", fact=fact).content.decode()
    assert visitor.send("/memory/forget/do", fact=fact).status_code == 200
    assert "No longer true" in visitor.read("/memory/")


def test_a_kept_item_is_deleted_after_a_look(api: Caller, visitor: Visitor) -> None:
    body = {"namespace": ["notes"], "key": "tea", "value": {"colour": "green"}}
    headers = {"X-UNDE-User": "alice"}
    api.client.put("/v1/store/items", body, content_type="application/json", headers=headers)
    page = visitor.read("/memory/kept")
    assert "colour: green" in page
    path = find_one(r'action="(/memory/kept/[^"]+)"', page)
    assert "colour: green" in visitor.send(path).content.decode()
    assert visitor.send(path, sure="yes").status_code == 302
    assert "colour: green" not in visitor.read("/memory/kept")


def test_a_pause_is_seen_on_every_page_and_ends(visitor: Visitor) -> None:
    assert visitor.send("/memory/pause").status_code == 302
    assert "Your memory is paused." in visitor.read("/memory/")
    assert visitor.send("/memory/resume").status_code == 302
    assert "Your memory is paused." not in visitor.read("/memory/")


def test_the_memory_can_be_taken_along(visitor: Visitor) -> None:
    page = visitor.get("/memory/memory.html")
    assert "attachment" in page["Content-Disposition"] and "my size is M" in page.content.decode()
    lines = visitor.get("/memory/memory.jsonl")
    assert b"my size is M" in b"".join(lines.streaming_content)


def test_everything_is_erased_and_the_certificate_is_three_clicks_away(visitor: Visitor, tenant: TenantRef) -> None:
    assert visitor.send("/memory/erase", word="yes").status_code == 400
    answer = visitor.send("/memory/erase", word="erase")
    assert answer.status_code == 302
    page = visitor.read(answer["Location"])
    assert "at the latest" in page and "certificate.json" not in page
    assert "<h1>Your memory is being erased</h1>" in page and 'http-equiv="refresh"' not in page
    assert visitor.get("/memory/").status_code == 401
    with tenant_scope(tenant.id):
        row = ErasureRequest.objects.get()
    run_erasure(user=UserRef(id=row.user_id, tenant_id=tenant.id), erasure_id=row.id, clock=timezone.now)
    stranger = Client()
    page = stranger.get(answer["Location"]).content.decode()
    assert "<h1>Your memory is erased</h1>" in page and "data-look-again" not in page
    certificate = stranger.get(find_one(r'href="([^"]+certificate.json)"', page))
    assert certificate.status_code == 200 and certificate.json()["erasure_id"] == str(row.id)
    assert b"alice" not in certificate.content and "alice" not in page
    assert stranger.get(answer["Location"] + "x").status_code == 404


def test_a_form_without_its_token_changes_nothing(visitor: Visitor) -> None:
    for path in ("/memory/pause", "/memory/erase", "/memory/leave"):
        assert visitor.client.post(path, {"word": "erase"}).status_code == 403
    assert visitor.get("/memory/pause").status_code == 405
    assert "paused" not in visitor.read("/memory/")


def test_a_page_without_a_session_says_so_in_the_language_of_the_browser() -> None:
    page = Client().get("/memory/", headers={"Accept-Language": "ru-RU,ru;q=0.9"})
    assert (page.status_code, "Страница закрылась" in page.content.decode()) == (401, True)
    blocked = Client().get("/memory/?entered=1")
    assert "data-blocked" in blocked.content.decode() and "frame-ancestors *" in blocked["Content-Security-Policy"]


def test_what_the_link_does_not_list_is_not_offered(api: Caller, make_visitor: Callable[..., Visitor]) -> None:
    api.send("my size is M")
    visitor = make_visitor(permissions=["read"])
    page, control = visitor.read("/memory/"), visitor.read("/memory/control")
    assert "/confirm" not in page and "/memory/forget" not in page
    assert "/memory/erase" not in control and "/memory/pause" not in control
    assert visitor.send("/memory/pause").status_code == 403


def test_name_colour_logo_and_words_are_the_tenants(visitor: Visitor, tenant: TenantRef) -> None:
    look = {
        "page_name": "Maison & Fils",
        "page_colour": "#ffee00",
        "page_logo": "https://cdn.example/logo.svg",
        "page_words": {"en": "We keep this to help you choose."},
    }
    Tenant.objects.filter(id=tenant.id).update(settings=look)
    page = visitor.get("/memory/")
    text = page.content.decode()
    assert all(
        part in text for part in ("Maison &amp; Fils", 'src="https://cdn.example/logo.svg"', "to help you choose")
    )
    assert "img-src 'self' data: https://cdn.example;" in page["Content-Security-Policy"]
    colours = visitor.read("/memory/colours/ffee00.css")
    assert "--accent:#ffee00;--on-accent:#000000" in colours
    assert visitor.get("/memory/colours/ffee0z.css").status_code == 404


def test_odd_addresses_are_pages_of_their_own(visitor: Visitor) -> None:
    for path in ("/memory/said?conversation=x&before=x", "/memory/episodes?before=x", "/memory/kept?start=-1"):
        visitor.read(path)
    assert visitor.get("/memory/said?before=99999999999999999999").status_code == 200
    assert visitor.get("/memory/sources/0199c1a5-9d0a-7e0b-8c4d-0a0b0c0d0e0f").status_code in (404, 410)


def test_sources_of_a_reply_say_what_was_used_and_what_was_left_out(api: Caller, visitor: Visitor) -> None:
    for number in range(12):
        api.send(f"I bought shoes number {number} in Milan, they were too tight", conversation_id=f"c-{number}")
    api.send("my size is L")
    asked = {"user_id": "alice", "conversation_id": "c-99", "query": "which shoes did I buy in Milan?"}
    receipt = api.post("/v1/context", asked).json()["receipt_id"]
    found = api.get(f"/v1/receipts/{receipt}/page").json()
    used = [one["words"]["text"] for one in found["used"] if one["words"]]
    left = {one["reason"] for one in found["left_out"]}
    assert any("Milan" in text for text in used) and left & {"over_density_cap", "over_budget", "superseded"}
    assert {one["fact"]["value"] for one in found["used"] if one["fact"]} == {"L", "nickel"}
    page = visitor.read(f"/memory/sources/{receipt}")
    assert "Something newer is known." in page and "This is wrong" in page
    fact = find_one(r'action="/memory/facts/([^"/]+)/dispute"', page)
    assert visitor.send(f"/memory/facts/{fact}/dispute").status_code == 302
    assert visitor.get(f"/v1/me/receipts/{receipt}").json()["used"] != []
