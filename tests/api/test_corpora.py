"""Corpora over the API: what goes in is there when the call answers, and what is taken out is gone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import TenantRef
from retrieval.knowledge.planning.editing import activate_plan, add_draft
from retrieval.knowledge.selectors.corpora import get_corpus
from tests.api.conftest import Caller, get_error, make_caller

ALOR = {
    "id": "p-alor",
    "type": "Project",
    "key": "alor-broker",
    "name": "АЛОР Брокер",
    "aliases": ["АЛОР", "ALOR"],
    "edges": [{"kind": "USES_TECH", "to": {"type": "Technology", "name": "Python"}}],
}
PYTHON = {"id": "t-py", "type": "Technology", "key": "py", "name": "Python", "fields": {"category": "language"}}


def make(api: Caller, schema: Any = "portfolio", corpus: str = "portfolio") -> str:
    response = api.put(f"/v1/corpora/{corpus}", {"schema": schema})
    assert response.status_code == 200, response.json()
    return f"/v1/corpora/{corpus}"


def fill(api: Caller, path: str, **body: Any) -> list[dict[str, Any]]:
    response = api.post(f"{path}/ingest", body)
    assert response.status_code == 200, response.json()
    return response.json()["results"]


def list_keys(api: Caller, path: str, **query: Any) -> list[tuple[str, str, bool]]:
    rows = api.get(f"{path}/entities", **query).json()["results"]
    return sorted((row["type"], row["key"], row["is_bare"]) for row in rows)


def resolve(api: Caller, path: str, text: str) -> list[tuple[str, str, bool]]:
    entities = api.post(f"{path}/resolve", {"text": text}).json()["entities"]
    return [(each["key"], each["match"], each["strict"]) for each in entities]


def count(api: Caller, path: str) -> dict[str, int]:
    return api.get(path).json()["counts"]


def test_a_missing_target_is_a_bare_node_and_said_so(api: Caller):
    path = make(api)
    (result,) = fill(api, path, records=[ALOR])
    assert (result["status"], [warning["code"] for warning in result["warnings"]]) == ("added", ["bare_target"])
    assert list_keys(api, path) == [("Project", "alor-broker", False), ("Technology", "python", True)]


def test_a_bare_node_is_adopted_by_the_record_of_its_type_and_name(api: Caller):
    path = make(api)
    fill(api, path, records=[ALOR])
    fill(api, path, records=[PYTHON])
    assert list_keys(api, path) == [("Project", "alor-broker", False), ("Technology", "py", False)]
    assert count(api, path)["edges"] == 1


def test_an_ingest_resolves_its_own_forward_references(api: Caller):
    path = make(api)
    results = fill(api, path, records=[ALOR, PYTHON])
    assert [result["warnings"] for result in results] == [[], []]


def test_the_same_again_changes_nothing_and_another_content_replaces_all(api: Caller):
    path = make(api)
    fill(api, path, records=[ALOR, PYTHON], documents=[{"id": "d", "title": "One", "text": "АЛОР is big."}])
    version = api.get(path).json()["version"]
    again = fill(api, path, records=[ALOR], documents=[{"id": "d", "title": "One", "text": "АЛОР is big."}])
    assert [result["status"] for result in again] == ["unchanged", "unchanged"]
    assert api.get(path).json()["version"] == version
    (result,) = fill(api, path, records=[{"id": "p-alor", "type": "Project", "key": "alor", "name": "Alor"}])
    assert result["status"] == "replaced"
    assert list_keys(api, path) == [("Project", "alor", False), ("Technology", "py", False)]
    assert count(api, path)["edges"] == 0
    assert resolve(api, path, "АЛОР Брокер") == [("alor", "skeleton", False)]


@pytest.mark.parametrize(
    ("record", "code", "field"),
    [
        ({"id": "x", "type": "Ship", "name": "X"}, "unknown_type", "type"),
        ({"id": "x", "type": "Project", "name": "   "}, "invalid_request", "name"),
        ({"id": "x", "type": "Project"}, "invalid_request", "name"),
        ({"id": "x", "type": "Project", "name": "X", "colour": "red"}, "invalid_request", "colour"),
        ({"id": "x", "type": "Project", "name": "X", "aliases": ["a"] * 1001}, "too_many_aliases", "aliases"),
        (
            {
                "id": "x",
                "type": "Project",
                "name": "X",
                "edges": [{"kind": "OWNS", "to": {"type": "Person", "key": "a"}}],
            },
            "unknown_edge",
            "edges[0]",
        ),
        (
            {
                "id": "x",
                "type": "Project",
                "name": "X",
                "edges": [{"kind": "WORKED_AT", "to": {"type": "Company", "key": "a"}}],
            },
            "edge_between_wrong_types",
            "edges[0]",
        ),
        (
            {"id": "x", "type": "Project", "name": "X", "edges": [{"kind": "USES_TECH", "to": {"type": "Technology"}}]},
            "invalid_request",
            "edges[0].to",
        ),
        (
            {
                "id": "x",
                "type": "Project",
                "name": "X",
                "edges": [{"kind": "USES_TECH", "to": {"key": "a"}, "valid_from": "2021", "valid_to": "2020"}],
            },
            "invalid_request",
            "edges[0].valid_to",
        ),
    ],
)
def test_a_bad_record_is_an_error_of_its_own(api: Caller, record: dict[str, Any], code: str, field: str):
    path = make(api)
    bad, good = fill(api, path, records=[record, PYTHON])
    assert (bad["id"], bad["status"], bad["error"]["code"], list(bad["error"]["fields"])) == (
        "x",
        "error",
        code,
        [field],
    )
    assert good["status"] == "added"
    assert list_keys(api, path) == [("Technology", "py", False)]


def test_two_records_of_one_key_are_an_error_of_the_later(api: Caller):
    path = make(api)
    twin = {**PYTHON, "id": "t-2"}
    first, second = fill(api, path, records=[PYTHON, twin])
    assert (first["status"], second["status"], second["error"]["code"]) == ("added", "error", "key_taken")
    (third,) = fill(api, path, records=[twin])
    assert third["error"]["code"] == "key_taken"


def test_records_may_swap_their_keys_in_one_ingest(api: Caller):
    path = make(api)
    one, two = {**PYTHON, "id": "1", "key": "a"}, {**PYTHON, "id": "2", "key": "b", "name": "Rust"}
    fill(api, path, records=[one, two])
    results = fill(api, path, records=[{**one, "key": "b"}, {**two, "key": "a"}])
    assert [result["status"] for result in results] == ["replaced", "replaced"]


def test_a_cycle_and_an_edge_to_itself_are_taken_and_said(api: Caller):
    part = {"kind": "PART_OF", "from": "Part", "to": "Part", "inverse": "HAS_PART"}
    path = make(api, {"types": ["Part"], "edges": [part]})
    edge = lambda key: [{"kind": "PART_OF", "to": {"key": key}}]  # noqa: E731
    results = fill(
        api,
        path,
        records=[
            {"id": "1", "type": "Part", "key": "a", "name": "Alpha", "edges": edge("b")},
            {"id": "2", "type": "Part", "key": "b", "name": "Beta", "edges": edge("a")},
            {"id": "3", "type": "Part", "key": "c", "name": "Gamma", "edges": edge("c")},
        ],
    )
    codes = [[warning["code"] for warning in result["warnings"]] for result in results]
    assert codes == [["cycle"], ["cycle"], ["edge_to_itself"]]


def test_an_alias_that_is_a_stop_word_names_nothing_and_is_said(api: Caller):
    path = make(api)
    (result,) = fill(api, path, records=[{**PYTHON, "aliases": ["it", "the"]}])
    assert [warning["code"] for warning in result["warnings"]] == ["alias_is_a_stop_word"] * 2
    assert resolve(api, path, "it is the best") == []
    (entity,) = api.get(f"{path}/entities").json()["results"]
    assert {(alias["text"], alias["status"]) for alias in entity["aliases"]} == {
        ("Python", "active"),
        ("it", "ignored"),
        ("the", "ignored"),
    }


def test_a_schema_that_stored_records_do_not_fit_is_refused_whole(api: Caller):
    path = make(api)
    fill(api, path, records=[ALOR])
    response = api.put(path, {"schema": {"types": ["Technology"], "edges": []}, "name": "Other"})
    get_error(response, 409, "schema_conflict")
    assert api.get(path).json()["schema_name"] == "portfolio"
    assert api.get(path).json()["name"] == "portfolio"


def test_a_schema_that_the_active_plan_does_not_fit_is_refused(api: Caller, tenant: TenantRef):
    """Every question would fail until somebody mends the plan."""
    edges = [{"kind": kind, "from": "A", "to": "A"} for kind in ("LEADS", "OWNS")]
    path = make(api, {"types": ["A"], "edges": edges})
    with tenant_scope(tenant.id):
        corpus, now = get_corpus(tenant_id=tenant.id, external_id="portfolio"), datetime.now(UTC)
        plan = add_draft(corpus, intents=[{"name": "X", "path": ["OWNS"]}], note="", staff_id=None, now=now)
        activate_plan(corpus, plan_id=plan.id, now=now)
    answer = api.put(path, {"schema": {"types": ["A"], "edges": edges[:1]}})
    assert list(get_error(answer, 409, "schema_conflict")) == ["plan.intents[0].path[0]"]
    assert api.post("/v1/ask", {"corpus": "portfolio", "query": "Who?"}).status_code == 200


def test_a_schema_that_contradicts_itself_is_refused(api: Caller):
    schema = {"types": ["A"], "edges": [{"kind": "X", "from": "A", "to": "B"}]}
    get_error(api.put("/v1/corpora/c", {"schema": schema}), 400, "invalid_schema")
    get_error(api.put("/v1/corpora/c", {"schema": "novels"}), 400, "invalid_schema")
    intents = [{"name": "X", "path": ["NOWHERE"], "triggers": ["where"]}]
    answer = api.put("/v1/corpora/c", {"schema": {"types": ["A"], "edges": [], "intents": intents}})
    assert list(get_error(answer, 400, "invalid_schema")) == ["schema.intents[0].path[0]"]
    assert api.get("/v1/corpora/c").status_code == 404


def test_what_only_a_record_supported_goes_with_it(api: Caller):
    path = make(api)
    lonely = {"id": "p-2", "type": "Project", "name": "СКИО", "edges": [{"kind": "USES_TECH", "to": {"name": "Kafka"}}]}
    fill(api, path, records=[ALOR, PYTHON, lonely])
    assert api.delete(f"{path}/records/p-2").status_code == 204
    assert list_keys(api, path) == [("Project", "alor-broker", False), ("Technology", "py", False)]
    assert resolve(api, path, "СКИО and Kafka") == []
    assert api.delete(f"{path}/records/p-2").status_code == 404


def test_a_record_that_others_point_to_stays_as_a_bare_node(api: Caller):
    path = make(api)
    fill(api, path, records=[ALOR, PYTHON])
    assert api.delete(f"{path}/records/t-py").status_code == 204
    assert list_keys(api, path) == [("Project", "alor-broker", False), ("Technology", "python", True)]
    assert count(api, path)["edges"] == 1


def test_titles_are_entities_where_there_are_no_types(api: Caller):
    path = make(api, "documents")
    fill(
        api,
        path,
        documents=[
            {"id": "1", "title": "Free Guy (film)", "text": "Directed by Shawn Levy."},
            {"id": "2", "title": "Shawn Levy", "text": "He made Free Guy."},
        ],
    )
    assert [key for _, key, _ in list_keys(api, path)] == ["free-guy-film", "shawn-levy"]
    (film,) = api.get(f"{path}/entities", q="free").json()["results"]
    assert film["mentions"] == 1
    assert api.delete(f"{path}/documents/1").status_code == 204
    assert list_keys(api, path) == [("Document", "shawn-levy", False)]
    assert count(api, path) == {
        "documents": 1, "records": 0, "chunks": 1, "entities": 1, "aliases": 1, "mentions": 0, "edges": 0
    }  # fmt: skip


def test_a_name_that_comes_later_is_found_in_documents_that_were_there(api: Caller):
    path = make(api)
    fill(api, path, documents=[{"id": "d", "text": "Мы работали на АЛОРе с питоном. ALOR, Alor."}])
    fill(api, path, records=[ALOR])
    (entity,) = api.get(f"{path}/entities", type="Project").json()["results"]
    assert entity["mentions"] == 3


@pytest.mark.parametrize("name", ["АЛОР", "алор", "АЛОРе", "ALOR", "Alor", "АЛОР Брокера", "«АЛОР-Брокер»"])
def test_alor_is_one_project_in_every_spelling(api: Caller, name: str):
    path = make(api)
    fill(api, path, records=[ALOR])
    ((key, _, is_strict),) = resolve(api, path, f"Какие достижения на проекте {name}?")
    assert (key, is_strict) == ("alor-broker", True)


def test_another_script_without_an_alias_is_a_candidate_and_no_link(api: Caller):
    path = make(api)
    fill(api, path, records=[{**ALOR, "aliases": []}])
    assert resolve(api, path, "АЛОР") == [("alor-broker", "fuzzy", False)]
    assert resolve(api, path, "ALOR Broker") == [("alor-broker", "skeleton", False)]


def test_a_name_of_two_entities_links_to_neither(api: Caller):
    path = make(api)
    fill(
        api,
        path,
        records=[
            {"id": "1", "type": "Project", "key": "f3", "name": "F3"},
            {"id": "2", "type": "Company", "key": "f3-co", "name": "F3"},
        ],
    )
    assert sorted(resolve(api, path, "F3")) == [("f3", "exact", False), ("f3-co", "exact", False)]


def test_places_are_code_points_of_the_text(api: Caller):
    path = make(api)
    fill(api, path, records=[ALOR])
    (entity,) = api.post(f"{path}/resolve", {"text": "😀 про АЛОР"}).json()["entities"]
    assert (entity["start"], entity["end"]) == (6, 10)


def test_texts_are_answered_in_order(api: Caller):
    path = make(api)
    fill(api, path, records=[ALOR, PYTHON])
    answer = api.post(f"{path}/resolve", {"texts": ["Python", "", "АЛОР"]}).json()
    assert [[each["key"] for each in result["entities"]] for result in answer["results"]] == [
        ["py"],
        [],
        ["alor-broker"],
    ]


def test_lists_come_page_by_page(api: Caller):
    path = make(api)
    fill(api, path, documents=[{"id": str(n), "text": f"Text {n}"} for n in range(5)])
    first = api.get(f"{path}/documents", limit=3).json()
    rest = api.get(f"{path}/documents", limit=3, after=first["next"]).json()
    assert [row["id"] for row in first["results"] + rest["results"]] == ["0", "1", "2", "3", "4"]
    assert rest["next"] is None
    assert [row["id"] for row in api.get("/v1/corpora").json()["results"]] == ["portfolio"]


def test_bad_items_keep_their_places_and_ids(api: Caller):
    path = make(api)
    results = fill(
        api, path, documents=[{"id": "a", "text": 5}, {"id": "b", "text": "fine"}, {"text": "no id"}, "none"]
    )
    assert [(result["id"], result["status"]) for result in results] == [
        ("a", "error"), ("b", "added"), (None, "error"), (None, "error")
    ]  # fmt: skip


def test_more_than_five_hundred_items_are_refused(api: Caller):
    path = make(api)
    documents = [{"id": str(n), "text": "x"} for n in range(300)]
    response = api.post(f"{path}/ingest", {"documents": documents, "records": [PYTHON] * 201})
    get_error(response, 400, "invalid_request")
    assert count(api, path)["documents"] == 0


def test_another_tenant_sees_no_corpus(api: Caller, other_api: Caller):
    path = make(api)
    fill(api, path, records=[ALOR])
    assert other_api.get(path).status_code == 404
    assert other_api.get("/v1/corpora").json()["results"] == []
    assert other_api.delete(path).status_code == 404


def test_scopes_of_knowledge_are_asked_for(api: Caller, tenant: TenantRef):
    path = make(api)
    reader = make_caller(tenant, Scope.KNOWLEDGE_READ)
    assert reader.get(path).status_code == 200
    get_error(reader.post(f"{path}/ingest", {}), 403, "missing_scope")
    get_error(make_caller(tenant, Scope.READ).get(path), 403, "missing_scope")


def test_of_a_deleted_corpus_no_row_is_left(api: Caller, tenant: TenantRef):
    path = make(api)
    fill(api, path, records=[ALOR, PYTHON], documents=[{"id": "d", "title": "T", "text": "АЛОР"}])
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relname LIKE 'knowledge_%%' AND relkind = 'r'")
        for (table,) in cursor.fetchall():
            cursor.execute(f"SELECT count(*) FROM {table}")
            assert cursor.fetchone()[0] == 0, table


def test_a_body_that_is_no_object_is_refused_with_a_code(api: Caller):
    path = make(api)
    for body in (b"[]", b"{", b'{"documents": 5}', json.dumps({"records": {}}).encode()):
        response = api.client.post(f"{path}/ingest", body, content_type="application/json")
        assert response.status_code == 400


def test_two_hundred_thousand_aliases_are_refused_at_each_door_and_nothing_is_written(api: Caller):
    path = make(api)
    fill(api, path, records=[PYTHON])
    before = api.get(path).json()
    aliases = [f"alias {number}" for number in range(200_000)]
    one = {"id": "x", "type": "Project", "name": "X", "aliases": aliases}
    results = api.post(f"{path}/ingest", {"records": [one]})
    assert get_code(results) in {"too_many_aliases", "body_too_large", "too_large"}
    many = [
        {"id": f"r{number}", "type": "Project", "name": f"P{number}", "aliases": aliases[number * 1_001 :][:1_001]}
        for number in range(199)
    ]
    for result in fill(api, path, records=many):
        assert (result["status"], result["error"]["code"]) == ("error", "too_many_aliases")
    after = api.get(path).json()
    assert {key: after[key] for key in ("version", "counts")} == {key: before[key] for key in ("version", "counts")}


def get_code(response: Any) -> str:
    """The code of a refusal, of the whole or of the one item."""
    body = response.json()
    return str(body["code"] if "code" in body else body["results"][0]["error"]["code"])
