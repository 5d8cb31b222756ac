import json

import pytest

from mockserver.apis.directory import API
from mockserver.apis.directory.capture import CAPTURES
from mockserver.model import AnsweredCall
from mockserver.redaction import Redactor, RuleSet

USER = {"id": "1", "primaryEmail": "ann@example.com"}


@pytest.mark.parametrize(
    ("shown", "collection"),
    [("true", "deletedUsers"), (True, "deletedUsers"), ("false", "users"), (None, "users")],
    ids=str,
)
def test_deleted_users_are_a_collection_of_their_own(shown: object, collection: str) -> None:
    asked = AnsweredCall("directory.users.list", {"showDeleted": shown}, {}, {})
    kept = [
        capture.collection
        for capture in CAPTURES["directory.users.list"]
        if capture.reshape and capture.reshape(USER, asked)
    ]
    assert kept == [collection]


def test_members_are_listed_under_their_group() -> None:
    [capture] = CAPTURES["directory.members.list"]
    assert (capture.shape, capture.under) == ("lists", "groupKey")


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"groupId": "00gjdgxs1ab"}', "00gjdgxs1ab"),
        ('{"name": "groups/00gjdgxs1ab"}', "00gjdgxs1ab"),
        ('{"organizationName": "Acme Corp"}', "Acme"),
        ('{"externalIds": [{"value": "E-4711", "type": "organization"}]}', "4711"),
        ('{"relations": [{"value": "Bo Berg", "type": "spouse"}]}', "Berg"),
    ],
)
def test_what_only_this_api_tells_is_redacted(text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().with_rules_before(API.redaction()), b"k")
    made = redactor.redact_json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.redact_json(made) == made
