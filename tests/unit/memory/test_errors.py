import pickle

import pytest

from memory.errors import CodedError, Conflict, InvalidRequest, UserBusy

SECRET = "у меня аллергия на никель"


def test_neither_text_nor_arguments_of_an_error_hold_more_than_its_code() -> None:
    error = InvalidRequest(SECRET, fields={SECRET: SECRET})
    assert str(error) == "invalid_request"
    assert error.args == ("invalid_request",)
    assert SECRET not in repr(error)


def test_an_error_answers_its_code_message_and_fields() -> None:
    error = Conflict("The plan was carried out already.", fields={"plan_id": "is used"})
    assert error.to_dict() == {
        "code": "conflict",
        "message": "The plan was carried out already.",
        "fields": {"plan_id": "is used"},
    }


def test_an_error_without_words_has_those_of_its_kind() -> None:
    assert UserBusy().message == UserBusy.default_message
    assert UserBusy().retry_after_seconds == 1
    assert UserBusy(retry_after_seconds=7).retry_after_seconds == 7
    assert UserBusy().retry_after_seconds == 1


def test_what_nobody_named_is_an_internal_error() -> None:
    assert (CodedError.code, CodedError.status) == ("internal_error", 500)


@pytest.mark.parametrize("kind", [InvalidRequest, UserBusy])
def test_an_error_survives_the_way_between_processes(kind: type[CodedError]) -> None:
    carried = pickle.loads(pickle.dumps(kind()))
    assert type(carried) is kind
    assert carried.code == kind.code
