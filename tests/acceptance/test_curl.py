"""curl does an administrator's work: command lines as one would type them."""

import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from mockserver.model import JsonObject
from tests.acceptance.conftest import HEADERS, Mock, newer, older, pretty

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")

SALES, AMERICAS = "orgunits/03ph8a2z3ngwap2", "orgunits/03ph8a2zf1l3t71"
INCOGNITO, AVAILABILITY = "chrome.users.IncognitoMode", "incognitoModeAvailability"
RESOLVE = "chromepolicy.googleapis.com/v1/customers/my_customer/policies:resolve"
ORG_UNITS = "chromepolicy.googleapis.com/v1/customers/my_customer/policies/orgunits"


class Curl:
    """curl against one session; `last` has status and headers of the latest answer."""

    def __init__(self, base: str, folder: Path) -> None:
        self._base = base
        self._head = folder / "head"
        self.status = 0
        self.headers: dict[str, str] = {}

    def run(self, path: str, *options: str, verb: str = "") -> bytes:
        head = ("--dump-header", str(self._head), "--max-time", "20", "--silent", "--show-error")
        verbs = ("--request", verb) if verb else ()
        url = f"{self._base}/{path}"
        command = ["curl", "--path-as-is", "--noproxy", "*", *head, *verbs, *options, url]
        body = subprocess.run(command, check=True, capture_output=True).stdout
        # after `100 Continue` comes the head of the answer itself
        lines = self._head.read_text().strip().split("\n\n")[-1].splitlines()
        self.status = int(lines[0].split()[1])
        pairs = (line.partition(": ") for line in lines[1:])
        self.headers = {name.lower(): value for name, _, value in pairs}
        return body

    def json(self, path: str, *options: str, verb: str = "") -> Any:
        return orjson.loads(self.run(path, *options, verb=verb))

    def send(self, path: str, body: JsonObject, *, verb: str = "") -> Any:
        text = orjson.dumps(body).decode()
        header = "Content-Type: application/json"
        return self.json(path, "--header", header, "--data", text, verb=verb)


@pytest.fixture
def curl(mock: Mock, tmp_path: Path) -> Curl:
    return Curl(mock.open().base_url, tmp_path)


DIRECTORY = "admin.googleapis.com/admin/directory/v1"
UNITS = f"{DIRECTORY}/customer/my_customer/orgunits"


def test_org_units_are_listed_made_moved_and_deleted(curl: Curl) -> None:
    whole = curl.json(f"{UNITS}?type=all")["organizationUnits"]
    made = curl.send(UNITS, {"name": "Night shift", "parentOrgUnitPath": "/Support"})
    assert curl.status == 200
    assert curl.json(f"{UNITS}/Support/Night%20shift") == made
    change = {"parentOrgUnitPath": "/Labs"}
    assert curl.send(f"{UNITS}/{made['orgUnitId']}", change, verb="PATCH")["orgUnitPath"] == (
        "/Labs/Night shift"
    )
    assert curl.run(f"{UNITS}/Labs/Night%20shift", verb="DELETE") == b""
    assert curl.status in {200, 204}
    assert curl.json(f"{UNITS}?type=all")["organizationUnits"] == whole
    assert curl.json(f"{UNITS}//")["orgUnitPath"] == "/"


def test_json_may_be_sent_as_curl_does_without_a_header(curl: Curl) -> None:
    body = '{"name": "Plain", "parentOrgUnitPath": "/"}'
    assert curl.json(UNITS, "--data", body)["orgUnitPath"] == "/Plain"


def test_users_are_paged_two_at_a_time(curl: Curl) -> None:
    ask = f"{DIRECTORY}/users?customer=my_customer"
    whole = curl.json(f"{ask}&maxResults=500")["users"]
    page = curl.json(f"{ask}&maxResults=2")
    found = page["users"]
    while "nextPageToken" in page:
        page = curl.json(f"{ask}&maxResults=2&pageToken={page['nextPageToken']}")
        found += page["users"]
    assert found == whole


def test_policies_are_resolved_and_modified_with_inheritance(curl: Curl) -> None:
    target = {"policyTargetKey": {"targetResource": AMERICAS}}

    def resolved() -> tuple[str, str]:
        (found,) = curl.send(RESOLVE, {**target, "policySchemaFilter": INCOGNITO})[
            "resolvedPolicies"
        ]
        return found["value"]["value"][AVAILABILITY], found["sourceKey"]["targetResource"]

    assert resolved() == ("UNAVAILABLE", SALES)
    value = {"policySchema": INCOGNITO, "value": {AVAILABILITY: "FORCED"}}
    change = {**target, "policyValue": value, "updateMask": AVAILABILITY}
    assert curl.send(f"{ORG_UNITS}:batchModify", {"requests": [change]}) == {}
    assert resolved() == ("FORCED", AMERICAS)
    back = {**target, "policySchema": INCOGNITO}
    assert curl.send(f"{ORG_UNITS}:batchInherit", {"requests": [back]}) == {}
    assert resolved() == ("UNAVAILABLE", SALES)


def test_activities_of_the_last_days_are_of_the_last_days(curl: Curl) -> None:
    now = datetime.now(UTC)
    since = (now - timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    path = "admin.googleapis.com/admin/reports/v1/activity/users/all/applications/chrome"
    whole = curl.json(path)["items"]
    recent = curl.json(f"{path}?startTime={since}")["items"]
    assert recent == [item for item in whole if item["id"]["time"] >= since]
    assert 0 < len(recent) < len(whole)


def test_dlp_policies_are_listed_by_cel(curl: Curl) -> None:
    ask = ("--get", "--data-urlencode")
    path = "cloudidentity.googleapis.com/v1/policies"
    rules = curl.json(path, *ask, "filter=setting.type.matches('rule.dlp')")["policies"]
    assert len(rules) == 5
    refused = curl.run(path, *ask, "filter=a AND b")
    assert refused == pretty(newer(400, "INVALID_ARGUMENT", "Filter is invalid"))


def test_errors_are_google_s_to_the_byte(curl: Curl) -> None:
    missing = curl.run(f"{UNITS}/Nope")
    assert (curl.status, missing) == (404, pretty(older(404, "notFound", "Org unit not found")))
    assert {name: curl.headers.get(name) for name in HEADERS} == HEADERS
    assert int(curl.headers["content-length"]) == len(missing)

    body = '{"name": "Sales", "parentOrgUnitPath": "/"}'
    taken = curl.run(UNITS, "--data", body)
    assert (curl.status, taken) == (409, pretty(older(409, "duplicate", "Entity already exists.")))

    forbidden = curl.run("chromepolicy.googleapis.com/v1/customers/C0other/policySchemas")
    said = newer(403, "PERMISSION_DENIED", "The caller does not have permission")
    assert (curl.status, forbidden) == (403, pretty(said))

    unreadable = curl.json("chromepolicy.googleapis.com/v1/customers/my_customer/policySchemas?x=1")
    (violation,) = unreadable["error"]["details"][0]["fieldViolations"]
    assert violation["description"] == unreadable["error"]["message"]
    assert (curl.status, unreadable["error"]["status"]) == (400, "INVALID_ARGUMENT")


def test_a_quota_is_exceeded_once(mock: Mock, tmp_path: Path) -> None:
    fault = {"method": "directory.orgunits.list", "status": 429, "times": 1}
    curl = Curl(mock.open(faults=[fault]).base_url, tmp_path)
    error = curl.json(UNITS)["error"]
    assert (curl.status, error["code"], error["errors"][0]["reason"]) == (
        429, 429, "rateLimitExceeded"
    )  # fmt: skip
    assert "retry-after" not in curl.headers
    curl.json(UNITS)
    assert curl.status == 200


def test_an_unknown_route_is_a_page(curl: Curl) -> None:
    for path, verb in (("admin.googleapis.com/nope", "GET"), (UNITS, "DELETE")):
        page = curl.run(path, verb=verb)
        assert curl.status == 404
        assert curl.headers["content-type"] == "text/html; charset=UTF-8"
        assert page.startswith(b"<!DOCTYPE html>")
        assert b"<title>Error 404 (Not Found)!!1</title>" in page


def test_an_answer_is_compressed_for_who_asks(curl: Curl) -> None:
    plain = curl.run(f"{UNITS}?type=all")
    assert "content-encoding" not in curl.headers
    assert curl.run(f"{UNITS}?type=all", "--compressed") == plain
    assert curl.headers["content-encoding"] == "gzip"
    assert int(curl.headers["content-length"]) < len(plain)


def test_a_head_says_what_a_get_would(curl: Curl) -> None:
    plain = curl.run(UNITS)
    assert b"content-length: %d\r\n" % len(plain) in curl.run(UNITS, "--head").lower()
    assert curl.status == 200
