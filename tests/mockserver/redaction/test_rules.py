"""Rules that hold together, and those of users."""

import re
from typing import Any

import pytest

from mockserver.model import Json, JsonObject
from mockserver.redaction import Redactor, Rule, RuleSet, normalised_name, parse_rules
from mockserver.redaction.rules import _accept as accept_rules

BADGE: JsonObject = {"name": "badge", "kind": "badge", "pattern": "B-([0-9]{6})"}


def test_a_rule_of_a_user_is_found() -> None:
    redactor = Redactor(RuleSet.parse({"rules": [BADGE]}), b"k")
    number = redactor.redact_text("B-123456").removeprefix("B-")
    assert number != "123456"
    assert redactor.redact_text("badge B-123456, C-123456") == f"badge B-{number}, C-123456"


def test_a_rule_is_read_with_all_that_it_says_and_no_more() -> None:
    lists: dict[str, Json] = {
        "fields": ["Badge-No", "~Pass"], "collections": ["badges"], "beside": ["A_b"],
        "apart": ["c"], "within": ["d"],
    }  # fmt: skip
    more: dict[str, Json] = {
        "check": "luhn",
        "about": "x",
        "credential": True,
        "keep": True,
        "optional": True,
    }
    assert parse_rules([BADGE, {**BADGE, "name": "b", **lists, **more}]) == (
        Rule("badge", "badge", pattern="B-([0-9]{6})"),
        Rule("b", "badge", ("badgeno", "~pass"), "B-([0-9]{6})", ("badges",), ("ab",), ("c",),
             ("d",), "luhn", credential=True, keep=True, optional=True, about="x"),
    )  # fmt: skip


def test_a_field_of_a_user_is_found_in_any_writing() -> None:
    rules = RuleSet.parse({"rules": [{"name": "b", "kind": "badge", "fields": ["Badge_No"]}]})
    assert Redactor(rules, b"k").redact_json({"badgeNo": "B-1"}) != {"badgeNo": "B-1"}


def test_a_field_of_a_query_alone() -> None:
    rules = RuleSet.parse({"rules": [{"name": "b", "kind": "badge", "fields": ["?Badge_No"]}]})
    redactor = Redactor(rules, b"k")
    assert redactor.redact_json({"badgeNo": "B-x"}) == {"badgeNo": "B-x"}
    assert "B-x" not in redactor.redact_target("/x?badgeNo=B-x")


def test_a_rule_may_be_off_or_changed() -> None:
    off = Redactor(RuleSet.parse({"off": ["email"]}), b"k")
    assert off.redact_text("ada@corp.io") == "ada@corp.io"
    mine = RuleSet.parse({"rules": [{"name": "email", "kind": "email", "fields": ["x"]}]})
    assert [rule.name for rule in mine.rules].count("email") == 1


def test_rules_of_apis_come_first_and_take_the_place_of_ours() -> None:
    own = [Rule("a", "a", ("a",)), Rule("email", "x", ("x",))]
    rules = RuleSet.default().with_rules_before(own)
    assert rules.rules[:2] == tuple(own)
    assert [rule.name for rule in rules.rules].count("email") == 1
    assert rules.rules_for_field("x")[0].kind == "x"


def test_names_are_found_by_glob_and_remembered() -> None:
    rules = RuleSet.default()
    assert rules.rules_for_field("oldPassword")[0].kind == "password"
    assert rules.rules_for_field("oldPassword") is rules.rules_for_field("oldPassword")
    assert rules.collections["projects"].kind == "project"
    assert hash(rules) == hash(RuleSet.default())


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"rulez": []}, "'rulez' is not known"),
        ({"off": ["emial"]}, "no rule 'emial'; the nearest is email"),
        ({"off": "email"}, "off: a list of texts"),
        ({"rules": {}}, "a list of rules"),
        ({"rules": ["x"]}, r"rules\[0\]: a mapping"),
        ({"rules": [{"name": "a", "kind": "b", "feilds": ["x"]}]}, "'feilds' is not known"),
        ({"rules": [{"kind": "b", "fields": ["x"]}]}, r"rules\[0\].name: a text"),
        ({"rules": [{"name": "a", "kind": "b"}]}, "fields, pattern or collections"),
        ({"rules": [{"name": "a", "kind": "B 1", "fields": ["x"]}]}, "kind: a word"),
        ({"rules": [{"name": "a", "kind": "b", "fields": ["x"], "check": "y"}]}, "check: 'y'"),
        ({"rules": [{"name": "a", "kind": "b", "pattern": "("}]}, "not an RE2 expression"),
        ({"rules": [{"name": "a", "kind": "b", "pattern": "(a)(b)"}]}, "one group at most"),
        ({"rules": [{"name": "a", "kind": "b", "pattern": "a*"}]}, "empty text"),
        ({"rules": [{"name": "a", "kind": "b", "fields": [1]}]}, "list of texts"),
        ({"rules": [BADGE, BADGE]}, "'badge' is there twice"),
    ],
)
def test_a_rule_that_cannot_be_says_why(document: JsonObject, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RuleSet.parse(document)


def test_every_rule_has_its_own_name_and_a_phrase() -> None:
    rules = RuleSet.default().rules
    assert len({rule.name for rule in rules}) == len(rules)
    assert all(rule.about for rule in rules)


def test_the_default_rules_pass_the_examination_of_users_rules() -> None:
    written: list[Json] = [
        {"name": rule.name, "kind": rule.kind, "pattern": rule.pattern, "check": rule.check}
        for rule in RuleSet.default().rules
        if rule.pattern
    ]
    assert len(parse_rules(written)) == len(written)


@pytest.mark.parametrize("name", ["access_token", "accessToken", "Access-Token", "$access.token"])
def test_the_writing_of_a_name_does_not_count(name: str) -> None:
    assert normalised_name(name) == "accesstoken"


@pytest.mark.parametrize(
    ("provided", "why"),
    [
        ([Rule("a", "b", fields=("x",)), Rule("a", "c", fields=("y",))], "[0].name: there is"),
        ([Rule("a", "b", fields=("x",)), Rule("email", "c", fields=("y",))], "[1].name: there is"),
        ([Rule("a", "b", fields=("x",), keep=True)], "[0].keep: only a user"),
        ([Rule("a", "b")], "[0]: fields, pattern or collections"),
        (["a"], "Rule"),
        ({}, "an object of type dict, and no tuple of rules"),
    ],
)
def test_a_plug_in_only_adds_rules(provided: Any, why: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(why)):
        accept_rules("mine", provided)


def test_a_rule_of_a_plug_in_is_as_one_of_a_user() -> None:
    given = (Rule("a", "badge", fields=("Badge_No",)), Rule("c", "badge", fields=("y",)))
    names = [rule.fields for rule in accept_rules("mine", given)]
    assert names == [("badgeno",), ("y",)]
