from collections.abc import Callable

import httplib2
import pytest

from harness.demo.google import TRIES, Access, Google, GoogleError

Connect = Callable[..., Google]
LIST = "directory.orgunits.list"


def missing() -> httplib2.Response:
    response = httplib2.Response({"status": "404"})
    response.reason = "Not Found"
    return response


def units(google: Google) -> object:
    return google.directory().orgunits().list(customerId="my_customer", type="all")


def test_endpoint_and_token_come_from_the_environment() -> None:
    access = Access.of(
        {"GOOGLE_API_BASE_URL": "http://127.0.0.1:1/s/a/", "GOOGLE_OAUTH_ACCESS_TOKEN": "t"}
    )
    assert access == Access("http://127.0.0.1:1/s/a", "t")


def test_without_an_endpoint_google_itself_is_asked() -> None:
    assert units(Google(Access())).uri.startswith("https://admin.googleapis.com/")  # type: ignore[attr-defined]


def test_with_an_endpoint_every_host_stands_below_it(google: Connect) -> None:
    assert "127.0.0.1" in units(google()).uri  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "fault", [{"status": 429}, {"status": 503}, {"status": 403, "reason": "quotaExceeded"}]
)
def test_busy_answers_are_waited_for_and_noted(google: Connect, fault: dict[str, object]) -> None:
    client = google(faults=[{"method": LIST, "times": 2, **fault}])
    assert len(client.ask(units(client))["organizationUnits"]) == 16
    assert client.notices[0].startswith(f"{LIST} answered {fault['status']} 2 times")


def test_what_stays_busy_is_given_up(google: Connect) -> None:
    client = google(faults=[{"method": LIST, "status": 429, "message": "Enough."}])
    with pytest.raises(GoogleError, match="Enough") as caught:
        client.ask(units(client))
    assert (caught.value.status, caught.value.method) == (429, LIST)
    assert client.notices == []


def test_pauses_grow(enter: Callable[..., Access]) -> None:
    pauses: list[float] = []
    client = Google(enter(faults=[{"method": LIST, "status": 503}]), pause=pauses.append)
    with pytest.raises(GoogleError):
        client.ask(units(client))
    client.close()
    assert len(pauses) == TRIES - 1
    assert pauses == sorted(pauses)


def test_a_refusal_is_not_repeated(google: Connect) -> None:
    client = google(faults=[{"method": LIST, "status": 403, "times": 1}])
    with pytest.raises(GoogleError) as caught:
        client.ask(units(client))
    assert caught.value.reason
    assert not caught.value.busy


def test_what_is_not_there_yet_is_waited_for_on_request(google: Connect) -> None:
    client = google(faults=[{"method": "directory.users.get", "status": 404, "times": 1}])
    request = client.directory().users().get(userKey="ada.lindqvist@example.com")
    assert client.ask(request, wait_until_there=True)["orgUnitPath"] == "/Engineering/Platform/SRE"


def test_a_rejected_token_is_told_with_google_s_words(enter: Callable[..., Access]) -> None:
    access = enter()
    client = Google(Access(access.endpoint, access.token + "0"))
    with pytest.raises(GoogleError, match="authentication credentials") as caught:
        client.ask(units(client))
    client.close()
    assert caught.value.status == 401


def test_pages_are_followed_or_not(enter: Callable[..., Access]) -> None:
    counts = []
    for follow in (True, False):
        client = Google(enter(), follow_pages=follow)
        users = client.directory().users()
        found = client.pages(
            lambda token, users=users: users.list(  # type: ignore[misc]
                customer="my_customer", maxResults=10, pageToken=token
            ),
            "users",
        )
        counts.append(len(found))
        client.close()
    assert counts == [25, 10]


@pytest.mark.parametrize(
    ("content", "reason", "message"),
    [
        (b"<!DOCTYPE html>", "", "Not Found"),
        (b'{"error": "invalid_token"}', "invalid_token", "invalid_token"),
        (b'{"error": "invalid_grant", "error_description": "Old."}', "invalid_grant", "Old."),
        (b'{"error": {"status": "NOT_FOUND", "message": "no"}}', "NOT_FOUND", "no"),
        (b'{"error": {"errors": [{"reason": "notFound"}], "message": "no"}}', "notFound", "no"),
    ],
    ids=["html", "oauth", "oauth, described", "status", "reason"],
)
def test_every_form_of_error_is_read(content: bytes, reason: str, message: str) -> None:
    class Http:
        def request(self, *_: object, **__: object) -> tuple[httplib2.Response, bytes]:
            return missing(), content

    client = Google(Access())
    client._http = Http()
    with pytest.raises(GoogleError) as caught:
        client.ask(units(client))
    assert (caught.value.reason, caught.value.message) == (reason, message)
