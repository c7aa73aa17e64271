"""A tenant with a row of every kind that an address of the console names, and a marker in every text of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.utils import timezone

from corrections.models import (
    Backtest,
    BacktestSample,
    CorrectionLog,
    PromotionProposal,
    ReviewItem,
    RuleWarning,
)
from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.ids import new_id
from memory.imports.requests import accept_import
from memory.models import (
    Action,
    AdaptiveItem,
    ErasureRequest,
    ExtractionQuarantine,
    ExtractionRun,
    FactCandidate,
    FactJob,
    FactRow,
    ForgetBatch,
)
from memory.outbox.models import WebhookEndpoint
from memory.outbox.services.deliveries import send_test
from memory.outbox.services.endpoints import put_endpoint
from memory.privacy.requests import take_request
from memory.privacy.types import Asked
from memory.projects.selectors.register import list_conflicts
from memory.projects.services.facts import put_facts
from memory.projects.services.projects import ProjectInput, make_project
from memory.projects.types import ProjectFactBody, SourceBody
from memory.services.forgets import forget_messages
from memory.tenants.models import ApiKey, AuditEvent, StaffMembership, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.keys import create_key
from memory.tenants.types import Role, Scope
from memory.types import TenantRef
from patterns.models import EntryVersion, LexiconEntry, Publication, RejectionCount, Rule, RuleVersion
from patterns.selectors import read_rule_row
from patterns.services.packs import make_rule_content
from retrieval.knowledge.ingest.types import DocumentBody, RecordBody
from retrieval.knowledge.models import Entity, Plan, RegistryAction
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.ingesting import ingest
from retrieval.models import EmbeddingModel, EmbeddingTask, RetrievalReceipt
from retrieval.pipeline import search_messages
from retrieval.types import SearchQuery
from tests.api.console.conftest import make_staff
from tests.cast import Chatter
from tests.db.memory.consents.purposes import put as put_purpose
from tests.db.memory.episodes.conftest import cut, list_of, tell
from tests.db.memory.extraction.conftest import extract
from tests.scripted_model import ScriptedModel, propose
from tests.unit.memory.episodes.talks import TRIP

WORD: Final = "zanzibarmarker"
"""Stands in every text of the tenant: in what its users say, in names, rules, addresses."""
Ids = dict[str, UUID | int | str]


def make_everything(tenant: TenantRef, scripted_model: Callable[..., ScriptedModel]) -> Ids:
    """Ids by kind, one of each."""
    person = Chatter(tenant, f"{WORD}-alice")
    ids = _make_memory(person, scripted_model)
    with tenant_scope(tenant.id):
        ids |= _make_rules(tenant, person) | _make_review(tenant, person) | _make_work(tenant, person)
        put_purpose(tenant, "advice", "items", names={"en": WORD}, texts={"en": WORD})
        ids |= _make_knowledge(tenant) | _make_project(tenant)
    return ids | _make_access(tenant)


def _make_memory(person: Chatter, scripted_model: Callable[..., ScriptedModel]) -> Ids:
    tenant, now = person.tenant, timezone.now()
    person.clock = now - timedelta(days=2)
    tell(person, *TRIP)
    cut(person)
    person.clock = now - timedelta(hours=1)
    person.say(f"my size is M, {WORD}")
    person.say(f"by the way I'm allergic to titanium, {WORD}")
    person.hear(f"Noted, {WORD}.")
    titanium = propose(knowledge_key="titanium", value="titanium", evidence_message_ids=["m6"])
    assert extract(person, scripted_model({"operations": [titanium]})).staged == 1
    gone = person.say(f"forget this, {WORD}")
    forget_messages(user=person.ref, message_ids=[gone.message_id], actor="key:test", now=now)
    other = Chatter(tenant, f"{WORD}-charlie")
    other.say(f"erase this, {WORD}")
    erasure = request_erasure(
        tenant=tenant, user_external_id=other.name, target=ErasureTarget(), reason="user_request", actor="key:test",
        now=now,
    )  # fmt: skip
    with tenant_scope(tenant.id):
        search_messages(SearchQuery(user=person.ref, text=WORD), now=now)
        task = EmbeddingTask.objects.create(
            message_id=person.said[-2].message_id, tenant_id=tenant.id, user_id=person.ref.id,
            model=EmbeddingModel.objects.get_or_create(name="of the suite", defaults={"dimensions": 384, "is_inline": False})[0],
            available_at=now + timedelta(days=1), received_at=now,
        )  # fmt: skip
        return {
            "user": person.ref.id,
            "message": person.said[-3].message_id,
            "forgotten message": gone.message_id,
            "episode": list_of(person)[0].id,
            "fact": FactRow.objects.get(tenant_id=tenant.id).id,
            "action": Action.objects.filter(tenant_id=tenant.id).earliest("id").id,
            "forget batch": ForgetBatch.objects.get(tenant_id=tenant.id).id,
            "erasure": ErasureRequest.objects.get(tenant_id=tenant.id, id=erasure.id).id,
            "run": ExtractionRun.objects.get(tenant_id=tenant.id).id,
            "candidate": FactCandidate.objects.get(tenant_id=tenant.id).id,
            "receipt": RetrievalReceipt.objects.get(tenant_id=tenant.id).id,
            "embedding task": task.message_id,
        }


def _make_review(tenant: TenantRef, person: Chatter) -> Ids:
    now, row = timezone.now(), {"tenant_id": tenant.id, "user_id": person.ref.id}
    message = person.said[-3].message_id
    correction = CorrectionLog.objects.create(
        id=new_id(), **row, trigger_message_id=message, correction_type="user_denied", language="en", created_at=now
    )
    item = ReviewItem.objects.create(
        id=new_id(), **row, source="instant", operation="add", fact_id=FactRow.objects.get(tenant_id=tenant.id).id,
        knowledge_type="body_params", rule=f"{WORD}-rule", rule_version=1, evidence_message_ids=[message],
        created_at=now,
    )  # fmt: skip
    habit = AdaptiveItem.objects.create(
        id=new_id(), **row, item_type="preference", status="active", key_hash=bytes(32), sealed=b"x", confidence=0.5,
        evidence_message_ids=[message], run_id=new_id(), first_said_at=now, last_said_at=now,
        expires_at=now + timedelta(days=30), created_at=now, updated_at=now,
    )  # fmt: skip
    quarantine = ExtractionQuarantine.objects.create(
        id=new_id(), tenant_id=tenant.id, slice="type", value=WORD, reason="precision", judged=20, right_count=1,
        since=now,
    )  # fmt: skip
    warning = RuleWarning.objects.create(
        id=new_id(), tenant_id=tenant.id, rule=f"{WORD}-rule", rule_version=1, judged=40, right_count=20,
        warned_at=now, due_at=now + timedelta(days=1),
    )  # fmt: skip
    made = {"correction": correction, "item": item, "adaptive item": habit, "quarantine": quarantine}
    return {name: row.id for name, row in (made | {"warning": warning}).items()}


def _make_rules(tenant: TenantRef, person: Chatter) -> Ids:
    rule = Rule.objects.create(
        tenant_id=tenant.id, slug=f"{WORD}-rule", knowledge_type="allergy", language="en", kind="allergy",
        pattern=f"i {WORD} from", positive_examples=[f"i {WORD} from wool"], negative_examples=[WORD],
    )  # fmt: skip
    content = make_rule_content(read_rule_row(rule)) | {"slug": rule.slug}
    RuleVersion.objects.create(rule=rule, version=1, content=content, changed_by="staff:1", note=WORD)
    draft = RuleVersion.objects.create(rule=rule, version=2, content=content, changed_by="staff:1", state="draft")
    Publication.objects.create(
        tenant_id=tenant.id, rule_version=draft, author="staff:1", asked_by="staff:1", asked_at=timezone.now(),
        needs_second_person=True, state="waiting",
    )  # fmt: skip
    words = {"aliases": [WORD], "language": "en", "tenant_id": tenant.id}
    entry = LexiconEntry.objects.create(category="fabric", canonical=WORD, **words)
    content = {"aliases": [WORD], "forms": [], "is_active": True}
    EntryVersion.objects.create(entry=entry, version=1, content=content, changed_by="staff:1")
    entry_draft = EntryVersion.objects.create(
        entry=entry, version=2, content=content, changed_by="staff:1", state="draft"
    )
    phrases = LexiconEntry.objects.create(category="reply.challenge", canonical="unsaid", **words)
    refusals = RejectionCount.objects.create(
        tenant_id=tenant.id, rule=rule.slug, reason="question", day=timezone.now().date(), count=3
    )
    return {
        "rule": rule.id, "rule version": draft.id, "entry": entry.id, "entry version": entry_draft.id,
        "phrases": phrases.id, "refusals": refusals.id,
    }  # fmt: skip


def _make_work(tenant: TenantRef, person: Chatter) -> Ids:
    """Backtests and tasks on facts, one in each state that a button belongs to."""
    now, rule = timezone.now(), Rule.objects.get(tenant_id=tenant.id)
    row: dict[str, Any] = {"tenant_id": tenant.id, "requested_by": "staff:1", "created_at": now}
    version = RuleVersion.objects.get(rule=rule, version=2)
    of_rule = {"subject_kind": "rule", "subject_id": rule.id, "version_id": version.id, "messages_per_language": 10}
    backtest = Backtest.objects.create(
        id=new_id(), **row, **of_rule, state="done", finished_at=now, counts={"en": {"read": 1, "added": 1}}
    )
    cancelled = Backtest.objects.create(id=new_id(), **row, **of_rule, state="cancelled", finished_at=now)
    running = Backtest.objects.create(id=new_id(), **row, **of_rule, state="queued")
    sample = BacktestSample.objects.create(
        id=new_id(), tenant_id=tenant.id, user_id=person.ref.id, backtest_id=backtest.id,
        message_id=person.said[-3].message_id, change="added", knowledge_type="allergy", language="en",
        first_character=0, last_character=5,
    )  # fmt: skip
    of_facts: dict[str, Any] = {"rule": rule.slug, "rule_versions": [1], "users_total": 1}
    jobs = {
        f"{kind} {state}": FactJob.objects.create(
            id=new_id(), **row, **of_facts, kind=kind, state=state, finished_at=None if state == "queued" else now
        ).id
        for kind, state in (("close", "done"), ("close", "cancelled"), ("preview", "done"), ("preview", "queued"))
    }
    return {"backtest": backtest.id, "stopped backtest": cancelled.id, "queued backtest": running.id,
            "sample": sample.id, **jobs}  # fmt: skip


def _make_knowledge(tenant: TenantRef) -> Ids:
    now = timezone.now()
    put_corpus(tenant_id=tenant.id, external_id=WORD, name=WORD, schema="portfolio", settings=None, now=now)
    document = DocumentBody(id="d-1", title=WORD, text=f"The word is {WORD}.")
    records = [RecordBody(id=f"r-{n}", type="Project", name=f"{WORD} {n}") for n in (1, 2)]
    ingest(tenant_id=tenant.id, corpus=WORD, documents=[document], records=records, now=now)
    corpus = get_corpus(tenant_id=tenant.id, external_id=WORD)
    entity = Entity.objects.filter(corpus_id=corpus.id).earliest("id")
    of_corpus = {"tenant_id": tenant.id, "corpus_id": corpus.id}
    action = RegistryAction.objects.create(
        id=new_id(), **of_corpus, kind="confirm", entity_id=entity.id, text=WORD, before={"status": None}, made_at=now
    )
    plan = Plan.objects.create(
        id=new_id(), **of_corpus, version=1, state="draft", intents=[], note=WORD, created_at=now
    )
    proposal = PromotionProposal.objects.create(
        id=new_id(), tenant_id=tenant.id, knowledge_type="hard_ban", value=WORD, confidence=0.9, seen=4, users=3,
        sessions=3, conflict=0.0, created_at=now, updated_at=now,
    )  # fmt: skip
    return {"corpus": corpus.id, "entity": entity.id, "decision": action.id, "plan": plan.id, "proposal": proposal.id}


def _make_project(tenant: TenantRef) -> Ids:
    now, source = timezone.now(), SourceBody(type="document", ref=WORD, quote=WORD)
    content = ProjectInput(name=WORD, mission=WORD)
    ref = make_project(tenant_id=tenant.id, external_id=WORD, user=None, content=content, now=now)[0]
    facts = [ProjectFactBody(subject=WORD, value=n, exclusive=True, source=source) for n in ("one", "two")]
    put_facts(ref, facts=facts, origin="caller", actor="key:a", now=now)
    return {"project": ref.id, "conflict": list_conflicts(ref, limit=1)[0].id}


def _make_access(tenant: TenantRef) -> Ids:
    now = timezone.now()
    put_endpoint(
        tenant_id=tenant.id, external_id=WORD, url=f"https://{WORD}.example.com/", events=["*"], description=WORD,
        actor=SYSTEM, now=now,
    )  # fmt: skip
    delivery = send_test(tenant_id=tenant.id, external_id=WORD, now=now)
    owner = Tenant.objects.get(id=tenant.id)
    create_key(tenant=owner, name=WORD, scopes=tuple(Scope), actor=SYSTEM, now=now)
    staff = make_staff(f"{WORD}-{tenant.id.hex[-8:]}", tenant=tenant, role=Role.OPERATOR)
    with tenant_scope(tenant.id):
        return {
            "tenant": tenant.id,
            "staff": staff.pk,
            "membership": StaffMembership.objects.get(staff_user=staff).pk,
            "key": ApiKey.objects.get(tenant_id=tenant.id).id,
            "audit event": AuditEvent.objects.filter(tenant_id=tenant.id).earliest("happened_at").pk,
            "webhook": WebhookEndpoint.objects.get(tenant_id=tenant.id).id,
            "delivery": delivery,
            "import": accept_import(
                tenant=tenant,
                user_external_id=WORD,
                data=WORD.encode(),
                file_format="jsonl",
                actor="key:test",
                now=now,
            ).id,
            "privacy request": take_request(
                tenant=tenant,
                asked=Asked(uuid4(), "erasure", "gdpr", WORD, now, ("https://93.184.215.14/",)),
                actor="key:test",
                now=now,
            )[0].id,
        }
