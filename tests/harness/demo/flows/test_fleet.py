from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from harness.demo.flows.fleet import days_since, explain_fleet
from harness.demo.investigation import Investigation

Ask = Callable[..., Investigation]


def test_versions_are_held_against_the_newest_stable_one(investigate: Ask) -> None:
    answer = explain_fleet(investigate("Old versions?"))
    assert answer.diagnosis.startswith("92 of 786 browsers run a version older than 142.0.7444.176")
    assert "behind by system: WINDOWS (70), LINUX (22)" in answer.evidence


def test_quiet_machines_are_named_longest_first(investigate: Ask) -> None:
    answer = explain_fleet(investigate("Which machines are inactive?"))
    assert answer.diagnosis.startswith("2 of 14 enrolled browsers")
    assert answer.evidence[0].startswith("ksk-lb-002")
    assert "63 days without activity" in answer.evidence[0]


def test_one_machine_is_described(investigate: Ask) -> None:
    answer = explain_fleet(investigate("What about machine ctr-lt-002?"))
    assert "is enrolled in /, runs 138.0.7204.251" in answer.diagnosis


def test_a_fleet_may_be_empty(investigate: Ask) -> None:
    nothing = {"browsers": [], "chromeReports": {"browserVersions": []}}
    assert "No browser" in explain_fleet(investigate("Versions?", overrides=[nothing])).diagnosis
    quiet = explain_fleet(investigate("Any stale machines?", overrides=[nothing]))
    assert quiet.evidence == ["all 0 browsers were active within 30 days"]


def test_days_are_whole_and_unknown_times_are_no_days() -> None:
    now = datetime.now(UTC)
    assert days_since((now - timedelta(days=3, hours=5)).isoformat()) == 3
    assert days_since("") == 0
