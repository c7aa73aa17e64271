"""Forms for rules and words: examples and words are one a line."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django import forms

from patterns.lexicon import Entry
from patterns.models import SIDES, LexiconEntry, Rule
from patterns.rule import KNOWLEDGE_TYPES, LANGUAGES, PURPOSES
from patterns.rule import Rule as RuleText

SHARED: Final = "shared"
OWN: Final = "own"


def _make_choices(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value.replace("_", " ")) for value in values]


def split_lines(text: str) -> tuple[str, ...]:
    """Lines without the empty ones, each once, in order."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


class LinesField(forms.CharField):
    """Several texts, one a line."""

    def __init__(self, rows: int = 4, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": rows, "dir": "auto", "spellcheck": "false"}), **kwargs)

    def clean(self, value: Any) -> tuple[str, ...]:
        return split_lines(super().clean(value))


class ScopedForm(forms.Form):
    """A row for all tenants or for the one that is worked in. Only the installation's staff write for all."""

    scope = forms.ChoiceField(label="For", choices=[(SHARED, "all tenants"), (OWN, "this tenant alone")])

    def __init__(self, *args: Any, is_installation: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields([name for name in self.fields if name != "scope"])
        if not is_installation:
            self.fields["scope"].choices = [(OWN, "this tenant alone")]

    def get_tenant_id(self, tenant_id: UUID) -> UUID | None:
        """The tenant that the row is written for; None for all."""
        return None if self.cleaned_data["scope"] == SHARED else tenant_id


class RuleForm(ScopedForm):
    """A rule's text."""

    slug = forms.SlugField(label="Name", max_length=80)
    knowledge_type = forms.ChoiceField(choices=_make_choices(KNOWLEDGE_TYPES))
    language = forms.ChoiceField(choices=_make_choices(LANGUAGES))
    purpose = forms.ChoiceField(choices=_make_choices(PURPOSES), initial="extract")
    kind = forms.CharField(
        max_length=20,
        required=False,
        help_text="what sort of statement it opens. Allergy: noun, reaction, sensitive. Ban: explicit, habit, lasting,"
        " want. Size: own, wear, be. Budget: limit, have. Event: event",
    )
    pattern = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="the words that open the statement, as people write them: a|b for either, (?:a )? for a that may be"
        " missing. Not what they open: that comes from the lexicon",
    )
    category = forms.CharField(max_length=40, required=False, help_text="instead of a pattern: words of this category")
    object_side = forms.ChoiceField(choices=_make_choices(SIDES), initial="after", help_text="where its object stands")
    positive = LinesField(label="Must catch", help_text="messages, one a line, at least two")
    negative = LinesField(label="Must leave alone", help_text="messages, one a line, at least two")
    note = forms.CharField(label="Why", max_length=200, required=False, help_text="for the list of versions")

    def make_rule(self) -> RuleText:
        """The rule as its author wrote it."""
        data = {name: value for name, value in self.cleaned_data.items() if name not in ("scope", "note")}
        return RuleText(**data)


def read_rule_initial(rule: Rule) -> dict[str, Any]:
    """A rule's row as the form shows it."""
    names = (
        "slug",
        "knowledge_type",
        "language",
        "purpose",
        "kind",
        "pattern",
        "category",
        "object_side",
    )
    shown = {name: getattr(rule, name) for name in names}
    examples = {"positive": "\n".join(rule.positive_examples), "negative": "\n".join(rule.negative_examples)}
    return shown | examples | {"scope": OWN if rule.tenant_id else SHARED}


class EntryForm(ScopedForm):
    """One canonical value with its words in one language."""

    category = forms.SlugField(max_length=40)
    canonical = forms.CharField(max_length=80)
    language = forms.ChoiceField(choices=_make_choices(LANGUAGES))
    aliases = LinesField(rows=8, label="Words", help_text="one a line")
    forms_ = LinesField(rows=4, label="Inflected forms", required=False, help_text="one a line, written out")
    note = forms.CharField(label="Why", max_length=200, required=False, help_text="for the list of versions")

    def make_entry(self) -> Entry:
        """The entry as its author wrote it."""
        data = self.cleaned_data
        return Entry(data["category"], data["canonical"], data["language"], data["aliases"], data["forms_"])


def read_entry_initial(entry: LexiconEntry) -> dict[str, Any]:
    """An entry's row as the form shows it."""
    return {
        "category": entry.category,
        "canonical": entry.canonical,
        "language": entry.language,
        "aliases": "\n".join(entry.aliases),
        "forms_": "\n".join(entry.forms),
        "scope": OWN if entry.tenant_id else SHARED,
    }
