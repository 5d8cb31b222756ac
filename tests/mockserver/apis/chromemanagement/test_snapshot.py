from typing import Any

import pytest

from mockserver.apis.chromemanagement.snapshot import (
    CAPTURES,
    LEGACY_CAPTURES,
    browser_with_id,
    import_snapshot,
    keep_whole_customer,
    legacy_token_with_id,
    token_with_id,
)
from mockserver.googleapi import SnapshotImport
from mockserver.model import AnsweredCall, JsonObject
from tests.tenants import ENG

UNITS = [{"orgUnitId": f"id:{ENG}", "orgUnitPath": "/Eng", "parentOrgUnitId": "id:03root"}]


def imported(**raw: Any) -> SnapshotImport:
    found = SnapshotImport(raw=raw)
    import_snapshot(found)
    return found


def test_an_org_unit_path_becomes_the_id_of_the_org_unit() -> None:
    found = imported(orgUnits=UNITS, browsers=[{"deviceId": "d", "orgUnitPath": "/eng"}])
    assert found.tables["browsers"]["d"] == {"deviceId": "d", "orgUnitId": ENG, "browsers": []}
    assert found.changes == [("/browsers/0", f"the org unit /eng becomes the orgUnitId {ENG}")]


def test_a_browser_without_id_gets_one_from_its_machine() -> None:
    found = imported(browsers=[{"machineName": "lt-1", "browserVersion": "142.0"}])
    [row] = found.tables["browsers"].values()
    assert row["browsers"] == [{"browserVersion": "142.0", "channel": "STABLE"}]
    assert len(found.changes) == 2


def test_one_enrollment_token_joins_the_others() -> None:
    found = imported(
        enrollmentToken={"token": "t-1", "status": "expired"}, enrollmentTokens=[{"tokenId": "t-2"}]
    )
    rows = found.tables["enrollmentTokens"]
    assert [row["status"] for row in rows.values()] == ["valid", "expired"]


def test_states_of_the_api_are_understood() -> None:
    token = {"id": "t", "state": "ENROLLMENT_TOKEN_STATE_ACTIVE"}
    assert imported(enrollmentTokens=[token]).tables["enrollmentTokens"]["t"]["status"] == "valid"


@pytest.mark.parametrize("raw", [{}, {"enrollmentToken": None, "chromeReports": None}])
def test_absent_collections_are_empty(raw: JsonObject) -> None:
    found = imported(**raw)
    assert found.problems == []
    assert not any(found.tables.values())


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        pytest.param({"browsers": [{}]}, "/browsers/0", id="browser without id"),
        pytest.param(
            {"browsers": [{"deviceId": "d"}, {"deviceId": "d"}]}, "/browsers/1", id="twice"
        ),
        pytest.param(
            {"orgUnits": UNITS, "browsers": [{"deviceId": "d", "orgUnitPath": "/Nope"}]},
            "/browsers/0/orgUnitPath",
            id="path",
        ),
        pytest.param({"enrollmentToken": "x"}, "/enrollmentToken", id="token is text"),
        pytest.param({"enrollmentToken": {}}, "/enrollmentToken", id="token without id"),
        pytest.param(
            {"enrollmentTokens": [{"tokenId": "t", "status": "odd"}]},
            "/enrollmentTokens/0/status",
            id="status",
        ),
        pytest.param({"chromeReports": []}, "/chromeReports", id="report"),
        pytest.param(
            {"chromeReports": {"browserVersions": {}}},
            "/chromeReports/browserVersions",
            id="versions",
        ),
        pytest.param(
            {"chromeReports": {"browserVersions": [{"count": 1}]}},
            "/chromeReports/browserVersions/0",
            id="version",
        ),
    ],
)
def test_what_cannot_be_served_is_a_problem_in_its_place(raw: JsonObject, where: str) -> None:
    assert [problem.where for problem in imported(**raw).problems] == [where]


def test_what_is_wrong_on_purpose_is_served_with_a_warning() -> None:
    """A cloned machine and an org unit that is gone are what a case may be about."""
    found = imported(
        orgUnits=[{"orgUnitPath": "/", "orgUnitId": "id:03ph1"}],
        browsers=[
            {"deviceId": "d", "machineName": "one", "orgUnitPath": "/Gone"},
            {"deviceId": "d", "machineName": "two"},
        ],
    )
    rows = list(found.tables["browsers"].values())
    assert [(row["deviceId"], row["machineName"]) for row in rows] == [("d", "one"), ("d", "two")]
    assert rows[0]["orgUnitPath"] == "/Gone"
    assert [(item.where, item.level) for item in found.problems] == [
        ("/browsers/0/orgUnitPath", "warning"),
        ("/browsers/1", "warning"),
    ]


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
