import json

import pytest

from mockserver.apis.chromemanagement import API
from mockserver.apis.chromemanagement.capture import (
    CAPTURES,
    LEGACY_CAPTURES,
    browser_with_id,
    keep_whole_customer,
    legacy_token_with_id,
    token_with_id,
)
from mockserver.model import AnsweredCall
from mockserver.redaction import Redactor, RuleSet

ASKED = AnsweredCall("", {}, {}, {})


def test_a_count_of_one_org_unit_is_not_that_of_the_customer() -> None:
    row = {"version": "142.0"}
    assert keep_whole_customer(row, ASKED) == row
    assert keep_whole_customer(row, AnsweredCall("", {"orgUnitId": "03ph2"}, {}, {})) is None


def test_browsers_and_tokens_of_both_apis_are_told_by_the_same_ids() -> None:
    assert (
        browser_with_id({"browserPermanentId": "d1", "machineName": "m"}, ASKED)["deviceId"] == "d1"
    )
    new = token_with_id({"tokenPermanentId": "p1", "token": "t1"}, ASKED)
    old = legacy_token_with_id({"tokenPermanentId": "p1", "tokenId": "t1"}, ASKED)
    assert new == old == {"tokenId": "p1", "token": "t1"}


def test_both_apis_fill_the_same_collections() -> None:
    old = {each.collection for captures in LEGACY_CAPTURES.values() for each in captures}
    assert old == {"browsers", "enrollmentTokens"}
    assert old < {each.collection for captures in CAPTURES.values() for each in captures}


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"tokenPermanentId": "a1b2c3d4"}', "a1b2c3d4"),
        ('{"wifiSsid": "Home of Ada"}', "Ada"),
        ('{"lastLoggedInUser": "corp-ada"}', "corp-ada"),
    ],
)
def test_what_only_this_api_tells_is_redacted(text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().with_rules_before(API.redaction()), b"k")
    made = redactor.redact_json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.redact_json(made) == made
