"""Tables of the room. Every table that holds a user's data has the primary key (user_id, id) and the tenant beside it.

Django sees `id` as the primary key, because it can't use a composite one in the admin or as a target of relations; the
real key is made in SQL (migration 0001). So nothing here is fetched by id alone: rows are reached
through selectors, which start with the user.
"""

from memory.models.actions import Action
from memory.models.answered_requests import AnsweredRequest
from memory.models.base import OfTenant, OfUser
from memory.models.conversations import Conversation
from memory.models.erasures import (
    ErasureCertificate,
    ErasureEvent,
    ErasureItem,
    ErasureRequest,
    StorageRewrite,
)
from memory.models.extraction import (
    AdaptiveItem,
    ExtractionQuarantine,
    ExtractionRun,
    ExtractionTenantState,
    FactCandidate,
    ReviewSample,
)
from memory.models.facts import FactRow
from memory.models.forgets import ForgetBatch, ForgetItem
from memory.models.messages import Message
from memory.models.tombstones import Tombstone
from memory.models.users import User
from memory.models.withdrawals import FactJob

__all__ = [
    "Action",
    "AdaptiveItem",
    "AnsweredRequest",
    "Conversation",
    "ErasureCertificate",
    "ErasureEvent",
    "ErasureItem",
    "ErasureRequest",
    "ExtractionQuarantine",
    "ExtractionRun",
    "ExtractionTenantState",
    "FactCandidate",
    "FactJob",
    "FactRow",
    "ForgetBatch",
    "ForgetItem",
    "Message",
    "OfTenant",
    "OfUser",
    "ReviewSample",
    "StorageRewrite",
    "Tombstone",
    "User",
]
