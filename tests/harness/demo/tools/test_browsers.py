from collections.abc import Callable

from harness.demo.google import Google
from harness.demo.tools.browsers import enroll_browser, get_fleet_overview

Connect = Callable[..., Google]
CONTRACTORS, SALES = "03ph8a2zedyaz47", "03ph8a2z3ngwap2"


def test_versions_are_counted_and_machines_listed(google: Connect) -> None:
    fleet = get_fleet_overview(google(), {})
    assert sum(row["count"] for row in fleet["versions"]) == 786
    assert len(fleet["browsers"]) == 14


def test_a_machine_has_an_org_unit_a_version_and_a_last_sign_of_life(google: Connect) -> None:
    browsers = get_fleet_overview(google(), {})["browsers"]
    kiosk = next(browser for browser in browsers if browser["machine"] == "ksk-lb-001")
    assert kiosk["version"] == "138.0.7204.251"
    assert kiosk["orgUnit"].startswith("03ph")
    assert kiosk["lastActivity"].endswith("Z")


def test_an_org_unit_has_a_token_that_works_or_not(google: Connect) -> None:
    client = google()
    assert enroll_browser(client, {"orgUnit": SALES})["usable"]
    expired = enroll_browser(client, {"orgUnit": CONTRACTORS})
    assert expired["usable"] is None
    states = [token["state"] for token in expired["tokens"] if token["orgUnit"] == CONTRACTORS]
    assert states == ["EXPIRED"]


def test_without_an_org_unit_any_token_will_do(google: Connect) -> None:
    assert enroll_browser(google(), {})["usable"]
