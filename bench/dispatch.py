"""What REST framework's own dispatch costs the two hottest endpoints, beside a running service, with its API key:

    UNDE_DEV_API_KEY=... script/manage shell < bench/dispatch.py

The same requests, in this process, in turn through `ApiView.dispatch` and through REST framework's: its Request, its
negotiation, authentication, permission and throttle classes, its Response rendered by its renderer, all around the same
checks and handlers. Prints milliseconds of this process a request, wall and CPU: medians, and the median of the pairs'
ratios. The database's share is the same on both sides and in the wall time alone. Writes messages of a user of its own.
"""

import os
import statistics
import time
import uuid
from typing import Any

from django.test import RequestFactory
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from config.api.authentication import authenticate, check_scope
from config.api.decoding import refuse_nul
from config.api.endpoints.messages import Messages
from config.api.endpoints.search import Search
from config.api.throttling import check_rate, check_room
from config.api.views import ApiView

PAIRS, WARM_UP = 300, 30
KEY = os.environ["UNDE_DEV_API_KEY"]
USER = f"bench-dispatch-{uuid.uuid4().hex[:8]}"
TEXTS = (
    "is there a video where somebody walks in it? photos never show how things move",
    "Спасибо, посмотрю вечером с мамой и напишу вам, что мы решили",
    "القماش خفيف ولا ثقيل؟ ابي شي ينفع للصباح والمساء",
)


class ByKey(BaseAuthentication):
    def authenticate(self, request: Any) -> tuple[Any, None]:
        return authenticate(request), None

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"


class InScope(BasePermission):
    def has_permission(self, request: Any, view: Any) -> bool:
        check_scope(request.user, scopes=view.scopes, method=request.method)
        return True


class Limits(BaseThrottle):
    def allow_request(self, request: Any, view: Any) -> bool:
        check_rate(request.user)
        check_room(request.method, scope=view.scopes["GET" if request.method == "HEAD" else request.method])
        return True


class RestDispatch:
    authentication_classes = [ByKey]
    permission_classes = [InScope]
    throttle_classes = [Limits]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        return APIView.dispatch(self, request, *args, **kwargs)

    def initial(self, request: Any, *args: Any, **kwargs: Any) -> None:
        APIView.initial(self, request, *args, **kwargs)
        self.caller = request.user
        refuse_nul(kwargs)


class RestMessages(RestDispatch, Messages):
    pass


class RestSearch(RestDispatch, Search):
    pass


def make_message(place: int) -> dict[str, Any]:
    said = {"user_id": USER, "conversation_id": "c", "role": "user", "content": TEXTS[place % 3]}
    return said | {"id": uuid.uuid4().hex}


def make_search(place: int) -> dict[str, Any]:
    return {"user_id": USER, "query": TEXTS[place % 3][:30]}


def run(view: Any, path: str, body: dict[str, Any]) -> tuple[float, float]:
    """Wall and CPU milliseconds of one request, rendered."""
    headers = {"HTTP_AUTHORIZATION": f"Bearer {KEY}"}
    request = RequestFactory().post(path, body, content_type="application/json", **headers)
    wall, cpu = time.perf_counter(), time.process_time()
    response = view(request)
    if hasattr(response, "render"):
        response.render()
    took = (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000
    assert response.status_code < 300, response.content
    assert len(response.content) > 2
    return took


def measure(name: str, path: str, today: type[ApiView], rest: type[ApiView], make: Any) -> None:
    sides = {"today": today.as_view(), "REST framework": rest.as_view()}
    times: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
    for place in range(WARM_UP + PAIRS):
        for side in sides if place % 2 else reversed(sides):
            took = run(sides[side], path, make(place))
            if place >= WARM_UP:
                times[side].append(took)
    for which, of in enumerate(("wall", "CPU")):
        own = {side: [each[which] for each in times[side]] for side in sides}
        ratio = statistics.median(b / a for a, b in zip(*own.values(), strict=True))
        said = ", ".join(f"{side} {statistics.median(values):.3f}" for side, values in own.items())
        print(f"{name} {of}: {said} ms, ratio {ratio:.3f}")


measure("POST /v1/messages", "/v1/messages", Messages, RestMessages, make_message)
measure("POST /v1/search", "/v1/search", Search, RestSearch, make_search)
