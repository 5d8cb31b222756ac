from xml.etree import ElementTree

from harness.reports.junit import junit_report
from tests.harness.example_run import example_run, good_run


def test_a_good_run() -> None:
    assert junit_report(good_run()) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="fixtures/example" tests="1" failures="0" errors="0" skipped="0"'
        ' time="0.010">\n'
        '  <testsuite name="policy" tests="1" failures="0" errors="0" skipped="0" time="0.010">\n'
        '    <testcase classname="policy" name="EC-001 Policy not applied" time="0.010"'
        ' file="cases/EC-001-policy.md">\n'
        "      <system-out>passed: 1/1 valid trials passed (1 pass)</system-out>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_failures_errors_and_skips_are_told_apart() -> None:
    root = ElementTree.fromstring(junit_report(example_run()))
    counts = [root.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["5", "2", "1", "1"]
    error = root.find(".//error")
    assert error is not None
    assert (error.get("type"), error.get("message")) == ("infrastructure", "connection refused")
    skipped = root.find(".//skipped")
    assert skipped is not None
    assert skipped.get("message") == "synthetic reply: the agent was not asked"


def test_a_failure_lists_every_reason_of_every_trial() -> None:
    root = ElementTree.fromstring(junit_report(example_run()))
    flaky = root.findall(".//failure")[0]
    assert flaky.text == (
        "trial 2: text_contains: the reply lacks 'dlp'\n"
        "trial 3: text_contains: the agent gave no reply to look at"
    )


def test_characters_that_xml_cannot_hold_are_escaped() -> None:
    run = good_run()
    odd = run.cases[0].model_copy(update={"title": "a\x00b\x1b<&\ufffe"})
    text = junit_report(run.model_copy(update={"cases": (odd,)}))
    test = ElementTree.fromstring(text).find(".//testcase")
    assert test is not None
    assert test.get("name") == "EC-001 a\\x00b\\x1b<&\\xfffe"
