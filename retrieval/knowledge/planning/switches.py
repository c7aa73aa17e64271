"""What a tenant and a corpus have on (SPEC N-7, D-49)."""

from __future__ import annotations

from memory.tenants.models import Tenant
from memory.tenants.services.tenants import read_settings
from retrieval.knowledge.models import Corpus
from retrieval.knowledge.planning.deciding import Switches


def read_switches(corpus: Corpus) -> Switches:
    """A switch is on unless the tenant or the corpus has it off. One read; inside a tenant scope."""
    tenant = read_settings(Tenant.objects.get(id=corpus.tenant_id))
    own = corpus.settings

    def is_on(name: str) -> bool:
        return own.get(name, True) is not False

    return Switches(
        graph=is_on("graph") and tenant.is_knowledge_graph_on,
        router=is_on("router") and tenant.is_knowledge_router_on,
        conversation_memory=is_on("conversation_memory") and tenant.is_knowledge_memory_on,
    )
