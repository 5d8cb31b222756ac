"""Each parameter of lists of Drive by its rule, over a few rows."""

from collections.abc import Callable

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.conftest import Generic

Over = Callable[..., Generic]

FILES = [
    {
        "id": "1",
        "name": "Budget plan",
        "mimeType": "text/plain",
        "modifiedTime": "2026-03-01T00:00:00Z",
    },
    {"id": "2", "name": "Plans", "mimeType": "application/vnd.google-apps.folder", "driveId": "d"},
    {
        "id": "3",
        "name": "note 10",
        "spaces": ["appDataFolder"],
        "viewedByMeTime": "2026-03-03T00:00:00Z",
    },
    {"id": "4", "name": "note 9", "createdTime": "2026-03-02T00:00:00Z"},
]


def found_by(over: Over, params: JsonObject) -> list[str]:
    answer = over(**{"drive:v3": {"files": FILES}}).get("drive:v3", "drive.files.list", **params)
    return [row["id"] for row in answer["files"]]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["1", "4"]),
        ({"includeItemsFromAllDrives": True}, ["1", "2", "4"]),
        ({"includeTeamDriveItems": True, "driveId": "d", "corpora": "drive"}, ["2"]),
        ({"spaces": "appDataFolder"}, ["3"]),
        ({"spaces": "drive,appDataFolder", "orderBy": "name_natural"}, ["1", "4", "3"]),
        ({"spaces": "drive,appDataFolder", "orderBy": "name desc"}, ["4", "3", "1"]),
        ({"spaces": "drive,appDataFolder", "orderBy": "recency"}, ["3", "4", "1"]),
        ({"includeItemsFromAllDrives": True, "orderBy": "folder,name"}, ["2", "1", "4"]),
        ({"q": "name contains 'plan'"}, ["1"]),
    ],
)
def test_a_parameter_selects_as_it_is_documented(
    over: Over, params: JsonObject, found: list[str]
) -> None:
    assert found_by(over, params) == found


@pytest.mark.parametrize(
    ("params", "status", "words"),
    [
        ({"corpora": "domain"}, 501, "'corpora' cannot be honoured"),
        ({"corpora": "drive"}, 400, "driveId"),
        ({"orderBy": "name down"}, 400, "Invalid Value"),
        ({"q": "name like 'x'"}, 400, "Invalid Value"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    over: Over, params: JsonObject, status: int, words: str
) -> None:
    with pytest.raises(ApiError) as caught:
        found_by(over, params)
    assert (caught.value.status, words in caught.value.message) == (status, True), caught.value
