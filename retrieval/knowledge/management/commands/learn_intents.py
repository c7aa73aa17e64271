"""Learn intents of a corpus from example questions (D-49)."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from memory.errors import CodedError
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from patterns.management.command import DescribedCommand
from retrieval.knowledge.models import Corpus
from retrieval.knowledge.planning.editing import activate_plan, add_draft, read_corpus_kinds
from retrieval.knowledge.planning.learning import Example, Learnt, learn_plan
from retrieval.knowledge.planning.plans import list_current_intents


class Command(DescribedCommand):
    help = (
        'Learn which questions ask for which path, from JSON Lines {"question", "entity", "path"}, and add a draft\n'
        "plan: the intents in force and the new ones. A path is a list of edge kinds or names of types such as\n"
        "movie_to_director_to_movie. The draft answers nothing until it is made active.\n\n"
        "Example: script/manage learn_intents films questions.jsonl --activate"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", help="id of the corpus")
        parser.add_argument("file", type=Path, help="JSON Lines of examples")
        parser.add_argument("--tenant", help="slug of the tenant, if several have this corpus")
        parser.add_argument("--activate", action="store_true", help="activate the plan")
        parser.add_argument("--alone", action="store_true", help="leave the active intents out of the draft")

    def handle(self, **options: Any) -> None:
        tenant = find_tenant(options["corpus"], options["tenant"])
        now = timezone.now()
        try:
            with tenant_scope(tenant.id):
                corpus = Corpus.objects.get(external_id=options["corpus"])
                learnt = learn_plan(read_examples(options["file"]), kinds=read_corpus_kinds(corpus))
                if not learnt.intents:
                    raise CommandError(
                        "No example was usable: no path fits the schema, or no question contains its name."
                    )
                new = {intent["name"] for intent in learnt.intents}
                kept = (
                    [] if options["alone"] else [one for one in list_current_intents(corpus) if one["name"] not in new]
                )
                note = f"learnt from {options['file'].name}"
                plan = add_draft(corpus, intents=[*learnt.intents, *kept], note=note, staff_id=None, now=now)
                if options["activate"]:
                    activate_plan(corpus, plan_id=plan.id, now=now)
        except CodedError as error:
            raise CommandError(f"{error.message} {json.dumps(error.fields)}") from None
        self.report(learnt, version=plan.version, state="active" if options["activate"] else "draft")

    def report(self, learnt: Learnt, *, version: int, state: str) -> None:
        """Say what was learnt, in numbers."""
        self.stdout.write(
            f"plan {version} ({state}): {len(learnt.intents)} intents, {learnt.shapes} shapes of questions,"
            f" {learnt.variants} more by words that mean the same"
        )
        for reason, lines in sorted(learnt.left_out.items()):
            first = ", ".join(str(line) for line in lines[:5] if line)
            self.stdout.write(f"left out, {reason}: {len(lines)}{f' (lines {first} ...)' if first else ''}")


def find_tenant(corpus: str, slug: str | None) -> Tenant:
    """The tenant that has the corpus. Raises CommandError where none has, or several and none is named."""
    tenants = Tenant.objects.filter(slug=slug) if slug else Tenant.objects.order_by("slug")
    found = []
    for tenant in tenants:
        with tenant_scope(tenant.id):
            if Corpus.objects.filter(tenant_id=tenant.id, external_id=corpus).exists():
                found.append(tenant)
    if len(found) != 1:
        raise CommandError(
            "No tenant has this corpus." if not found else "Several tenants have this corpus. Choose one with --tenant."
        )
    return found[0]


def read_examples(file: Path) -> Iterator[Example]:
    """The examples of a file. Raises CommandError naming the line that is none."""
    if not file.is_file():
        raise CommandError(f"File {file} does not exist.")
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                yield Example(str(row["question"]), str(row["entity"]), row["path"])
            except (ValueError, KeyError, TypeError):
                raise CommandError(f"Line {number} is not an object with question, entity and path.") from None
