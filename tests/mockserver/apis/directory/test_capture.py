import pytest

from mockserver.apis.directory.capture import CAPTURES
from mockserver.model import Answered

USER = {"id": "1", "primaryEmail": "ann@example.com"}


@pytest.mark.parametrize(
    ("shown", "collection"),
    [("true", "deletedUsers"), (True, "deletedUsers"), ("false", "users"), (None, "users")],
    ids=str,
)
def test_deleted_users_are_a_collection_of_their_own(shown: object, collection: str) -> None:
    asked = Answered("directory.users.list", {"showDeleted": shown}, {}, {})
    kept = [
        capture.collection
        for capture in CAPTURES["directory.users.list"]
        if capture.reshape and capture.reshape(USER, asked)
    ]
    assert kept == [collection]


def test_members_are_listed_under_their_group() -> None:
    [capture] = CAPTURES["directory.members.list"]
    assert (capture.shape, capture.under) == ("lists", "groupKey")
