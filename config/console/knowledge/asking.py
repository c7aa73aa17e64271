"""The ask bench: a question with its plan, its way through the graph, its hits and its answer, side by side.

Nothing is kept: no turn, no receipt. The question comes in a body and is in no address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from config.console.fields import set_choices
from config.console.knowledge.frame import READERS, find_corpus, render_corpus
from config.console.pages import console_page
from retrieval.knowledge.answers.asking import recall_memory
from retrieval.knowledge.answers.drafting import draft_answer
from retrieval.knowledge.answers.types import AskQuery, Draft
from retrieval.knowledge.models import Corpus
from retrieval.knowledge.planning.editing import list_plans
from retrieval.knowledge.planning.plans import get_plan, read_plan
from retrieval.knowledge.planning.switches import read_switches
from retrieval.knowledge.search.searching import ask_corpus
from retrieval.knowledge.search.types import CorpusQuery

SHOWN_ITEMS: Final = 100
ACTIVE: Final = ""


class AskForm(forms.Form):
    """A question to a corpus."""

    query = forms.CharField(label="Question", max_length=4_000, widget=forms.TextInput(attrs={"dir": "auto"}))
    before = forms.CharField(
        label="Previous question",
        required=False,
        max_length=4_000,
        help_text="for follow-ups",
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    plan = forms.ChoiceField(label="Plan", required=False)

    def __init__(self, *args: Any, plans: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "plan", [(ACTIVE, "active plan"), *plans])


@dataclass(frozen=True, slots=True)
class Shown:
    """What came of a question, for the page."""

    draft: Draft
    trace: dict[str, Any]
    paths: tuple[str, ...]


@console_page(*READERS)
def show_bench(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """The form, and under it what came of the question."""
    corpus = find_corpus(request, corpus_id)
    plans = [(str(plan.id), f"version {plan.version}, {plan.state}") for plan in list_plans(corpus)]
    form = AskForm(request.POST or None, plans=plans)
    shown = ask(corpus, form.cleaned_data) if request.method == "POST" and form.is_valid() else None
    return render_corpus(
        request, corpus, "ask", here="console:corpus_ask", form=form, shown=shown, shown_items=SHOWN_ITEMS
    )


def ask(corpus: Corpus, asked: dict[str, str]) -> Shown:
    """Answer as the API does without a model, with the plan that was chosen. Reads only."""
    now, switches = timezone.now(), read_switches(corpus)
    plan = read_plan(corpus, plan_id=UUID(asked["plan"])) if asked["plan"] else get_plan(corpus)
    history = (asked["before"],) if asked["before"] else ()
    memory = recall_memory(
        corpus, AskQuery(text=asked["query"], history=history), switches=switches, plan=plan, now=now
    )
    query = CorpusQuery(text=asked["query"], history=memory.questions, topic=memory.topic)
    found = ask_corpus(corpus, query, switches=switches, now=now, plan=plan)
    trace = found.trace()
    paths = tuple(" → ".join(path) or "the entity itself" for path in trace["path"])
    return Shown(draft_answer(found, settings=corpus.settings, style="auto"), trace, paths)
