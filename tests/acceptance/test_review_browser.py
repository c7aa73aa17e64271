"""The review queue in a real browser: ten items by keys, undo, two reviewers at once, a lost connection in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.models import ReviewItem, ReviewVerdict
from corrections.review.remarks import open_remarks
from corrections.review.sampling import sample_recent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff
from tests.browsers import wait_for
from tests.cast import Chatter

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

STATEMENTS = ("I'm allergic to nickel", "My size is M", "I never wear leather", "My budget is 500 AED")
CODES = {letter: f"Key{letter.upper()}" for letter in "acfgimnrstuv"} | {digit: f"Digit{digit}" for digit in "1234"}
PAUSE = "new Promise(done => setTimeout(() => done(true), 170))"
# What is sent arrives and is stored; the answer gets lost on its way back.
LOSE_ONE_ANSWER = """
(() => {
  const request = XMLHttpRequest.prototype, {open, send, setRequestHeader} = request;
  request.open = function (method, url, ...rest) {
    this.sentTo = url; this.sentWith = {}; return open.call(this, method, url, ...rest); };
  request.setRequestHeader = function (name, value) {
    this.sentWith[name] = value; return setRequestHeader.call(this, name, value); };
  request.send = function (body) {
    Object.assign(request, {open, send, setRequestHeader});
    fetch(this.sentTo, {method: 'POST', headers: this.sentWith, body}).then(() => this.onerror(new ProgressEvent('error')));
  };
  return true;
})()
"""


class Screen:
    """A reviewer in front of the queue."""

    def __init__(self, browser: Any, url: str, client: Client) -> None:
        self.browser = browser
        cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
        wide = {"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": False}  # with the sidebar
        browser.send("Emulation.setDeviceMetricsOverride", **wide)
        browser.send("Network.enable")
        browser.send("Network.setCookie", name=settings.SESSION_COOKIE_NAME, value=cookie, url=url)
        browser.open(url + reverse("console:review"))

    @property
    def item(self) -> str | None:
        """The id of the item on the screen."""
        found: str | None = self.browser.run("(document.querySelector('[data-item]') || {dataset: {}}).dataset.item")
        return found

    @property
    def is_busy(self) -> bool:
        return bool(self.browser.run("document.querySelector('#review').classList.contains('is-busy')"))

    def press(self, key: str, *, is_held: bool = False, modifiers: int = 0, code: str = "") -> None:
        """Press a key and let it go; a held one repeats ten times first."""
        event = {"key": key, "code": code or CODES.get(key, "Slash"), "text": key, "modifiers": modifiers}
        if key == "?":
            event["modifiers"] = 8
        self.browser.send("Input.dispatchKeyEvent", type="keyDown", **event)
        for _ in range(10 if is_held else 0):
            self.browser.send("Input.dispatchKeyEvent", type="keyDown", autoRepeat=True, **event)
        self.browser.send("Input.dispatchKeyEvent", type="keyUp", **{**event, "text": ""})

    def type(self, text: str) -> None:
        """Type a text into the field that has the focus, then Enter."""
        self.browser.send("Input.insertText", text=text)
        self.browser.send("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", text="\r")
        self.browser.send("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter")

    def judge(self, key: str, *, code: str = "") -> str | None:
        """Look, press, and wait for the next item; the item that was judged."""
        before = self.item
        self.browser.run(PAUSE)
        self.press(key, code=code)
        assert wait_for(lambda: self.item != before)
        return before

    def read(self, script: str) -> Any:
        return self.browser.run(script)


@pytest.fixture
def queue(tenant: TenantRef) -> TenantRef:
    """Twelve facts of three people wait for reviewers."""
    for name in ("alice", "bob", "charlie"):
        person = Chatter(tenant, name)
        person.hear("Tell me about yourself")
        for statement in STATEMENTS:
            person.say(statement)
    now = timezone.now()
    assert sample_recent(tenant_id=tenant.id, source="instant", count=12, since=now - timedelta(days=1), now=now) == 12
    return tenant


@pytest.fixture
def sit_down(queue: TenantRef, live_server: Any, open_tab: Callable[[], Any]) -> Callable[[str], Screen]:
    """Opens the queue for a reviewer of that name, in a tab of their own."""

    def open_screen(name: str) -> Screen:
        client = Client()
        client.force_login(make_staff(f"{name}-{queue.id.hex[-8:]}", tenant=queue, role=Role.REVIEWER))
        return Screen(open_tab(), live_server.url, client)

    return open_screen


def list_standing(tenant: TenantRef) -> list[ReviewVerdict]:
    with tenant_scope(tenant.id):
        return list(ReviewVerdict.objects.filter(tenant_id=tenant.id, undone_at=None).order_by("judged_at"))


def test_ten_items_are_judged_by_keys_and_one_is_taken_back(
    sit_down: Callable[[str], Screen], queue: TenantRef
) -> None:
    screen = sit_down("ten")
    judged = [screen.judge(key) for key in "1112113411"]
    assert len(set(judged)) == 10
    assert screen.judge("u") is not None
    assert screen.item == judged[-1]
    assert len(list_standing(queue)) == 9
    screen.judge("3")
    standing = list_standing(queue)
    assert Counter(one.verdict for one in standing) == {
        "correct": 6,
        "false_fact": 2,
        "wrong_subject": 1,
        "missed_sarcasm": 1,
    }
    assert all(one.milliseconds >= 150 for one in standing)
    assert screen.read("window.noted") == []


def test_a_held_key_and_keys_that_are_not_meant_judge_nothing_unseen(
    sit_down: Callable[[str], Screen], queue: TenantRef
) -> None:
    screen = sit_down("held")
    first = screen.item
    screen.browser.run(PAUSE)
    screen.press("1", is_held=True)
    assert wait_for(lambda: screen.item != first)
    assert len(list_standing(queue)) == 1
    screen.browser.run(PAUSE)
    screen.press("1", modifiers=2)
    screen.press("g")
    assert screen.read("document.querySelector('#review-guide').open")
    screen.press("1")
    screen.read("document.querySelector('#review-guide').close()")
    screen.press("?")
    assert screen.read("document.querySelector('#review-keys').open")
    screen.read("document.querySelector('#review-keys').close()")
    screen.read("(() => { const box = document.createElement('input'); document.body.append(box); box.focus(); })()")
    screen.press("1")
    screen.read("document.activeElement.remove()")
    assert not screen.is_busy
    assert len(list_standing(queue)) == 1
    before = screen.item
    screen.press("s")
    assert wait_for(lambda: screen.item != before)
    assert len(list_standing(queue)) == 1


def test_two_reviewers_at_once_share_the_queue_without_meeting(
    sit_down: Callable[[str], Screen], queue: TenantRef
) -> None:
    one, other = sit_down("one"), sit_down("other")
    judged = []
    for _ in range(5):
        assert one.item != other.item
        judged += [one.judge("1"), other.judge("1")]
    assert len(set(judged)) == 10
    assert Counter(verdict.reviewer for verdict in list_standing(queue)).most_common()[0][1] == 5


def test_a_verdict_survives_a_lost_connection(sit_down: Callable[[str], Screen], queue: TenantRef) -> None:
    screen = sit_down("offline")
    first = screen.judge("1")
    second = screen.item
    screen.browser.run(PAUSE)
    nothing = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    screen.browser.send("Network.emulateNetworkConditions", offline=True, **nothing)
    screen.press("3")
    assert wait_for(lambda: screen.read("!document.querySelector('.review-lost').hidden"))
    screen.press("1")
    assert screen.item == second
    assert [str(one.item_id) for one in list_standing(queue)] == [first]
    screen.browser.send("Network.emulateNetworkConditions", offline=False, **nothing)
    assert wait_for(lambda: screen.item != second)
    assert [(str(one.item_id), one.verdict) for one in list_standing(queue)] == [
        (first, "correct"),
        (second, "false_fact"),
    ]


def test_a_verdict_whose_answer_got_lost_counts_once(sit_down: Callable[[str], Screen], queue: TenantRef) -> None:
    screen = sit_down("lost")
    screen.read(LOSE_ONE_ANSWER)
    first = screen.judge("2")
    second = screen.judge("1")
    assert [(str(one.item_id), one.verdict) for one in list_standing(queue)] == [
        (first, "wrong_subject"),
        (second, "correct"),
    ]


def test_a_page_that_was_reloaded_while_offline_still_sends_its_verdict(
    sit_down: Callable[[str], Screen], queue: TenantRef, live_server: Any
) -> None:
    screen = sit_down("reload")
    first = screen.item
    screen.browser.run(PAUSE)
    screen.read("XMLHttpRequest.prototype.send = function () { this.onerror(new ProgressEvent('error')); }; true")
    screen.press("1")
    assert wait_for(lambda: screen.read("!document.querySelector('.review-lost').hidden"))
    screen.browser.open(live_server.url + reverse("console:review"))
    assert wait_for(lambda: len(list_standing(queue)) == 1)
    assert wait_for(lambda: screen.item not in (None, first))


def test_the_number_pad_and_a_search_box_with_the_focus_do_not_stop_the_keys(
    sit_down: Callable[[str], Screen], queue: TenantRef
) -> None:
    screen = sit_down("pad")
    screen.judge("1", code="Numpad1")
    screen.judge("End", code="Numpad1")  # without the num lock
    screen.read("document.querySelector('#nav-filter').focus()")
    screen.judge("3")
    assert Counter(one.verdict for one in list_standing(queue)) == {"correct": 2, "false_fact": 1}
    screen.browser.run(PAUSE)
    before = screen.item
    screen.read("document.querySelector('#nav-filter').focus()")
    assert screen.read("document.activeElement.id") == "nav-filter"
    screen.press("s")
    assert screen.read("document.querySelector('#nav-filter').value") == "s"
    assert (screen.item, screen.is_busy) == (before, False)
    assert len(list_standing(queue)) == 3


def test_a_note_and_the_right_value_are_typed_between_two_keys(
    sit_down: Callable[[str], Screen], queue: TenantRef
) -> None:
    screen = sit_down("note")
    screen.browser.run(PAUSE)
    screen.press("n")
    screen.type("said 1 of her sister")
    assert list_standing(queue) == []
    screen.browser.run("window.isLeft = true, location.reload(), true")
    assert wait_for(lambda: screen.read("!window.isLeft && document.querySelector('#review-note')?.value"))
    assert screen.read("document.querySelector('#review-note').value") == "said 1 of her sister"
    screen.browser.run(PAUSE)
    assert screen.read("document.activeElement === document.body")
    screen.press("v")
    screen.type("L")
    judged = screen.judge("3")
    with tenant_scope(queue.id):
        (verdict,) = list_standing(queue)
        remark = open_remarks([verdict])[verdict.id]
    assert (str(verdict.item_id), remark.note, remark.value) == (judged, "said 1 of her sister", "L")


def test_the_next_batch_and_a_past_item_are_a_key_away(
    sit_down: Callable[[str], Screen], queue: TenantRef, live_server: Any
) -> None:
    with tenant_scope(queue.id):
        ReviewItem.objects.filter(tenant_id=queue.id).exclude(knowledge_type="budget").delete()
    screen = sit_down("batch")
    first = screen.judge("1")
    screen.judge("1")
    screen.judge("1")
    assert screen.item is None
    screen.browser.run(PAUSE)
    screen.press("i")
    assert wait_for(lambda: screen.item is not None)
    screen.browser.open(live_server.url + reverse("console:review_item", args=[first]))
    assert screen.item == first
    screen.browser.run(PAUSE)
    screen.press("r")
    assert wait_for(lambda: screen.read("!!document.querySelector('[data-key=\"1\"]')"))
    assert screen.item == first
    assert len(list_standing(queue)) == 2
    assert screen.read("window.noted") == []
