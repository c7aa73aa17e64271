"""What a tenant and a corpus have on (SPEC N-7, D-49)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from memory.database.queries import Query
from memory.tenants.models import Tenant
from memory.tenants.scope import ask
from memory.tenants.services.tenants import read_settings
from retrieval.knowledge.models import Corpus
from retrieval.knowledge.planning.deciding import Switches

_SETTINGS: Final = "SELECT settings FROM tenant WHERE id = %(tenant_id)s"


def read_switches(corpus: Corpus) -> Switches:
    """A switch is on unless the tenant or the corpus has it off. One read; inside a tenant scope."""
    tenant = read_settings(Tenant(settings=ask(make_settings_query(tenant_id=corpus.tenant_id))[0][0]))
    own = corpus.settings

    def is_on(name: str) -> bool:
        return own.get(name, True) is not False

    return Switches(
        graph=is_on("graph") and tenant.is_knowledge_graph_on,
        router=is_on("router") and tenant.is_knowledge_router_on,
        conversation_memory=is_on("conversation_memory") and tenant.is_knowledge_memory_on,
    )


def make_settings_query(*, tenant_id: UUID) -> Query:
    """The statement of `read_switches`, for `prefetch`."""
    return Query(_SETTINGS, {"tenant_id": tenant_id})
