"""Lists of grammar: what each is asked for, and its words in all languages together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase

from config.console.pages import console_page, render_page
from config.console.rules.access import find_status
from config.console.rules.forms import describe_language, describe_words
from memory.errors import NotFound
from memory.tenants.access import get_access
from patterns.grammar.grammar import GrammarList, list_grammar, list_of_names
from patterns.grammar.kinds import AFFIXES, GRAMMAR_ROWS, WORDS
from patterns.matching.lexicon import Entry
from patterns.matching.word_lists import find_purpose, list_sections, search_lists
from patterns.models import LexiconEntry
from patterns.rule import LANGUAGES
from patterns.rules.ruleset import RuleSet
from patterns.text.normaliser import normalise

OFFERED: Final = tuple(language for language in LANGUAGES if language != "mixed")
"""Languages that words are asked for in; a list that has words under "mixed" shows them."""


@dataclass(frozen=True, slots=True)
class ListedWords:
    """Words of a list in one language. `row` None: none yet. `is_replaced`: the tenant's own are read instead."""

    language: str
    row: LexiconEntry | None
    is_replaced: bool = False

    @property
    def note(self) -> str:
        """What a language stands for, where its name does not say it."""
        return describe_language(self.language)


@dataclass(frozen=True, slots=True)
class ShownList:
    """A list with what it is asked for, None when nothing asks for it any more, and its words by language."""

    name: str
    purpose: str | None
    is_of_affixes: bool
    words: tuple[ListedWords, ...]

    @property
    def how(self) -> str:
        """How its words are written down."""
        return describe_words(AFFIXES if self.is_of_affixes else "")

    @property
    def rows(self) -> list[LexiconEntry]:
        """The rows that the tenant is read by."""
        return [one.row for one in self.words if one.row is not None and not one.is_replaced]


@console_page("edit_patterns")
def show_lists(request: HttpRequest) -> HttpResponseBase:
    """Every list in its section, or those whose name, purpose or words hold what is looked for."""
    query = request.GET.get("q", "").strip()
    rows = _group(_list_rows(request))
    wanted = set(search_lists(query))
    wanted |= {name for name, given in rows.items() if any(_holds(row, query) for row in given)}
    sections = [
        (section.sentence, [_show(name, rows.get(name, [])) for name in section.names if name in wanted])
        for section in list_sections()
    ]
    return render_page(
        request,
        "console/rules/lists.html",
        title="Grammar lists",
        query=query,
        sections=[(sentence, shown) for sentence, shown in sections if shown],
        unasked=[row for name in sorted(wanted & rows.keys()) for row in rows[name] if _find_purpose(row) is None],
        count=sum(len(shown) for _, shown in sections),
        rules_status=find_status(request),
    )


@console_page("edit_patterns")
def show_list(request: HttpRequest, name: str) -> HttpResponseBase:
    """One list: its sentence, its words in each language, and the way to write those that it lacks. Raises NotFound."""
    known = get_list(name)
    return render_page(
        request,
        "console/rules/list.html",
        title=f"Grammar list {name}",
        listed=describe_list(request, category=known.category, name=name),
        rules_status=find_status(request),
    )


def get_list(name: str, *, language: str = "other") -> GrammarList:
    """A list that is asked for, of which words may be written in the language. Raises NotFound."""
    known = list_grammar().get(name)
    if known is None or language not in LANGUAGES:
        raise NotFound(f"There is no list “{name}”, or the language is unknown.")
    return known


def describe_list(request: HttpRequest, *, category: str, name: str) -> ShownList:
    """A list as the tenant's editors see it, with the languages that it has no words in."""
    rows = list(_list_rows(request).filter(category=category, canonical=name))
    is_asked_for = find_purpose(category=category, canonical=name) is not None
    return _show(name, rows, category=category, offered=OFFERED if is_asked_for else ())


def find_row_of_list(request: HttpRequest, known: GrammarList, name: str, language: str) -> LexiconEntry | None:
    """The words of a list in a language: the tenant's own where it has some, else those for all."""
    rows = _list_rows(request).filter(category=known.category, canonical=name, language=language)
    return rows.order_by("tenant_id").first()


def list_word_advice(entry: Entry, live: RuleSet) -> list[str]:
    """Whole words of a list that messages do not have when they are read: "noone" is mended into "none". Pure."""
    if entry.category != WORDS or entry.canonical in list_of_names():
        return []
    read = {word: live.analyse(word).normal.text.strip() for word in entry.aliases}
    return [
        f"“{word}” is normalised to “{text}” in messages, so this line never matches. Write “{text}” instead."
        for word, text in read.items()
        if text != normalise(word).text.strip()
    ]


def _list_rows(request: HttpRequest) -> QuerySet[LexiconEntry]:
    own = get_access(request).tenant.id
    return LexiconEntry.objects.filter(Q(tenant_id=None) | Q(tenant_id=own), category__in=GRAMMAR_ROWS)


def _show(
    name: str, rows: list[LexiconEntry], *, category: str | None = None, offered: tuple[str, ...] = ()
) -> ShownList:
    """A list of the rows given; a language of `offered` that has none stands there empty."""
    category = category or list_grammar()[name].category
    words: list[ListedWords] = []
    for language in LANGUAGES:
        here = [row for row in rows if (row.category, row.canonical, row.language) == (category, name, language)]
        has_own = any(row.tenant_id is not None and row.state != "draft" for row in here)
        here.sort(key=lambda row: row.tenant_id is None)
        words += [ListedWords(language, row, has_own and row.tenant_id is None) for row in here]
        if not here and language in offered:
            words.append(ListedWords(language, None))
    return ShownList(name, find_purpose(category=category, canonical=name), category == AFFIXES, tuple(words))


def _group(rows: Iterable[LexiconEntry]) -> dict[str, list[LexiconEntry]]:
    """Rows by the name of their list."""
    found: dict[str, list[LexiconEntry]] = {}
    for row in rows:
        found.setdefault(row.canonical, []).append(row)
    return found


def _holds(row: LexiconEntry, query: str) -> bool:
    """Whether a word of the row, or the name of its list, has what is looked for in it."""
    return any(query.casefold() in text.casefold() for text in (row.canonical, *row.aliases, *row.forms))


def _find_purpose(row: LexiconEntry) -> str | None:
    return find_purpose(category=row.category, canonical=row.canonical)
