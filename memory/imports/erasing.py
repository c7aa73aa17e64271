"""Erasing imports: those of a whole user go, and an erasure of a part ends the one whose file waits (SPEC G-2)."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from memory.erasure.erasers import DERIVED, TableEraser, fetch_count
from memory.errors import Conflict
from memory.imports.endings import fail_import
from memory.imports.models import OPEN, ImportRun
from memory.types import ErasureScope

_COUNT: Final = """
SELECT count(*) FROM memory_import i JOIN erasure_request r ON r.user_id = i.user_id AND r.id = %(erasure_id)s
 WHERE i.user_id = %(user_id)s AND i.finished_at IS NULL AND i.created_at <= r.requested_at
"""


class ImportErased(Conflict):
    """A part of the user's memory was erased while the file waited, and the file may hold just that."""

    code = "import_erased"
    default_message = "A part of this user was erased while the file waited. Send it again: what was erased is refused."


class ImportEraser:
    """See `memory.registries.Eraser`. Parts of a file go with their import.

    What a waiting file holds is not known without reading it, so an erasure of messages, of a conversation or of a
    time ends the import: no certificate is signed while the words may still lie there.
    """

    name = "imports"
    models = ("imports.ImportRun", "imports.ImportPart")
    stage = DERIVED
    _table = TableEraser(name=name, models=models, table="memory_import", stage=stage)

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch."""
        if scope.is_whole:
            return self._table.erase_batch(scope, limit=limit)
        run = ImportRun.objects.filter(user_id=scope.user.id, status__in=OPEN).first()
        if run is None or not self.count_left(scope):
            return 0
        fail_import(run, ImportErased(), now=timezone.now())
        return 1

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        return self._table.count_left(scope) if scope.is_whole else fetch_count(_COUNT, scope)
