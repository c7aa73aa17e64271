"""Golden cases that still hold three words of a user in a row go, and those of which that can't be told any more (D-27).

Up to here four words in a row could stand. The corrections they were made of wait for a reviewer again.
"""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import migrations

from corrections.review.wording import is_own_words
from memory.tenants.scope import tenant_scope

# What was said for each case; no row for a case whose messages are gone.
SAID_BEFORE_CORRECTIONS = """
SELECT c.id, array_agg(m.content) FROM corrections_golden_case c
  JOIN memory_correction_log l ON l.tenant_id = c.tenant_id AND l.id = c.correction_id
  JOIN memory_message m ON m.user_id = l.user_id AND m.id IN (l.trigger_message_id, l.corrected_message_id)
 GROUP BY c.id
"""
SAID_FOR_ITEMS = """
SELECT c.id, array_agg(m.content) FROM corrections_message_case c
  JOIN corrections_review_item i ON i.tenant_id = c.tenant_id AND i.id = c.item_id
  JOIN memory_message m ON m.user_id = i.user_id AND m.id = ANY(i.evidence_message_ids)
 GROUP BY c.id
"""


def list_texts(value: Any) -> Iterator[str]:
    """Every text in the content of a case."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from list_texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from list_texts(each)


def find_unretold(cases: dict[UUID, Any], said: dict[UUID, Sequence[str]]) -> list[UUID]:
    """The cases that hold words of what was said, or of which nobody knows any more. Pure."""
    return [
        case_id
        for case_id, content in cases.items()
        if case_id not in said
        or any(is_own_words(rewritten=text, original=each) for text in list_texts(content) for each in said[case_id])
    ]


def drop_unretold(apps: Any, schema_editor: Any) -> None:
    """Tenant by tenant, for no statement sees more than one."""
    for tenant_id in apps.get_model("tenants", "Tenant").objects.values_list("id", flat=True):
        with tenant_scope(tenant_id), schema_editor.connection.cursor() as cursor:
            for name, query in (("GoldenCase", SAID_BEFORE_CORRECTIONS), ("MessageCase", SAID_FOR_ITEMS)):
                rows = apps.get_model("corrections", name).objects.filter(tenant_id=tenant_id)
                cursor.execute(query)
                left = rows.filter(id__in=find_unretold(dict(rows.values_list("id", "content")), dict(cursor.fetchall())))
                if name == "GoldenCase":
                    log = apps.get_model("corrections", "CorrectionLog").objects
                    log.filter(id__in=left.values("correction_id")).update(golden_status="candidate")
                left.delete()


class Migration(migrations.Migration):
    dependencies = [
        ("corrections", "0006_review_work"),
        ("memory", "0009_storing"),
        ("tenants", "0006_enter_tenant_alone"),
    ]

    operations = [migrations.RunPython(drop_unretold, migrations.RunPython.noop)]
