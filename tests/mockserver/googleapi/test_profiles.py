"""The table of what profiles forgive and refuse."""

from pathlib import Path

import pytest

from mockserver.googleapi import PROFILE_RULES, Call, ProfileRule, forgives, profile_table, refuses
from mockserver.model import Profile
from tests.documents import DOCS
from tests.mockserver.googleapi.test_lists import call as paging_call

ROOT = Path(__file__).parents[3]
RULE = ProfileRule("a.list", "something", "taken", "taken", "400", "something (odd)")


def call(profile: Profile) -> Call:
    made = paging_call()
    made.profile = profile
    return made


def test_what_lenient_forgives_is_journalled() -> None:
    lenient, google = call("lenient"), call("google")
    assert forgives(lenient, RULE)
    assert lenient.ignored == ["something (odd)"]
    assert not forgives(google, RULE)
    assert google.ignored == []


def test_strict_alone_refuses_what_is_only_documented() -> None:
    profiles: tuple[Profile, ...] = ("lenient", "google", "strict")
    assert [refuses(call(profile), RULE) for profile in profiles] == [False, False, True]


@pytest.mark.parametrize("rule", PROFILE_RULES, ids=lambda rule: rule.sent)
def test_every_rule_makes_a_difference(rule: ProfileRule) -> None:
    assert len({rule.lenient, rule.google, rule.strict}) > 1


def test_the_docs_hold_the_table() -> None:
    assert profile_table() in DOCS["server"]


def test_no_api_looks_at_the_profile_beside_the_table() -> None:
    apis = ROOT / "mockserver" / "apis"
    found = {
        path.relative_to(apis).as_posix()
        for path in apis.rglob("*.py")
        if ".profile ==" in (text := path.read_text(encoding="utf-8")) or ".profile !=" in text
    }
    # credentials of others, which are believed but not under `strict`, are one row; the query
    # language is read in two ways
    assert found <= {"logging/methods.py", "oauth/methods.py"}
