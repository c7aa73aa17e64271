"""Forms for rules and words: examples and words are one a line."""

from __future__ import annotations

import unicodedata
from typing import Any, Final
from uuid import UUID

from django import forms

from config.console.fields import set_choices
from corrections.recognition.reasons import GROUPS
from patterns.alternatives import escape_breaks, join_lines, lay_out
from patterns.grammar.grammar import list_grammar, list_grammar_problems
from patterns.grammar.kinds import AFFIXES
from patterns.kinds.table import SORTS
from patterns.matching.lexicon import Entry
from patterns.matching.phrases import PHRASES
from patterns.matching.word_lists import UNASKED, find_purpose, suggest_lists
from patterns.models import SIDES, EntryVersion, LexiconEntry, Rule, RuleVersion
from patterns.rule import KNOWLEDGE_TYPES, LANGUAGES, PURPOSES
from patterns.rule import Rule as RuleText
from patterns.selectors import read_rule_content, read_rule_row

SHARED: Final = "shared"
OWN: Final = "own"
SLUG_ERRORS: Final = {"invalid": "Use Latin letters, digits, “-” and “_”, without spaces."}
MAX_PATTERN: Final = 40_000
MIN_ROWS: Final = 3
MAX_ROWS: Final = 60
MAX_EXAMPLES: Final = 100
MAX_WORDS: Final = 2_000
MAX_LINE: Final = 2_000
"""Characters and lines: what no person writes by hand costs seconds of everybody's page."""


def _make_choices(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value.replace("_", " ")) for value in values]


def split_lines(text: str) -> tuple[str, ...]:
    """Lines without the empty ones, each once, in order."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


class LinesField(forms.CharField):
    """Several texts, one a line."""

    def __init__(self, rows: int = 4, max_lines: int = MAX_EXAMPLES, **kwargs: Any) -> None:
        self.max_lines = max_lines
        attributes = {"rows": rows, "dir": "auto", "spellcheck": "false", "data-grows": ""}
        super().__init__(widget=forms.Textarea(attrs=attributes), **kwargs)

    def clean(self, value: Any) -> tuple[str, ...]:
        lines = split_lines(super().clean(value))
        if len(lines) > self.max_lines:
            raise forms.ValidationError(f"At most {self.max_lines} lines; there are {len(lines)}.")
        if any(len(line) > MAX_LINE for line in lines):
            raise forms.ValidationError(f"A line has at most {MAX_LINE} characters.")
        return lines


class AlternativesField(forms.CharField):
    """A pattern, edited with one alternative a line. Its value is the pattern, without the breaks (I-2)."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        # With "auto" a browser finds the direction of each line by itself: Arabic and Latin ones do not mix.
        attributes = {"rows": MIN_ROWS, "dir": "auto", "spellcheck": "false", "data-grows": "", "class": "alternatives"}
        super().__init__(strip=False, widget=forms.Textarea(attrs=attributes), **kwargs)

    def prepare_value(self, value: Any) -> Any:
        """What the form shows: a stored pattern line by line, what somebody typed as they typed it."""
        is_stored = isinstance(value, str) and "\n" not in value
        return "\n".join(lay_out(value)) if is_stored else value

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")
        return join_lines(text.split("\n"))

    def fit_rows(self, value: Any) -> None:
        """Give the field a row for each line that it shows."""
        lines = str(self.prepare_value(value) or "").count("\n") + 1
        self.widget.attrs["rows"] = min(MAX_ROWS, max(MIN_ROWS, lines))


class ScopedForm(forms.Form):
    """A row for all tenants or for the one that is worked in. Only the installation's staff write for all."""

    names: tuple[str, ...] = ()
    """The fields that say which row it is; they stand still once it is there."""

    scope = forms.ChoiceField(label="For", choices=[(SHARED, "all tenants"), (OWN, "only this tenant")])
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput())
    """The newest version when the page was opened: whoever keeps a draft sees what others kept meanwhile."""

    def __init__(self, *args: Any, is_installation: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields([name for name in self.fields if name != "scope"])
        if not is_installation:
            set_choices(self, "scope", [(OWN, "only this tenant")])

    def get_tenant_id(self, tenant_id: UUID) -> UUID | None:
        """The tenant that the row is written for; None for all."""
        return None if self.cleaned_data["scope"] == SHARED else tenant_id

    def lock_name(self) -> None:
        """Let nobody rename a row by typing: with another name it would be another row."""
        for name in self.names:
            widget = self.fields[name].widget
            if isinstance(widget, forms.Select):
                self.fields[name].widget = forms.TextInput()
            self.fields[name].widget.attrs["readonly"] = True


class RuleForm(ScopedForm):
    """A rule's text."""

    names = ("slug",)

    slug = forms.SlugField(label="Name", max_length=80, error_messages=SLUG_ERRORS)
    knowledge_type = forms.ChoiceField(choices=_make_choices(KNOWLEDGE_TYPES))
    language = forms.ChoiceField(choices=_make_choices(LANGUAGES))
    purpose = forms.ChoiceField(choices=_make_choices(PURPOSES), initial="extract")
    kind = forms.ChoiceField(required=False, help_text="the kind of statement, with an example")
    pattern = AlternativesField(
        required=False,
        max_length=MAX_PATTERN,
        help_text="the words that begin the statement, as people write them. One alternative per line. (?:a )? is an"
        " optional a. Leave out the object: it comes from the lexicon",
    )
    category = forms.CharField(max_length=40, required=False, help_text="instead of a pattern: a lexicon category")
    object_side = forms.ChoiceField(choices=_make_choices(SIDES), initial="after", help_text="where the object is")
    positive = LinesField(label="Must match", help_text="at least two messages, one per line")
    negative = LinesField(label="Must not match", help_text="at least two messages, one per line")
    note = forms.CharField(label="Reason", max_length=200, required=False, help_text="shown in the version history")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "kind", list_kind_choices())
        pattern = self.fields["pattern"]
        assert isinstance(pattern, AlternativesField)
        pattern.fit_rows(self["pattern"].value())

    def clean(self) -> dict[str, Any]:
        """Refuse a kind of another type: no step would take it up."""
        data: dict[str, Any] = super().clean() or {}
        kind, knowledge_type = data.get("kind"), data.get("knowledge_type")
        if kind and knowledge_type and kind not in SORTS.get(knowledge_type, ()):
            known = ", ".join(SORTS.get(knowledge_type, ())) or "none"
            self.add_error("kind", f"Kinds of {knowledge_type.replace('_', ' ')}: {known}.")
        return data

    def make_rule(self) -> RuleText:
        """The rule as its author wrote it."""
        data = {name: value for name, value in self.cleaned_data.items() if name not in ("scope", "note", "seen")}
        return RuleText(**data)


def list_kind_choices() -> list[tuple[str, Any]]:
    """The kinds in groups by knowledge type, each with an example of a shared rule where there is one."""
    rows = Rule.objects.filter(tenant_id=None, language="en").order_by("slug").values_list("kind", "positive_examples")
    examples = {kind: texts[0] for kind, texts in reversed(rows) if texts}
    groups = [
        (knowledge_type.replace("_", " "), [(kind, _name_kind(kind, examples.get(kind, ""))) for kind in kinds])
        for knowledge_type, kinds in SORTS.items()
    ]
    return [("", "none"), *groups]


def _name_kind(kind: str, example: str) -> str:
    name = kind.replace("_", " ")
    return f"{name}: “{example if len(example) <= 48 else example[:47] + '…'}”" if example else name


def read_rule_initial(rule: Rule, version: RuleVersion | None = None) -> dict[str, Any]:
    """A rule as the form shows it: what is on its way where there is something, else what is in force."""
    text = read_rule_content(rule.slug, version.content) if version else read_rule_row(rule)
    names = ("slug", "knowledge_type", "language", "purpose", "kind", "pattern", "category", "object_side")
    shown: dict[str, Any] = {name: getattr(text, name) for name in names}
    shown["pattern"] = escape_breaks(text.pattern)
    shown |= {"positive": "\n".join(text.positive), "negative": "\n".join(text.negative)}
    return shown | {"note": version.note if version else "", "scope": OWN if rule.tenant_id else SHARED}


def read_copy_initial(rule: Rule) -> dict[str, Any]:
    """A new rule that begins as another one is: under a name of its own, for this tenant."""
    shown = read_rule_initial(rule)
    return shown | {"slug": f"{rule.slug[:75]}-copy", "note": f"copied from {rule.slug}", "scope": OWN}


class EntryForm(ScopedForm):
    """One canonical value with its words in one language."""

    names = ("category", "canonical", "language")

    category = forms.SlugField(
        max_length=40,
        error_messages=SLUG_ERRORS,
        help_text="fabric, irritant, material, cut, garment, pattern, colour, brand, event, relation, currency …:"
        " the lexicon shows them all. To add words of the grammar, use Grammar lists",
    )
    canonical = forms.CharField(max_length=80, help_text="the value that is stored in facts: one English word")
    language = forms.ChoiceField(choices=_make_choices(LANGUAGES))
    aliases = LinesField(rows=8, max_lines=MAX_WORDS, label="Words", help_text="one per line")
    forms_ = LinesField(
        rows=4, max_lines=MAX_WORDS, label="Inflected forms", required=False, help_text="one per line, written out"
    )
    note = forms.CharField(label="Reason", max_length=200, required=False, help_text="shown in the version history")

    def make_entry(self) -> Entry:
        """The entry as its author wrote it."""
        data = self.cleaned_data
        return Entry(data["category"], data["canonical"], data["language"], data["aliases"], data.get("forms_", ()))

    def clean_canonical(self) -> str:
        """Facts keep it and pages show it: what nobody sees in it would part two values that look the same."""
        text = str(self.cleaned_data["canonical"])
        hidden = [letter for letter in text if unicodedata.category(letter) in ("Cf", "Cc")]
        if hidden:
            raise forms.ValidationError(f"It has an invisible character (U+{ord(hidden[0]):04X}). Type it again.")
        return text

    def clean(self) -> dict[str, Any]:
        """Refuse words of the grammar that nothing would ask for, at the field that is wrong."""
        data: dict[str, Any] = super().clean() or {}
        if not self.errors:
            entry = self.make_entry()
            for problem in list_grammar_problems(entry):
                self.add_error(_find_field(entry), problem + _hint_at_lists(entry))
        return data


def _find_field(entry: Entry) -> str:
    """Where the fault of a row of grammar lies: its list, the category that it stands in, or its words."""
    known = list_grammar().get(entry.canonical)
    if known is None:
        return "canonical"
    return "aliases" if known.category == entry.category else "category"


def _hint_at_lists(entry: Entry) -> str:
    """Names that were perhaps meant, where the list is not known."""
    if entry.canonical in list_grammar():
        return ""
    near = ", ".join(f"“{name}”" for name in suggest_lists(entry.canonical))
    return f"; did you mean {near}?" if near else "; see Grammar lists"


class ListForm(EntryForm):
    """Words of a list of grammar in one language.

    Inflected forms have no field of their own: every form is a word of the list, and shows among them.
    """

    category = forms.SlugField(max_length=40, widget=forms.HiddenInput())
    canonical = forms.CharField(max_length=80, label="List")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["forms_"]
        self.fields["language"].help_text = describe_language(str(self.initial.get("language", "")))
        self.fields["aliases"].help_text = describe_words(str(self.initial.get("category", "")))

    def lock_name(self) -> None:
        """As for other rows; what the list is asked for stands beside its name."""
        super().lock_name()
        name = {field: str(self.initial.get(field, "")) for field in ("category", "canonical")}
        self.fields["canonical"].help_text = find_purpose(**name) or UNASKED

    def add_error(self, field: str | None, error: Any) -> None:
        """A fault of the category is one of the list: the field of the category is not shown."""
        super().add_error("canonical" if field == "category" else field, error)


def describe_words(category: str) -> str:
    """How words of a list are written down."""
    if category == AFFIXES:
        return "beginnings or endings of words, one per line, without a hyphen"
    return "one per line, each form written out. Capital letters and diacritics do not matter"


def describe_language(language: str) -> str:
    """What a language stands for, where its name does not say it."""
    return "Hindi, French and every language not listed here" if language == "other" else ""


def read_list_initial(entry: LexiconEntry, version: EntryVersion | None = None) -> dict[str, Any]:
    """A row of a list as the form shows it."""
    shown = read_entry_initial(entry, version)
    words = split_lines(f"{shown.pop('aliases')}\n{shown.pop('forms_')}")
    return shown | {"aliases": "\n".join(words)}


def read_entry_initial(entry: LexiconEntry, version: EntryVersion | None = None) -> dict[str, Any]:
    """An entry as the form shows it: what is on its way where there is something, else what is in force."""
    content = version.content if version else {"aliases": entry.aliases, "forms": entry.forms}
    return {
        "category": entry.category,
        "canonical": entry.canonical,
        "language": entry.language,
        "aliases": "\n".join(content["aliases"]),
        "forms_": "\n".join(content["forms"]),
        "note": version.note if version else "",
        "scope": OWN if entry.tenant_id else SHARED,
    }


class PhrasesForm(ScopedForm):
    """Phrases of replies in one language: how people say that memory is wrong, or what only looks like it."""

    names = ("group", "language")

    group = forms.ChoiceField(label="Meaning", help_text="what a reply with one of these phrases means")
    language = forms.ChoiceField(choices=_make_choices(LANGUAGES))
    aliases = LinesField(
        rows=14,
        max_lines=MAX_WORDS,
        label="Phrases",
        help_text="one per line; (did|do) is either word, (really|) is optional. Spelling does not matter",
    )
    note = forms.CharField(label="Reason", max_length=200, required=False, help_text="shown in the version history")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "group", list_groups())

    def lock_name(self) -> None:
        """As for other rows; what the group says stands beside it."""
        super().lock_name()
        category = str(self.initial.get("group", "")).partition("/")[0]
        self.fields["group"].help_text = GROUPS.get(category, "")

    def make_entry(self) -> Entry:
        """The phrases as their author wrote them."""
        category, _, meaning = self.cleaned_data["group"].partition("/")
        return Entry(PHRASES + category, meaning, self.cleaned_data["language"], self.cleaned_data["aliases"])


def list_groups() -> list[tuple[str, str]]:
    """The groups of phrases that replies are read for, "category/meaning", with what each says."""
    rows = LexiconEntry.objects.filter(tenant_id=None, category__startswith=PHRASES)
    names = sorted(set(rows.values_list("category", "canonical")))
    choices = []
    for category, meaning in names:
        name = category.removeprefix(PHRASES)
        shown = name if meaning == name else f"{name}, {meaning}"
        choices.append((f"{name}/{meaning}", f"{shown.replace('_', ' ')} – {GROUPS.get(name, '')}"))
    return choices


def read_phrases_initial(entry: LexiconEntry, version: EntryVersion | None = None) -> dict[str, Any]:
    """Phrases as the form shows them."""
    shown = read_entry_initial(entry, version)
    return {name: shown[name] for name in ("language", "aliases", "note", "scope")} | {
        "group": f"{entry.category.removeprefix(PHRASES)}/{entry.canonical}"
    }
