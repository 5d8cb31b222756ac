import json

import pytest

from mockserver.drift.changes import Change, Tier
from mockserver.drift.reports import FORMATS, STALE, Finding, exit_code, find_tier

REMOVED = Change(Tier.REMOVED, "directory.users.list", "/users/*/a|b", "is gone; was string")
ADDED = Change(Tier.ADDED, "directory.groups.list", "", "was not there")
FINDING = Finding(
    "old.yaml",
    "new.yaml",
    (REMOVED, ADDED),
    ("old.yaml is 99 days old",),
    {REMOVED: tuple(f"EC-{n:03}" for n in range(7)), ADDED: ()},
)


@pytest.mark.parametrize("tier", Tier)
def test_the_exit_code_is_that_of_the_worst_tier(tier: Tier) -> None:
    finding = Finding("a", "b", (Change(Tier.COUNT, "m", "", ""), Change(tier, "m", "", "")))
    assert exit_code(finding) == (0 if tier is Tier.COUNT else 9 + tier)
    assert exit_code(finding, Tier.REMOVED) == (13 if tier is Tier.REMOVED else 0)


def test_no_change_is_no_failure_and_a_stale_recording_always_is_one() -> None:
    assert exit_code(Finding("a", "b", ())) == 0
    assert exit_code(FINDING) == STALE


@pytest.mark.parametrize(
    ("name", "tier"),
    [("added", Tier.ADDED), ("values", Tier.VALUES), ("counts", Tier.COUNT), ("none", None)],
    ids=str,
)
def test_tiers_have_names(name: str, tier: Tier | None) -> None:
    assert find_tier(name) == tier


def test_the_text_has_a_line_for_each_change() -> None:
    assert FORMATS["text"](FINDING).splitlines() == [
        "drift: old.yaml against new.yaml",
        "stale: old.yaml is 99 days old",
        "removed: directory.users.list /users/*/a|b: is gone; was string",
        "  read by EC-000, EC-001, EC-002, EC-003, EC-004 and 2 more",
        "added: directory.groups.list: was not there",
        "1 removed, 1 added; read by EC-000, EC-001, EC-002, EC-003, EC-004 and 2 more",
    ]


def test_the_table_survives_what_stands_in_it() -> None:
    text = FORMATS["markdown"](FINDING)
    assert "| Tier | Where | What | Read by |" in text
    assert (
        "| removed | `directory.users.list /users/*/a\\|b` | is gone; was string | EC-000," in text
    )
    assert "| Read by |" not in FORMATS["markdown"](Finding("a", "b", (ADDED,)))


def test_programs_get_everything() -> None:
    value = json.loads(FORMATS["json"](FINDING))
    assert value["counts"] == {"removed": 1, "type": 0, "values": 0, "added": 1, "count": 0}
    assert value["changes"][0]["cases"] == list(FINDING.cases)
    assert "cases" not in json.loads(FORMATS["json"](Finding("a", "b", (ADDED,))))["changes"][0]


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_found_is_said(name: str) -> None:
    text = FORMATS[name](Finding("a.yaml", "", ()))
    assert "no change" in text or '"changes": []' in text
