import pytest

from mockserver.collections.collection import Collection, Reference
from mockserver.collections.refusals import (
    BrokenReferenceError,
    DuplicateKeyError,
    InvalidFieldsError,
    MissingKeyError,
    MissingRowError,
    NotUniqueError,
    RefusedError,
    StaleVersionError,
)
from mockserver.googleapi import (
    ApiError,
    Dialect,
    bad_fields,
    code_name,
    duplicate,
    envelope,
    forbidden,
    invalid,
    not_emulated,
    not_found,
    permission_denied,
    precondition,
)
from mockserver.googleapi.errors import (
    Violation,
    bad_request,
    not_honoured,
    unknown_name,
    unknown_parameter,
    worded,
)
from mockserver.model import Miss

BOOKS = Collection(name="books")


def test_the_newer_envelope_has_code_message_and_status() -> None:
    assert envelope(not_found(), "one_platform") == {
        "error": {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND"}
    }


def test_the_older_envelope_has_one_error_with_domain_and_reason() -> None:
    assert envelope(not_found("Resource Not Found: userKey"), "legacy") == {
        "error": {
            "code": 404,
            "message": "Resource Not Found: userKey",
            "errors": [
                {
                    "message": "Resource Not Found: userKey",
                    "domain": "global",
                    "reason": "notFound",
                }
            ],
        }
    }


def test_the_older_envelope_names_the_place() -> None:
    error = ApiError(401, "Login Required.", reason="required", location="Authorization")
    error.location_type = "header"
    error.code_name = "UNAUTHENTICATED"
    body = envelope(error, "legacy")["error"]
    assert body["errors"][0]["locationType"] == "header"
    assert body["status"] == "UNAUTHENTICATED"
    item = envelope(invalid("x", location="userKey"), "legacy")["error"]["errors"][0]
    assert (item["location"], item["locationType"]) == ("userKey", "parameter")


def test_the_oauth_envelope_is_flat() -> None:
    assert envelope(ApiError(400, "Bad token.", reason="invalid_grant"), "oauth") == {
        "error": "invalid_grant",
        "error_description": "Bad token.",
    }
    assert envelope(ApiError(400, "x"), "oauth")["error"] == "invalid_request"


@pytest.mark.parametrize(
    ("error", "status", "reason", "code"),
    [
        (invalid("x"), 400, "invalid", "INVALID_ARGUMENT"),
        (duplicate(), 409, "duplicate", "ALREADY_EXISTS"),
        (forbidden(), 403, "forbidden", "PERMISSION_DENIED"),
        (permission_denied(), 403, "forbidden", "PERMISSION_DENIED"),
        (precondition("x"), 412, "conditionNotMet", "FAILED_PRECONDITION"),
        (not_emulated("x.y"), 501, "notImplemented", "UNIMPLEMENTED"),
        (ApiError(429, "x"), 429, "rateLimitExceeded", "RESOURCE_EXHAUSTED"),
        (ApiError(418, "x"), 418, "badRequest", "INVALID_ARGUMENT"),
        (ApiError(599, "x"), 599, "badRequest", "INTERNAL"),
    ],
    ids=lambda value: (
        value.message + str(value.status) if isinstance(value, ApiError) else str(value)
    ),
)
def test_each_error_says_the_same_in_both_envelopes(
    error: ApiError, status: int, reason: str, code: str
) -> None:
    older, newer = envelope(error, "legacy")["error"], envelope(error, "one_platform")["error"]
    assert (older["code"], older["errors"][0]["reason"]) == (status, reason)
    assert (newer["code"], newer["status"]) == (status, code)
    assert older["message"] == newer["message"] == str(error)


def test_the_texts_are_those_of_the_live_apis() -> None:
    assert duplicate().message == "Entity already exists."
    assert forbidden().message == "Not Authorized to access this resource/api"
    assert permission_denied().message == "The caller does not have permission"


def test_violations_are_joined_and_kept_apart() -> None:
    error = bad_fields([("a", "first"), ("", "second")])
    assert error.message == "first\nsecond"
    assert error.details[0]["fieldViolations"] == [
        {"field": "a", "description": "first"},
        {"description": "second"},
    ]


@pytest.mark.parametrize("dialect", ["one_platform", "legacy"])
def test_details_are_in_both_envelopes(dialect: Dialect) -> None:
    details = envelope(not_emulated("x.y"), dialect)["error"]["details"]
    assert details[0]["metadata"] == {"method": "x.y"}


def test_an_error_says_whose_fault_it_is() -> None:
    asked = not_found(name="/Eng", nearest="/Engineering").miss
    unknown = not_emulated("x.y").miss
    assert asked is not None
    assert unknown is not None
    assert (asked.blame, asked.nearest) == ("fixture_gap", "/Engineering")
    assert "'/Eng'" in asked.reason
    assert unknown.blame == "not_emulated"


OF_STATUS = {
    400: ("INVALID_ARGUMENT", "invalid"),
    401: ("UNAUTHENTICATED", "authError"),
    403: ("PERMISSION_DENIED", "forbidden"),
    404: ("NOT_FOUND", "notFound"),
    409: ("ALREADY_EXISTS", "duplicate"),
    412: ("FAILED_PRECONDITION", "conditionNotMet"),
    413: ("INVALID_ARGUMENT", "uploadTooLarge"),
    416: ("OUT_OF_RANGE", "badRequest"),
    429: ("RESOURCE_EXHAUSTED", "rateLimitExceeded"),
    499: ("CANCELLED", "badRequest"),
    500: ("INTERNAL", "backendError"),
    501: ("UNIMPLEMENTED", "notImplemented"),
    503: ("UNAVAILABLE", "backendError"),
    504: ("DEADLINE_EXCEEDED", "badRequest"),
}


def test_every_status_has_a_canonical_code_and_an_older_reason() -> None:
    for status in range(400, 600):
        usual = ("INVALID_ARGUMENT" if status < 500 else "INTERNAL", "badRequest")
        older = envelope(ApiError(status, "x"), "legacy")["error"]["errors"][0]["reason"]
        assert (code_name(status), older) == OF_STATUS.get(status, usual), status


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


@pytest.mark.parametrize(
    ("refused", "status", "reason", "message", "location"),
    [
        (MissingRowError(BOOKS, "k", "key"), 404, "notFound",
         "Requested entity was not found.", ""),
        (DuplicateKeyError(BOOKS, "k"), 409, "duplicate", "Requested entity already exists", ""),
        (NotUniqueError(BOOKS, ("name",), "k"), 409, "duplicate",
         "Requested entity already exists", ""),
        (StaleVersionError(BOOKS, "etag", "1"), 412, "conditionNotMet", "Precondition Failed", ""),
        (BrokenReferenceError(BOOKS, [(Reference("shelf", "shelves", "id"), "s")]), 400, "invalid",
         "Invalid Value", "shelf"),
        (InvalidFieldsError(BOOKS, [("/title", "is long"), ("/n", "x")]), 400, "invalid",
         "is long", "title"),
        (MissingKeyError(BOOKS), 400, "failedPrecondition", f"{MissingKeyError(BOOKS)}.", ""),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_a_collection_does_not_allow_is_said_as_the_older_apis_do(
    refused: RefusedError, status: int, reason: str, message: str, location: str
) -> None:
    error = worded(refused)
    assert (error.status, error.reason, error.message, error.location) == (
        status, reason, message, location,
    )  # fmt: skip


@pytest.mark.parametrize("size", [400, 401])
def test_what_is_not_honoured_comes_with_a_fixture_that_would(size: int) -> None:
    fixture = "f" * size
    error = not_honoured("a.list", "x is not emulated", fixture)
    shown = fixture if size == 400 else "see the details of this error"
    assert error.miss == Miss(blame="fixture_gap", reason="a.list: x is not emulated")
    assert envelope(error, "one_platform")["error"] == {
        "code": 501,
        "message": "a.list is answered from the session's state, but x is not emulated. "
        f"A fixture that would: {shown}",
        "status": "UNIMPLEMENTED",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "NOT_HONOURED",
                "domain": "understudy",
                "metadata": {"method": "a.list", "fixture": fixture},
            }
        ],
    }


@pytest.mark.parametrize(("count", "last"), [(100, "v99"), (101, "And 1 more.")])
def test_the_first_hundred_violations_are_told(count: int, last: str) -> None:
    error = bad_request([Violation("", f"v{number}") for number in range(count)], "one_platform")
    told = error.message.split("\n")
    assert told[:99] == [f"v{number}" for number in range(99)]
    assert told[-1] == last
