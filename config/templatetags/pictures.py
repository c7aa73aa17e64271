"""`{% timings_picture receipt.timings %}`: a drawn picture where the page belongs to another room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from config.console.drawing.pictures import Span, draw_spans

register = template.Library()


@register.inclusion_tag("console/picture.html")
def timings_picture(timings: Mapping[str, float]) -> dict[str, Any]:
    """How long each stage took, the longest first. Its numbers are the table beside it."""
    longest = sorted(timings.items(), key=lambda item: -item[1])
    spans = [Span(name.replace("_", " "), 0.0, value, "primary", f"{value:.1f} ms") for name, value in longest]
    ends = ("0", f"{longest[0][1]:.1f} ms") if longest else ("", "")
    picture = draw_spans(name="timings", title="Time of each stage", spans=spans, ends=ends, unit="Stage")
    return {"picture": picture, "without_table": True}
