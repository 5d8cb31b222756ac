from mockserver.model import AnsweredCall, Capture


def test_a_capture_is_rows_told_by_their_names_unless_it_says_otherwise() -> None:
    capture = Capture("orgUnits")
    assert (capture.shape, capture.identity, capture.items) == ("rows", ("name",), "")


def test_what_was_answered_is_a_value() -> None:
    asked = AnsweredCall("directory.users.get", {"userKey": "1"}, {}, {"id": "1"})
    assert asked == AnsweredCall("directory.users.get", {"userKey": "1"}, {}, {"id": "1"})
