"""A query to forget selects what says it, and not what a search would show beside it."""

from tests.api.conftest import Caller


def plan(api: Caller, query: str) -> dict:
    """A dry run by query."""
    return api.post("/v1/users/alice/forget", {"query": query, "dry_run": True}).json()


def tell_a_little_life(api: Caller) -> dict[str, str]:
    """Five messages about different things; their ids by name."""
    said = {
        "greeting": "hello there",
        "rash": "I get a rash from wool",
        "lemons": "I bought lemons",
        "sweater": "that wool sweater was a mistake",
        "ex": "الأسبوع اللي فات شفت راشد",
    }
    return {name: api.send(content).json()["id"] for name, content in said.items()}


def test_a_query_selects_the_messages_that_say_it_and_not_their_neighbours(api: Caller) -> None:
    ids = tell_a_little_life(api)
    found = plan(api, "wool")
    assert set(found["message_ids"]) == {ids["rash"], ids["sweater"]}
    assert len(found["facts_deactivated"]) == 1


def test_a_query_in_another_alphabet_selects_the_same_name(api: Caller) -> None:
    ids = tell_a_little_life(api)
    assert plan(api, "Rashid")["message_ids"] == [ids["ex"]]


def test_a_query_that_nothing_says_selects_nothing_and_gives_no_plan(api: Caller) -> None:
    tell_a_little_life(api)
    found = plan(api, "my landlord")
    assert (found["message_ids"], found["plan_id"]) == ([], None)


def test_a_query_of_stop_words_alone_selects_nothing(api: Caller) -> None:
    tell_a_little_life(api)
    assert plan(api, "and I")["message_ids"] == []
