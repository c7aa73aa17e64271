"""Admin lists of the room. Everything about one person on one page is `config.console.user.pages`."""

from memory.admin.actions import ActionAdmin
from memory.admin.erasures import ErasureRequestAdmin
from memory.admin.extraction import ExtractionRunAdmin
from memory.admin.facts import FactAdmin
from memory.admin.forgets import ForgetBatchAdmin
from memory.admin.imports import ImportRunAdmin
from memory.admin.messages import MessageAdmin
from memory.admin.users import UserAdmin

__all__ = [
    "ActionAdmin",
    "ErasureRequestAdmin",
    "ExtractionRunAdmin",
    "FactAdmin",
    "ForgetBatchAdmin",
    "ImportRunAdmin",
    "MessageAdmin",
    "UserAdmin",
]
