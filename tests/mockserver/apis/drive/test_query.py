import pytest

from mockserver.apis.drive.query import drive_test
from mockserver.googleapi import ApiError
from mockserver.googleapi.list_rules import UnservedError
from mockserver.model import JsonObject

PLAN: JsonObject = {
    "id": "1",
    "name": "Quarterly Budget plan",
    "mimeType": "application/vnd.google-apps.spreadsheet",
    "description": "numbers for the board",
    "contentHints": {"indexableText": "revenue grew by ten"},
    "modifiedTime": "2026-03-01T10:00:00Z",
    "starred": True,
    "parents": ["p1"],
    "owners": [{"emailAddress": "Ann@example.com"}],
    "permissions": [{"role": "reader", "emailAddress": "bo@example.com"}],
    "properties": {"team": "ops"},
    "visibility": "limited",
    "sharedWithMeTime": "2026-01-01T00:00:00Z",
}
OLD: JsonObject = {"title": "It's old", "labels": {"trashed": True}, "memberCount": 4}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("name contains 'budget'", [PLAN]),
        ("name contains 'quarterly bud'", [PLAN]),
        ("name contains 'dget'", []),
        ("name = 'quarterly budget plan'", [PLAN]),
        ("name != 'Quarterly Budget plan'", [OLD]),
        ("title = 'It\\'s old'", [OLD]),
        ("mimeType contains 'application/vnd.google-apps.'", [PLAN]),
        ("mimeType != 'application/vnd.google-apps.spreadsheet'", [OLD]),
        ("fullText contains 'board revenue'", [PLAN]),
        ("fullText contains '\"grew by\"'", [PLAN]),
        ("fullText contains '\"by grew\"'", []),
        ("modifiedTime > '2026-03-01T09:59:59'", [PLAN]),
        ("modifiedTime >= '2026-03-01T11:00:00+01:00'", [PLAN]),
        ("modifiedTime < '2026-03-01'", []),
        ("starred = true and not trashed = true", [PLAN]),
        ("trashed = true", [OLD]),
        ("trashed != true", [PLAN]),
        ("'p1' in parents", [PLAN]),
        ("'root' in parents", [OLD]),
        ("'me' in owners", [PLAN]),
        ("'bo@example.com' in writers", []),
        ("'bo@example.com' in readers", [PLAN]),
        ("properties has { key='team' and value='ops' }", [PLAN]),
        ("appProperties has { key='team' and value='ops' }", []),
        ("sharedWithMe and visibility = 'limited'", []),  # it is the caller's own
        ("sharedWithMe = false and visibility = 'limited'", [PLAN]),
        ("memberCount > 3", [OLD]),
        ("(name contains 'x' or trashed=true) and memberCount=4", [OLD]),
        ("name contains 'x' or name contains 'plan' and starred = false", []),
        ("name contains '-'", []),
    ],
)
def test_a_query_finds(query: str, found: list[JsonObject]) -> None:
    test = drive_test(query, "ann@example.com")
    assert [row for row in (PLAN, OLD) if test(row)] == found


@pytest.mark.parametrize(
    "query",
    [
        "",
        "name",
        "name contains",
        "name like 'x'",
        "size > 3",
        "name contains 'x",
        "'p' at parents",
        "'p' in nowhere",
        "modifiedTime > 'soon'",
        "trashed = maybe",
        "(trashed = true",
        "properties has { key='a' }",
        "labels has { key='a' }",
        "properties has { value='a' }",
        "name = 'a' name = 'b'",
        "visibility contains 'x'",
        "name = 'a' #",
        "(" * 60,
        "not " * 60,
        "(trashed = true and",
        "(trashed = true }",
        "x" * 10_001,
        "properties has { key='a' or value='b' }",
    ],
)
def test_what_is_not_in_the_language_is_400(query: str) -> None:
    with pytest.raises(ApiError) as caught:
        drive_test(query)
    assert (caught.value.status, caught.value.location) == (400, "q")


@pytest.mark.parametrize("query", ["'labels/x' in labels", "'me' in owners"])
def test_what_files_do_not_tell_is_not_guessed(query: str) -> None:
    with pytest.raises(UnservedError):
        drive_test(query)
