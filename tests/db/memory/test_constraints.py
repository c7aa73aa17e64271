"""The database keeps the promises of SPEC sections 1 and 4 by itself: each test tries to break one."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg import errors

from memory.ids import new_id

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Bench:
    """A user with one message and one action, written by the owner of the tables, to hang facts on."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection
        self.tenant, self.user, self.conversation, self.message, self.action = (new_id() for _ in range(5))
        self.insert("tenant", id=self.tenant, slug=f"t-{self.tenant.hex[-8:]}", name="t", timezone="UTC", settings="{}")
        self.insert("memory_user", id=self.user, tenant_id=self.tenant, external_id=str(self.user), created_at=NOW)
        self.insert(
            "memory_conversation",
            tenant_id=self.tenant,
            user_id=self.user,
            id=self.conversation,
            external_id="c",
            created_at=NOW,
        )
        self.add_message(id=self.message)
        self.insert(
            "memory_action",
            tenant_id=self.tenant,
            user_id=self.user,
            id=self.action,
            position=1,
            kind="instant",
            actor="system",
            engine_version="1",
            said_at=NOW,
            recorded_at=NOW,
        )

    def insert(self, table: str, **columns: Any) -> None:
        names = ", ".join(columns)
        marks = ", ".join(["%s"] * len(columns))
        self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(columns.values()))

    def add_message(self, **changes: Any) -> None:
        row = {
            "tenant_id": self.tenant,
            "user_id": self.user,
            "id": new_id(),
            "conversation_id": self.conversation,
            "seq": 1,
            "content_hash": b"0" * 32,
            "role": "user",
            "content": "hello",
            "created_at": NOW,
            "received_at": NOW,
        }
        self.insert("memory_message", **{**row, **changes})

    def add_fact(self, connection: psycopg.Connection | None = None, **changes: Any) -> None:
        row = {
            "tenant_id": self.tenant,
            "user_id": self.user,
            "id": new_id(),
            "knowledge_type": "body_params",
            "key_hash": b"size",
            "sealed": b"x",
            "confidence": 0.95,
            "extracted_from": "instant_pattern",
            "provenance": "confirmed_by_user",
            "valid_at": NOW,
            "last_validated_at": NOW,
            "log_position": 1,
            "action_id": self.action,
            "evidence_message_ids": [self.message],
            "created_at": NOW,
            "updated_at": NOW,
        }
        names = {**row, **changes}
        (connection or self.connection).execute(
            f"INSERT INTO user_knowledge ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})",
            list(names.values()),
        )

    def get(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql, values).fetchall()

    def get_facts(self) -> list[tuple[Any, ...]]:
        return self.get(
            "SELECT is_active, version, superseded_by, id FROM user_knowledge WHERE user_id = %s ORDER BY version",
            self.user,
        )


@pytest.fixture
def bench(transactional_db: None, owner_connection: psycopg.Connection) -> Bench:
    return Bench(owner_connection)


@pytest.mark.parametrize(
    ("constraint", "changes"),
    [
        ("a_fact_has_evidence_or_a_person_behind_it", {"evidence_message_ids": []}),
        ("a_fact_is_of_a_guaranteed_type", {"knowledge_type": "color_preferences"}),
        ("a_brand_preference_comes_from_two_evidences", {"knowledge_type": "brand_preference"}),
        ("confidence_stays_under_the_cap_of_its_provenance", {"provenance": "observation", "confidence": 0.61}),
        ("confidence_stays_under_the_cap_of_its_provenance", {"provenance": "analysis", "confidence": 0.81}),
        ("confidence_stays_under_the_cap_of_its_provenance", {"provenance": "rumour"}),
        ("a_life_event_expires", {"knowledge_type": "life_event"}),
        ("an_inactive_fact_says_since_when", {"is_active": False}),
        ("only_an_active_fact_is_disputed", {"is_active": False, "invalid_at": NOW, "is_disputed": True}),
        ("a_source_is_known", {"extracted_from": "gossip"}),
        ("an_epistemic_type_is_known", {"epistemic_type": "belief"}),
        ("evidence_holds_no_null", {"evidence_message_ids": [None]}),
    ],
)
def test_a_fact_that_breaks_the_contract_is_refused(bench: Bench, constraint: str, changes: dict[str, Any]):
    with pytest.raises(errors.CheckViolation) as caught:
        bench.add_fact(**changes)
    assert caught.value.diag.constraint_name == constraint


def test_a_fact_needs_an_action_of_its_user(bench: Bench):
    with pytest.raises(errors.ForeignKeyViolation) as caught:
        bench.add_fact(action_id=new_id())
    assert caught.value.diag.constraint_name == "a_fact_was_written_by_an_action"


def test_the_key_of_a_fact_is_never_null(bench: Bench):
    with pytest.raises(errors.NotNullViolation):
        bench.add_fact(key_hash=None)


def test_onboarding_needs_no_evidence(bench: Bench):
    bench.add_fact(extracted_from="onboarding", evidence_message_ids=[])
    assert len(bench.get_facts()) == 1


def test_a_new_value_supersedes_and_links_old_to_new(bench: Bench):
    bench.add_fact()
    newest = new_id()
    bench.add_fact(id=newest, valid_at=NOW + timedelta(days=1), log_position=2)
    (old_active, _, old_link, _), (new_active, version, _, _) = bench.get_facts()
    assert (old_active, old_link, new_active, version) == (False, newest, True, 2)


def test_an_older_value_is_stored_inactive_and_superseded_by_the_present(bench: Bench):
    present = new_id()
    bench.add_fact(id=present)
    bench.add_fact(valid_at=NOW - timedelta(days=1), log_position=2)
    (active, *_), (late_active, _, late_link, _) = bench.get_facts()
    assert (active, late_active, late_link) == (True, False, present)


def test_two_keys_of_one_type_do_not_supersede_each_other(bench: Bench):
    bench.add_fact(knowledge_type="allergy", key_hash=b"nickel")
    bench.add_fact(knowledge_type="allergy", key_hash=b"wool")
    assert [row[0] for row in bench.get_facts()] == [True, True]


def test_a_second_active_row_can_not_be_made_by_an_update(bench: Bench):
    bench.add_fact()
    bench.add_fact(valid_at=NOW + timedelta(days=1))
    with pytest.raises(errors.UniqueViolation):
        bench.connection.execute(
            "UPDATE user_knowledge SET is_active = true, invalid_at = NULL, superseded_by = NULL WHERE user_id = %s",
            [bench.user],
        )


def test_eight_writers_of_one_key_lose_nothing_and_leave_one_active_row(bench: Bench):
    """All supersede the same key at once: no unique violation, no lost row, no dangling link (SPEC F-3)."""
    failures: list[Exception] = []

    def write(number: int) -> None:
        try:
            with psycopg.connect(bench.connection.info.dsn, autocommit=True) as own:
                for i in range(10):
                    bench.add_fact(own, valid_at=NOW + timedelta(seconds=number * 100 + i))
        except Exception as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=60)
    rows = bench.get_facts()
    assert failures == []
    assert len(rows) == 80
    assert sum(row[0] for row in rows) == 1
    ids = {row[3] for row in rows}
    assert all(row[2] in ids for row in rows if not row[0])
    newest = bench.get("SELECT max(valid_at) FROM user_knowledge WHERE user_id = %s", bench.user)[0][0]
    assert bench.get("SELECT valid_at FROM user_knowledge WHERE user_id = %s AND is_active", bench.user)[0][0] == newest


def test_what_a_fact_says_never_changes(bench: Bench):
    bench.add_fact()
    with pytest.raises(errors.IntegrityConstraintViolation):
        bench.connection.execute("UPDATE user_knowledge SET key_hash = 'other' WHERE user_id = %s", [bench.user])


@pytest.mark.parametrize(
    "column", ["content = 'x'", "role = 'system'", "created_at = now()", "seq = 9", "metadata = '{\"a\":1}'"]
)
def test_raw_keeps_every_word(bench: Bench, column: str):
    with pytest.raises(errors.IntegrityConstraintViolation):
        bench.connection.execute(f"UPDATE memory_message SET {column} WHERE user_id = %s", [bench.user])


def test_forgetting_may_mark_a_message(bench: Bench):
    bench.connection.execute("UPDATE memory_message SET forgotten_at = now() WHERE user_id = %s", [bench.user])
    assert bench.get("SELECT forgotten_at IS NOT NULL FROM memory_message WHERE user_id = %s", bench.user) == [(True,)]


def test_a_message_goes_only_under_a_tombstone_that_covers_it(bench: Bench):
    def delete() -> None:
        bench.connection.execute("DELETE FROM memory_message WHERE user_id = %s", [bench.user])

    def bury(**scope: Any) -> None:
        bench.insert(
            "memory_tombstone",
            tenant_id=bench.tenant,
            user_id=bench.user,
            id=new_id(),
            subject_hmac=b"h",
            erased_up_to=NOW,
            created_at=NOW,
            **scope,
        )

    with pytest.raises(errors.IntegrityConstraintViolation):
        delete()
    bury(scope="conversation", conversation_id=new_id())
    with pytest.raises(errors.IntegrityConstraintViolation):
        delete()
    bury(scope="range", said_from=NOW, said_to=NOW + timedelta(days=1))
    delete()
    assert bench.get("SELECT count(*) FROM memory_message WHERE user_id = %s", bench.user) == [(0,)]


@pytest.mark.parametrize("statement", ["UPDATE memory_action SET actor = 'x'", "DELETE FROM memory_action"])
def test_the_action_log_is_append_only(bench: Bench, statement: str):
    with pytest.raises(errors.IntegrityConstraintViolation):
        bench.connection.execute(f"{statement} WHERE user_id = %s", [bench.user])


@pytest.mark.parametrize(
    ("error", "changes"),
    [
        (errors.UniqueViolation, {"seq": 1}),
        (errors.CheckViolation, {"seq": 0}),
        (errors.CheckViolation, {"seq": 2, "role": "robot"}),
        (errors.CheckViolation, {"seq": 2, "memory_type": "gossip"}),
        (errors.CheckViolation, {"seq": 2, "response_description": "only replies have one"}),
        (errors.ForeignKeyViolation, {"seq": 2, "conversation_id": new_id()}),
        (errors.ForeignKeyViolation, {"seq": 2, "reply_to_id": new_id()}),
        (errors.ForeignKeyViolation, {"seq": 2, "replaces_id": new_id()}),
    ],
)
def test_a_message_that_does_not_fit_is_refused(bench: Bench, error: type[Exception], changes: dict[str, Any]):
    with pytest.raises(error):
        bench.add_message(**changes)


def test_a_client_id_is_stored_once_in_its_conversation(bench: Bench):
    bench.add_message(seq=2, client_id="m-1")
    with pytest.raises(errors.UniqueViolation) as caught:
        bench.add_message(seq=3, client_id="m-1")
    assert caught.value.diag.constraint_name == "a_client_id_is_unique_in_its_conversation"


def test_a_message_can_not_hang_on_another_users_conversation(bench: Bench, owner_connection: psycopg.Connection):
    other = Bench(owner_connection)
    with pytest.raises(errors.ForeignKeyViolation):
        other.add_message(seq=2, conversation_id=bench.conversation)
