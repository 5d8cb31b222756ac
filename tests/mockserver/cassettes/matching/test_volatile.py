import re

from mockserver.cassettes.matching import RULES, VOLATILE, Volatile, VolatileRule
from tests.documents import DOCS


def test_what_does_not_count_is_told_for_each_host() -> None:
    google = VOLATILE.of("admin.googleapis.com", "/admin/directory/v1/users")
    other = VOLATILE.of("api.example.com", "/users")
    assert "quotaUser" in google.query
    assert "quotaUser" not in other.query
    assert "_" in google.query & other.query


def test_a_rule_fits_paths_and_queries_that_it_names() -> None:
    assert VOLATILE.of("admin.googleapis.com", "/admin/reports/v1/activity").times
    assert not VOLATILE.of("admin.googleapis.com", "/admin/directory/v1/users").times
    signed = VOLATILE.of("s3.example.com", "/b/o?X-Amz-Signature=1&Expires=2")
    assert "Expires" in signed.query


def test_an_api_adds_rules_of_its_own() -> None:
    mine = Volatile([VolatileRule("*.example.com", body=("a.*.b",))])
    assert mine.of("api.example.com", "/").body == (("a", "*", "b"),)
    assert mine.of("example.org", "/").body == ()


def test_every_rule_says_why_and_its_pattern_can_be_read() -> None:
    for rule in RULES:
        assert rule.why
        assert re.compile(rule.target).groups >= 0
        assert rule.query or rule.body or rule.times


def test_the_documents_name_all_of_it() -> None:
    text = DOCS["replay"]
    named = {name for rule in RULES for name in (*rule.query, *rule.body, *rule.times) if name}
    assert {name for name in named if f"`{name}`" not in text} == set()
    assert {
        rule.host for rule in RULES if rule.host != "*" and f"`{rule.host}`" not in text
    } == set()


def test_many_hosts_do_not_fill_the_memory() -> None:
    table = Volatile()
    hosts = [f"h{number}.example.com" for number in range(600)]
    assert {table.of(host, "/").body for host in hosts} == {()}
    assert len(table._hosts) < 600
