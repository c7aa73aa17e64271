"""An event at which the writer works is no event of theirs."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "I deliver cakes for a wedding on 5 May",
        "I have a wedding to shoot on Friday",
        "Wedding on Saturday, I'm bartending",
        "I'm a planner with a wedding on 5 May, so busy",
        "I officiate at a wedding on 12 April",
        "я везу торты на свадьбу 5 мая",
        "крашу невесту, свадьба 5 мая",
        "أصور عرس يوم السبت",
        "nsawwi el ward la 3irs 12 abreel",
        "My agency runs a gala on 3 June",
        "Our crew is marshalling a graduation on 20 June",
        "Наша бригада стережёт выпускной 20 июня",
        "نضيف عرس يوم ١٢ يونيو",
        "We rent out tents, big wedding on 5 May",
    ],
)
def test_work_at_an_event_is_no_event_ahead(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm a photographer and my own wedding is on 5 May", {"life_event/wedding@64"}),
        ("I'm baking the cake for my sister's wedding on 5 May", {"life_event/wedding_sister@64"}),
        ("I need a dress for a wedding on 5 May, the photographer says no black", {"life_event/wedding@64"}),
        ("I'm dreading a wedding on Friday", {"life_event/wedding@4"}),
        ("хотим отметить годовщину 15 марта", {"life_event/anniversary@13"}),
        ("m3zooma 3ala 3irs 5 mayo", {"life_event/wedding@64"}),
        ("My parents' anniversary is on Friday", {"life_event/anniversary@4"}),
        ("I bought tents, my wedding is on 5 May", {"life_event/wedding@64"}),
        ("أنا مصورة وعرسي يوم ٥ مايو", {"life_event/wedding@64"}),
        ("I need to present to clients on Thursday", {"life_event/presentation@3"}),
    ],
)
def test_ones_own_events_and_a_guests_stay(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts
