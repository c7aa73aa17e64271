"""How well memory does for the tenant (SPEC Q-2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import Instant, RequestBody
from config.api.describing import about
from config.api.schema import describe
from config.api.views import ApiView
from corrections.quality.governor import list_open
from corrections.quality.reading import list_indicators, write_window
from memory.tenants.types import Scope


class QualityQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which moment is meant."""

    at: Annotated[Instant | None, about("As it stood at this moment; now when left out.")] = None


class IndicatorView(msgspec.Struct, frozen=True, kw_only=True):
    """One service level as it was last measured."""

    name: Annotated[str, about("The indicator's name.")]
    value: Annotated[float | None, about("The figure; null when there was nothing to measure.")]
    n: Annotated[int, about("How many samples it rests on.")]
    window: Annotated[str, about("How far back samples count, such as `7d` or `1h`.")]
    state: Annotated[
        Literal["PASS", "OBSERVE", "FAIL"],
        about("OBSERVE also stands for too few samples, and for an indicator that nobody has measured yet."),
    ]
    passes: Annotated[float, about("The limit for PASS.")] = msgspec.field(name="pass")
    fail: Annotated[float, about("The limit for FAIL. Below that of PASS, more is better.")]


class GovernorView(msgspec.Struct, frozen=True, kw_only=True):
    """Something that memory did by itself and that still holds."""

    action: Annotated[
        str,
        about(
            "`clean_up` and `conflicts` put facts in doubt; `extraction_paused`, `extraction_off`, "
            "`extraction_quarantine` and `rule_quarantine` hold something back."
        ),
    ]
    since: Annotated[datetime, about("When it was done.")]
    reason: Annotated[str, about("Why, as a code: the indicator that was over its limit, or the reason of the switch.")]


class QualityAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Service levels and what was done about them."""

    indicators: Annotated[list[IndicatorView], about("The eleven service levels, then the two offline measures.")]
    governor: Annotated[list[GovernorView], about("What memory did by itself and nobody has undone, the oldest first.")]


class Quality(ApiView):
    """`GET /v1/quality`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="How well memory does",
        description=(
            "The service levels of your tenant as they were measured at the last full hour, with their limits and "
            "states, and what memory did by itself because of them. Figures only; no user is named."
        ),
        tag="quality",
        query=QualityQuery,
        answers={200: QualityAnswer},
    )
    def get(self, request: Request) -> Response:
        at = self.read_query(QualityQuery).at or timezone.now()
        tenant_id = self.caller.tenant_id
        with self.in_tenant():
            indicators = list_indicators(tenant_id=tenant_id, at=at)
            done = list_open(tenant_id=tenant_id, at=at)
        answer = QualityAnswer(
            indicators=[
                IndicatorView(
                    name=one.level.name,
                    value=one.value,
                    n=one.n,
                    window=write_window(one.level.window),
                    state=one.state,  # type: ignore[arg-type]  # held to the three by a constraint
                    passes=one.passes,
                    fail=one.fails,
                )
                for one in indicators
            ],
            governor=[GovernorView(action=one.action, since=one.since, reason=one.reason) for one in done],
        )
        return Response(answer)
