from collections.abc import Callable

from harness.demo.google import Google
from harness.demo.tools.dlp import create_dlp_rule, list_dlp_rules

Connect = Callable[..., Google]
PAYROLL = "03ph8a2zbblg8cw"


def test_rules_are_told_from_detectors(google: Connect) -> None:
    rules = list_dlp_rules(google(), {})["rules"]
    assert len(rules) == 5
    assert "Salary words" not in {rule["displayName"] for rule in rules}


def test_a_rule_says_what_it_does_where_and_when(google: Connect) -> None:
    rules = list_dlp_rules(google(), {})["rules"]
    rule = next(rule for rule in rules if rule["displayName"] == "Salary tables on paper")
    assert (rule["triggers"], rule["action"], rule["state"]) == (["print"], "AUDIT", "ACTIVE")
    assert rule["orgUnit"] == PAYROLL


def test_all_pages_are_read(google: Connect) -> None:
    assert len(list_dlp_rules(google(case="EC-015"), {})["rules"]) == 58


def test_a_new_rule_reads_back(google: Connect) -> None:
    wanted = {
        "displayName": "No passports",
        "trigger": "upload",
        "action": "BLOCK",
        "orgUnit": PAYROLL,
        "detector": "PASSPORT",
    }
    made = create_dlp_rule(google(), wanted)
    assert (made["created"], made["rules"]) == (True, 6)
    assert made["rule"]["name"].startswith("policies/")
    assert (made["rule"]["action"], made["rule"]["orgUnit"]) == ("BLOCK", PAYROLL)
