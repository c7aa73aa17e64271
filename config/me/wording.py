"""The words of the page: a data file for each language, plurals, dates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

FILES: Final = Path(__file__).parent / "words"
RTL: Final = frozenset({"ar"})


@cache
def read_words(locale: str) -> Mapping[str, Any]:
    """All words of a language."""
    found: Mapping[str, Any] = json.loads((FILES / f"{locale}.json").read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one language at one place on earth. `words["key"]` in a template is `{{ t.key }}`."""

    locale: str
    zone: ZoneInfo

    def __getitem__(self, key: str) -> Any:
        return read_words(self.locale)[key]

    @property
    def direction(self) -> str:
        """As `dir` says it."""
        return "rtl" if self.locale in RTL else "ltr"

    def count(self, key: str, number: int) -> str:
        """A phrase with a number in it, in the form that the number takes."""
        forms = self[key]
        form = forms.get(name_plural(self.locale, number)) or forms["other"]
        return str(form.format(n=number))

    def say(self, key: str, **values: Any) -> SafeString:
        """A phrase with values in it; each stands apart, whatever its direction (`<bdi>`)."""
        isolated = {name: mark_safe(f"<bdi>{conditional_escape(value)}</bdi>") for name, value in values.items()}
        return format_html(self[key], **isolated)

    def date(self, moment: datetime) -> str:
        """`3 March 2026` as the language says it."""
        local = moment.astimezone(self.zone)
        return f"{local.day} {self['months'][local.month - 1]} {local.year}"

    def time(self, moment: datetime) -> str:
        """A date with hours and minutes."""
        return f"{self.date(moment)}{self['comma']}{moment.astimezone(self.zone):%H:%M}"

    def name(self, kind: str, code: str) -> str:
        """A code in words; one that has none stands as it is, without its underscores."""
        return str(self[kind].get(code) or code.replace("_", " "))


def name_plural(locale: str, number: int) -> str:
    """The plural form of a number, as CLDR names it. Pure."""
    ten, hundred = number % 10, number % 100
    if locale == "ru":
        if ten == 1 and hundred != 11:
            return "one"
        return "few" if 2 <= ten <= 4 and not 12 <= hundred <= 14 else "many"
    if locale == "ar":
        if number <= 2:
            return ("zero", "one", "two")[number]
        return "few" if 3 <= hundred <= 10 else "many" if hundred >= 11 else "other"
    return "one" if number == 1 else "other"
