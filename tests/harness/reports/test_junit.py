from xml.etree import ElementTree

from harness.model import TextContains
from harness.reports.junit import junit_report
from tests.harness.example_run import example_run, good_run
from tests.harness.records import case, decided, manifest, record


def test_a_good_run() -> None:
    assert junit_report(good_run()) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="fixtures/example" tests="1" failures="0" errors="0" skipped="0"'
        ' time="0.010">\n'
        '  <testsuite name="policy" tests="1" failures="0" errors="0" skipped="0" time="0.010">\n'
        "    <properties>\n"
        '      <property name="run" value="run-1" />\n'
        '      <property name="suite" value="fixtures/example" />\n'
        '      <property name="agent" value="command:./agent.sh" />\n'
        "    </properties>\n"
        '    <testcase classname="policy" name="EC-001 Policy not applied" time="0.010"'
        ' file="cases/EC-001-policy.md">\n'
        "      <properties>\n"
        '        <property name="verdict" value="passed" />\n'
        '        <property name="trials passed" value="1/1" />\n'
        '        <property name="tags" value="inheritance" />\n'
        '        <property name="trial 1" value="pass, 0.010 s" />\n'
        "      </properties>\n"
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


def test_trials_that_failed_in_a_case_that_passed_are_flaky_failures() -> None:
    run = decided(
        manifest(["A"], policy={"pass": "majority"}, trials={"A": 3}),
        [case(TextContains(needles=("x",)), id="A")],
        [record("x", case="A"), record("y", case="A", number=2), record("x", case="A", number=3)],
    )
    root = ElementTree.fromstring(junit_report(run))
    (flaky,) = root.findall(".//flakyFailure")
    assert (flaky.get("type"), flaky.get("message")) == ("missing text", "the reply lacks 'x'")
    assert root.get("failures") == "0"


def test_a_reply_cannot_end_the_document() -> None:
    run = example_run()
    trial = run.decisions[1].trials[0].model_copy(update={"reason": "]]></failure><x/>"})
    odd = run.decisions[1].model_copy(update={"trials": (trial,), "reason": "]]></failure><x/>"})
    text = junit_report(run.model_copy(update={"decisions": (run.decisions[0], odd)}))
    assert ElementTree.fromstring(text).find(".//x") is None


def test_the_text_is_what_a_writer_of_trees_makes_of_it() -> None:
    for made in (example_run(), good_run()):
        text = junit_report(made)
        tree = ElementTree.fromstring(text)
        assert text.partition("\n")[2] == ElementTree.tostring(tree, "unicode") + "\n"
