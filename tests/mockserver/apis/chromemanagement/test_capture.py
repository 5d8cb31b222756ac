from mockserver.apis.chromemanagement.capture import (
    CAPTURES,
    LEGACY_CAPTURES,
    browser,
    legacy_token,
    token,
    whole_customer,
)
from mockserver.model import Answered

ASKED = Answered("", {}, {}, {})


def test_a_count_of_one_org_unit_is_not_that_of_the_customer() -> None:
    row = {"version": "142.0"}
    assert whole_customer(row, ASKED) == row
    assert whole_customer(row, Answered("", {"orgUnitId": "03ph2"}, {}, {})) is None


def test_browsers_and_tokens_of_both_apis_are_told_by_the_same_ids() -> None:
    assert browser({"browserPermanentId": "d1", "machineName": "m"}, ASKED)["deviceId"] == "d1"
    new = token({"tokenPermanentId": "p1", "token": "t1"}, ASKED)
    old = legacy_token({"tokenPermanentId": "p1", "tokenId": "t1"}, ASKED)
    assert new == old == {"tokenId": "p1", "token": "t1"}


def test_both_apis_fill_the_same_collections() -> None:
    old = {each.collection for captures in LEGACY_CAPTURES.values() for each in captures}
    assert old == {"browsers", "enrollmentTokens"}
    assert old < {each.collection for captures in CAPTURES.values() for each in captures}
