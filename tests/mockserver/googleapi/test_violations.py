from mockserver.googleapi import envelope
from mockserver.googleapi.errors import Violation, bad_request, unknown_name, unknown_parameter

TWO = (Violation("a_b", "first", "invalid", "aB"), Violation("", "second"))


def test_the_newer_apis_say_all_at_once_with_a_violation_each() -> None:
    assert envelope(bad_request(TWO, "one_platform"), "one_platform")["error"] == {
        "code": 400,
        "message": "first\nsecond",
        "status": "INVALID_ARGUMENT",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [
                    {"field": "a_b", "description": "first"},
                    {"description": "second"},
                ],
            }
        ],
    }


def test_the_older_apis_say_the_same_in_their_envelope() -> None:
    body = envelope(bad_request(TWO, "legacy"), "legacy")["error"]
    assert body["errors"] == [{"message": "first\nsecond", "domain": "global", "reason": "invalid"}]
    assert body["status"] == "INVALID_ARGUMENT"
    assert len(body["details"][0]["fieldViolations"]) == 2


def test_the_older_apis_locate_what_they_refuse_about_a_parameter() -> None:
    wrong = Violation("max_results", "too many", "invalidParameter", "maxResults")
    assert envelope(bad_request([wrong], "legacy"), "legacy")["error"] == {
        "code": 400,
        "message": "too many",
        "errors": [
            {
                "message": "too many",
                "domain": "global",
                "reason": "invalidParameter",
                "location": "maxResults",
                "locationType": "parameter",
            }
        ],
    }


def test_it_is_the_agent_who_is_wrong() -> None:
    for dialect in ("legacy", "one_platform"):
        miss = bad_request(TWO, dialect).miss
        assert miss is not None
        assert (miss.blame, miss.reason) == ("agent_error", "first")


def test_unknown_names_are_said_in_the_words_of_the_front_end() -> None:
    assert unknown_name("x", "", "Cannot find field.").text == (
        'Invalid JSON payload received. Unknown name "x": Cannot find field.'
    )
    assert unknown_name("x", "a[0].b", "Cannot find field.").text == (
        "Invalid JSON payload received. Unknown name \"x\" at 'a[0].b': Cannot find field."
    )
    assert unknown_parameter("x").text == (
        'Invalid JSON payload received. Unknown name "x": Cannot bind query parameter. '
        "Field 'x' could not be found in request message."
    )
