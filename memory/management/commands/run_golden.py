"""manage.py run_golden: put the golden cases of extraction to a real endpoint and print a score card (SPEC X-6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.extraction.client import FORMATS, OpenAICompatibleClient
from memory.extraction.configuration import EndpointMisconfigured, make_endpoint
from memory.extraction.golden import CaseResult, load_cases, render_card, run_case
from patterns.registry import get_rule_set


class Command(BaseCommand):
    """Reads cases, asks the endpoint, writes nothing. Exit code 1 when a false fact would have come out."""

    help = "Score a model on the golden cases of extraction: what it proposes, and what the gate lets through."

    def add_arguments(self, parser: CommandParser) -> None:
        """Without arguments: the endpoint of the settings."""
        parser.add_argument("--endpoint", default=settings.UNDE_LLM_URL, help="base of the API, e.g. http://host/v1")
        parser.add_argument("--model", default=settings.UNDE_LLM_MODEL)
        parser.add_argument("--format", default=settings.UNDE_LLM_FORMAT, choices=("auto", *FORMATS))
        parser.add_argument("--cases", type=Path, default=settings.BASE_DIR / "tests/data/golden/extraction.yaml")
        parser.add_argument("--only", nargs="*", default=[], help="names of cases")

    def handle(self, *args: Any, **options: Any) -> None:
        """The key comes from UNDE_LLM_KEY: an argument would be in the list of processes."""
        client = self._make_client(options)
        cases = [case for case in load_cases(options["cases"]) if not options["only"] or case.name in options["only"]]
        rules = get_rule_set(tenant_id=None)
        results: list[CaseResult] = []
        for case in cases:
            results.append(run_case(case, client=client, rules=rules))
            self.stderr.write(".", ending="")
        self.stderr.write("")
        self.stdout.write(render_card(results))
        if any(result.count_wrong(result.let_through) for result in results):
            raise CommandError("false facts came through the gate", returncode=1)

    def _make_client(self, options: dict[str, Any]) -> OpenAICompatibleClient:
        if not options["endpoint"] or not options["model"]:
            raise CommandError("Name --endpoint and --model, or set UNDE_LLM_URL and UNDE_LLM_MODEL.")
        try:
            endpoint = make_endpoint(
                url=options["endpoint"],
                model=options["model"],
                key=settings.UNDE_LLM_KEY,
                timeout_seconds=settings.UNDE_LLM_TIMEOUT,
                answer_format=options["format"],
                extra=settings.UNDE_LLM_EXTRA or {},
            )
        except EndpointMisconfigured as error:
            raise CommandError(str(error)) from None
        return OpenAICompatibleClient(endpoint)
