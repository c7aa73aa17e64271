"""What an episode holds are sentences of its messages, letter by letter, each with the place of its message (T-3)."""

from memory.episodes.contents import Contents, grade_points, read_contents, read_session
from tests.unit.memory.episodes.talks import DRESS, TRIP, talk


def read(*said: str) -> Contents:
    session = read_session(talk(*said))
    return read_contents(session, 0, len(said))


def test_every_sentence_stands_in_the_message_that_it_names() -> None:
    messages = talk(*TRIP, *DRESS)
    contents = read(*TRIP, *DRESS)
    quotes = [contents.headline, *contents.summary, *contents.points, *contents.questions, *contents.decisions]
    assert len(quotes) > 6
    assert all(quote.text in messages[quote.place].content for quote in quotes)
    assert all(entity.text in messages[place].content for entity in contents.entities for place in entity.places)
    assert all(any(tag in message.content for message in messages) for tag in contents.tags)


def test_the_headline_is_the_first_request_and_the_summary_has_two_to_four_sentences() -> None:
    contents = read(*DRESS)
    assert contents.headline.text == "What colour of dress suits a wedding in the evening?"
    assert 2 <= len(contents.summary) <= 4
    assert contents.headline.text in [quote.text for quote in contents.summary]
    assert 3 <= len(contents.tags) <= 5


def test_a_decision_comes_with_its_reason() -> None:
    (decision,) = read(*DRESS).decisions
    assert decision.text == "I decided to take the navy dress."
    assert decision.reason == "It hides stains, because it is dark."


def test_decisions_are_seen_in_other_languages_and_a_question_about_one_is_none() -> None:
    assert read("u: Мы решили ехать в Казань поездом. Потому что самолёт дорогой.").decisions[0].reason
    assert read("u: قررت اخذ الفستان الاخضر").decisions
    assert not read("u: Have you decided on the green dress?").decisions


def test_what_was_asked_last_is_open_and_what_was_answered_is_not() -> None:
    assert [each.text for each in read(*TRIP, "u: Is there a pool in the hotel?").questions] == [
        "Is there a pool in the hotel?"
    ]
    assert read(*TRIP).questions == []


def test_names_dates_and_amounts_are_entities_and_headings_are_none() -> None:
    contents = read(
        "u: We met Anna Petrova at the Louvre on 12 May 2026 and paid $120",
        "a: ## Things To Do In Paris\n- See Notre Dame\nThe visit of Anna Petrova was long.",
    )
    found = {entity.text: entity.kind for entity in contents.entities}
    assert found["Anna Petrova"] == "name"
    assert found["Louvre"] == "name"
    assert found["12 May 2026"] == "date"
    assert found["$120"] == "amount"
    assert "Things To Do" not in str(found)


def test_a_weekday_is_no_name_that_would_link_two_talks() -> None:
    contents = read("u: my graduation is on Friday, and the trip to Rome on Monday's train. It was no Black Friday.")
    assert {entity.text for entity in contents.entities} == {"Rome", "Black Friday"}


def test_the_smaller_the_share_the_fewer_the_points_and_none_of_them_is_new() -> None:
    contents = read(*TRIP, *DRESS)
    whole, half, little = (grade_points(contents, share=share) for share in (1.0, 0.6, 0.3))
    assert len(whole) >= len(half) >= len(little)
    assert {point.text for point in little} <= {point.text for point in half} <= {point.text for point in whole}


def test_a_message_without_a_sentence_still_has_a_headline() -> None:
    assert read("u: 🙂").headline.text == "🙂"
