import json
from collections.abc import Mapping
from typing import Any

import httplib2
import pytest
from googleapiclient.errors import HttpError
from typing_extensions import override

from mockserver.capture.google.calls import ApiClients, CallOutcome, MethodCaller, Pace
from mockserver.capture.google.plans import Limits
from mockserver.capture.google_catalog import google_catalog
from mockserver.errors import MockServerError
from mockserver.googleapi import Method
from mockserver.model import Interaction, JsonObject, RecordedRequest, RecordedResponse

INTERACTION = Interaction(RecordedRequest("GET", "https://a.example.com/"), RecordedResponse(200))


def refusal(status: int, reason: str = "", retry_after: str = "", content: object = None) -> Any:
    headers = {"status": status, **({"retry-after": retry_after} if retry_after else {})}
    error = {"message": "no", "errors": [{"reason": reason}], "details": [{"reason": reason}]}
    body = {"error": error} if content is None else content
    return HttpError(httplib2.Response(headers), json.dumps(body).encode())


class Live(ApiClients):
    """A live API by script: answers, or what is raised; keeps what was asked."""

    def __init__(self, *script: object) -> None:
        self.script = list(script)
        self.asked: list[tuple[dict[str, Any], JsonObject | None]] = []
        self.heard: list[Interaction] = []

    @override
    def request(self, method: Method, params: Mapping[str, Any], body: JsonObject | None) -> Any:
        self.asked.append((dict(params), body))
        return self

    def execute(self) -> Any:
        found = self.script.pop(0)
        if not isinstance(found, OSError | MockServerError):
            self.heard = [INTERACTION]
        if isinstance(found, Exception):
            raise found
        return found

    def take(self) -> Interaction | None:
        return self.heard.pop() if self.heard else None


class Asked:
    """What came of asking a live API."""

    def __init__(self, name: str, live: Live, *, retries: int = 2, **limits: int) -> None:
        self.live = live
        self.recorded: list[Interaction] = []
        self.slept: list[float] = []
        method = google_catalog().method(name)
        assert method is not None
        pace = Pace(1e9, self.slept.append)
        asker = MethodCaller(live, live, self.recorded.append, pace, retries=retries)
        self.outcome: CallOutcome = asker.ask(method, {"p": 1}, {"q": 2}, Limits(**limits))


LIST, POST = "directory.users.list", "logging.entries.list"


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        (LIST, ({"p": 1}, None), ({"p": 1, "pageToken": "t"}, None)),
        (POST, ({"p": 1}, {"q": 2}), ({"p": 1}, {"q": 2, "pageToken": "t"})),
    ],
    ids=["in-the-query", "in-the-body"],
)
def test_pages_are_followed_and_joined(name: str, first: object, second: object) -> None:
    live = Live({"kind": "k", "users": [1], "nextPageToken": "t"}, {"kind": "k", "users": [2, 3]})
    asked = Asked(name, live)
    assert asked.outcome == CallOutcome({"kind": "k", "users": [1, 2, 3]}, pages=2, items=3)
    assert live.asked == [first, second]
    assert [one.method_id for one in asked.recorded] == [name, name]


def test_an_empty_page_with_a_token_is_followed() -> None:
    asked = Asked(LIST, Live({"nextPageToken": "t"}, {"users": [1]}))
    assert asked.outcome.answer == {"users": [1]}


@pytest.mark.parametrize(
    ("limits", "cut"),
    [
        ({"max_pages": 1}, "there is more after 1 pages (max_pages)"),
        ({"max_items": 2}, "there is more after 2 items (max_items)"),
    ],
    ids=["pages", "items"],
)
def test_limits_end_a_list_and_say_so(limits: dict[str, int], cut: str) -> None:
    asked = Asked(LIST, Live({"users": [1, 2], "nextPageToken": "t"}), **limits)
    assert (asked.outcome.cut, asked.outcome.failure) == (cut, None)


def test_a_limit_that_is_just_met_cuts_nothing() -> None:
    assert Asked(LIST, Live({"users": [1, 2]}), max_items=2).outcome.cut == ""


def test_a_token_that_comes_twice_is_a_failure() -> None:
    live = Live({"users": [1], "nextPageToken": "t"}, {"users": [2], "nextPageToken": "t"})
    asked = Asked(LIST, live)
    assert asked.outcome.failure is not None
    assert "the same page token twice" in asked.outcome.failure.message
    assert asked.outcome.items == 2


def test_a_token_of_a_method_without_pages_is_left_alone() -> None:
    assert Asked("directory.customers.get", Live({"nextPageToken": "t"})).outcome.pages == 1


@pytest.mark.parametrize(
    "refused",
    [refusal(429), refusal(503), refusal(403, "rateLimitExceeded"), httplib2.HttpLib2Error("x")],
    ids=["429", "503", "quota", "no-answer"],
)
def test_patience_is_not_recorded_and_grows(refused: Exception) -> None:
    asked = Asked(LIST, Live(refused, refused, {"users": [1]}))
    assert asked.outcome.items == 1
    assert [wait for wait in asked.slept if wait >= 1] == [1.0, 2.0]
    assert len(asked.recorded) == 1


def test_retry_after_is_honoured_however_long() -> None:
    asked = Asked(LIST, Live(refusal(429, retry_after="90"), {"users": []}))
    assert [wait for wait in asked.slept if wait >= 1] == [90.0]


def test_a_refusal_that_stays_is_recorded_after_the_pages_before() -> None:
    live = Live({"users": [1], "nextPageToken": "t"}, refusal(404))
    asked = Asked(LIST, live)
    assert asked.outcome.failure is not None
    assert (asked.outcome.failure.status, asked.outcome.failure.message) == (404, "no")
    assert asked.outcome.answer == {"users": [1]}
    assert len(asked.recorded) == 2


def test_patience_ends_and_its_last_answer_is_recorded() -> None:
    asked = Asked(LIST, Live(refusal(429), refusal(429)), retries=1)
    assert asked.outcome.failure is not None
    assert asked.outcome.failure.status == 429
    assert len(asked.recorded) == 1


@pytest.mark.parametrize(
    "reason", ["ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"], ids=str
)
def test_a_scope_that_is_missing_is_told_apart(reason: str) -> None:
    failure = Asked(LIST, Live(refusal(403, reason))).outcome.failure
    assert failure is not None
    assert failure.scope


@pytest.mark.parametrize(
    "content", ["text", {"error": "flat"}, {"error": {"errors": "odd", "details": [1]}}], ids=str
)
def test_errors_of_any_shape_are_failures(content: object) -> None:
    failure = Asked(LIST, Live(refusal(403, content=content))).outcome.failure
    assert failure is not None
    assert failure.status == 403
    assert not failure.scope


def test_an_error_that_is_no_json_is_a_failure() -> None:
    error = HttpError(httplib2.Response({"status": 404, "reason": "Not Found"}), b"<html>")
    assert Asked(LIST, Live(error)).outcome.failure is not None


def test_nothing_that_answers_is_a_failure_without_a_status() -> None:
    asked = Asked(LIST, Live(OSError("refused"), OSError()), retries=1)
    assert asked.outcome.failure is not None
    assert (asked.outcome.failure.status, asked.outcome.failure.message) == (
        0,
        "no answer: OSError",
    )
    assert asked.recorded == []


def test_a_request_that_cannot_be_built_is_a_failure() -> None:
    failure = Asked(LIST, Live(MockServerError("does not match the pattern"))).outcome.failure
    assert failure is not None
    assert failure.message == "does not match the pattern"


def test_an_answer_that_is_no_object_is_an_empty_one() -> None:
    assert Asked(LIST, Live("")).outcome == CallOutcome({}, pages=1)


def test_requests_are_kept_apart() -> None:
    slept: list[float] = []
    pace = Pace(10, slept.append, lambda: 100.0)
    for _ in range(3):
        pace.wait()
    assert slept == pytest.approx([0.1, 0.2])
