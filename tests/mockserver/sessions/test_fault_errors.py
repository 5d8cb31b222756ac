"""What a fault says, in the API's own words."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError, Dialect, envelope
from mockserver.model import Fault
from mockserver.sessions.fault_errors import error_info, fault_error

HOST = "admin.googleapis.com"


def error(status: int, dialect: Dialect = "one_platform", **fields: Any) -> ApiError:
    fault = Fault(method="m", status=status, **fields)
    return fault_error(fault, method_id="directory.users.list", host=HOST, dialect=dialect)


@pytest.mark.parametrize(
    ("status", "message", "legacy"),
    [
        (400, "Request contains an invalid argument.", ""),
        (403, "The caller does not have permission", "Not Authorized to access this resource/api"),
        (404, "Requested entity was not found.", ""),
        (409, "Requested entity already exists", "Entity already exists."),
        (412, "Precondition check failed.", ""),
        (500, "Internal error encountered.", ""),
        (503, "The service is currently unavailable.", ""),
        (504, "Deadline expired before operation could complete.", ""),
        (418, "HTTP 418", ""),
    ],
)
def test_a_status_alone_says_what_google_says(status: int, message: str, legacy: str) -> None:
    said = error(status), error(status, "legacy")
    assert [each.message for each in said] == [message, legacy or message]
    assert [(each.status, each.details) for each in said] == [(status, ())] * 2


def test_a_token_that_expired_is_told_by_details() -> None:
    [told] = error(401).details
    assert (told["reason"], told["metadata"]) == (
        "ACCESS_TOKEN_EXPIRED", {"service": HOST, "method": "directory.users.list"},
    )  # fmt: skip


def test_the_fault_s_own_message_counts() -> None:
    assert error(503, message="Try later").message == "Try later"


def test_429_names_the_service_and_its_quota() -> None:
    found = error(429)
    assert f"of service '{HOST}' for consumer" in found.message
    body = envelope(found, "one_platform")["error"]
    assert body["status"] == "RESOURCE_EXHAUSTED"
    assert body["details"][0]["reason"] == "RATE_LIMIT_EXCEEDED"
    assert body["details"][0]["metadata"]["service"] == HOST


@pytest.mark.parametrize(
    ("reason", "message", "domain"),
    [
        ("quotaExceeded", "Request rate higher than configured.", "global"),
        ("userRateLimitExceeded", "User Rate Limit Exceeded", "usageLimits"),
        ("dailyLimitExceeded", "Daily Limit Exceeded", "usageLimits"),
        ("forbidden", "Not Authorized to access this resource/api", "global"),
        ("somethingElse", "The caller does not have permission", "global"),
    ],
)
def test_a_403_is_told_by_its_reason(reason: str, message: str, domain: str) -> None:
    body = envelope(error(403, "legacy", reason=reason), "legacy")["error"]["errors"][0]
    assert body == {"message": message, "domain": domain, "reason": reason}


def test_a_disabled_api_and_missing_scopes_are_told_by_details() -> None:
    off = error(403, reason="SERVICE_DISABLED")
    assert off.message.startswith(f"{HOST} has not been used in project")
    link = off.details[0]["links"][0]["url"]
    assert link in off.message
    assert off.details[1]["reason"] == "SERVICE_DISABLED"
    assert off.details[1]["metadata"]["activationUrl"] == link

    scopes = error(403, reason="insufficientPermissions")
    assert scopes.details[0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert 'error="insufficient_scope"' in scopes.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("status", "reason", "message"),
    [
        (403, "forbidden", "Not Authorized to access this resource/api"),
        (409, "duplicate", "Entity already exists."),
        (404, "notFound", "Requested entity was not found."),
    ],
    ids=str,
)
def test_the_older_apis_have_words_of_their_own(status: int, reason: str, message: str) -> None:
    body = envelope(error(status, "legacy"), "legacy")["error"]["errors"][0]
    assert (body["reason"], body["message"]) == (reason, message)


def test_a_401_points_at_the_authorization_header() -> None:
    body = envelope(error(401, "legacy"), "legacy")["error"]
    assert body["errors"][0] | {"message": ""} == {
        "message": "",
        "domain": "global",
        "reason": "authError",
        "location": "Authorization",
        "locationType": "header",
    }
    assert "invalid_token" in error(401).headers["WWW-Authenticate"]


def test_details_are_of_google_s_domain() -> None:
    assert error_info("X", a="b")["metadata"] == {"a": "b"}


@pytest.mark.parametrize("per", ["user", "session"])
def test_a_rate_says_whose_it_is(per: str) -> None:
    told = [
        error(429, reason=reason, rate={"per_minute": 60, "per": per}).message
        for reason in ("", "rateLimitExceeded")
    ]
    assert any(" per user" in each for each in told) is (per == "user"), told


def test_a_rate_s_own_reason_counts() -> None:
    reasons = [
        error(429, reason=each, rate={"per_minute": 60}).reason for each in ("", "forbidden")
    ]
    assert reasons == ["rateLimitExceeded", "forbidden"]
