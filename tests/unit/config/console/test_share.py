"""A share in a table: its number stays on a narrow screen, where cells of bands alone are left out."""

import re
from pathlib import Path

from django.template.loader import render_to_string

from corrections.selectors.rule_figures import measure_share

STYLES = Path(__file__).resolve().parents[4] / "config" / "static" / "console" / "review.css"


def test_the_cell_of_a_share_is_none_of_those_that_a_narrow_screen_leaves_out() -> None:
    assert "td:has(> .interval) { display: none; }" in STYLES.read_text(encoding="utf-8")
    shown = render_to_string("console/rules/share.html", {"share": measure_share(1, 4)})
    assert re.match(r'\s*<span class="share"><span class="nowrap">25.0 %</span>', shown)
    assert shown.rstrip().endswith("</span>")
