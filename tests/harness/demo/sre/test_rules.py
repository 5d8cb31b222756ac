from datetime import datetime

import pytest

from harness.demo.google import Access
from harness.demo.sre import rules
from harness.demo.sre.cloud import Cloud
from harness.demo.sre.flaws import SreFlaws
from harness.demo.sre.toolbox import Toolbox


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("What time is it?", rules.current_time),
        ("Which projects are there?", rules.projects),
        ("Which team owns shop-prod?", rules.project),
        ("Any ALERT?", rules.alerts),
        (f"Show trace {'a' * 32}", rules.one_trace),
        ("Why is checkout slow?", rules.slowness),
        ("What is its p95?", rules.percentile),
        ("What share of requests fails?", rules.failures),
        ("What broke?", rules.incident),
        ("What should we do first?", rules.first_step),
    ],
)
def test_a_question_has_its_rule(question: str, rule: rules.Rule) -> None:
    assert rules.rule_of(question) is rule


def _no_time() -> datetime:
    raise AssertionError("no question here is about the time")


def test_some_questions_have_none() -> None:
    assert rules.rule_of("Hello") is None


def test_an_agent_that_asks_no_metrics_has_no_numbers(shop: Access) -> None:
    tools = Toolbox(Cloud(shop, "shop-prod"), _no_time, SreFlaws(skips_tool=True))
    told = [
        rule(tools, "?") for rule in (rules.percentile, rules.failures, rules.traffic, rules.memory)
    ]
    assert "an unknown number of s" in told[0]
    assert told[1].startswith("an unknown share of the requests")
    assert "an unknown number of requests" in told[2]
    assert "nothing that I know of" in told[3]


def test_an_agent_that_asks_elsewhere_finds_nothing_slow_or_open(shop: Access) -> None:
    tools = Toolbox(Cloud(shop, "shop-prod"), _no_time, SreFlaws(wrong_tool=True))
    assert "No slow trace" in rules.slowness(tools, "?")
    assert rules.alerts(tools, "?") == "No alert is open."


def test_where_nothing_happened_nothing_is_told(shop: Access) -> None:
    tools = Toolbox(Cloud(shop, "shop-staging"), _no_time)
    assert rules.deployment(tools, "?") == "No deployment is in the audit log."
    assert rules.killed(tools, "?").startswith("0 log lines")
    assert "I need its id" in rules.one_trace(tools, "Show a trace")
