from harness.model import Cluster, Comparison
from harness.reports.markdown import markdown_report
from harness.statistics import summarize
from tests.harness.example_run import example_run, good_run, synthetic_run


def test_a_good_run() -> None:
    assert markdown_report(good_run()) == (
        "## Run run-1\n\n"
        "Suite `fixtures/example`, agent `command:./agent.sh`  \n"
        "Cases passed: **1/1**  \n"
        "Trials passed: **1/1**\n\n"
        "| Category | Cases passed | Trials passed |\n"
        "|---|---|---|\n"
        "| policy | 1/1 | 1/1 |\n"
    )


def test_failures_stand_in_a_table_that_nothing_breaks() -> None:
    text = markdown_report(example_run())
    assert (
        "| EC-002 | Quota \\| &lt;exceeded&gt; | failed 0/1"
        " | schema mismatch, missing evidence, low rubric score"
        " | schema mismatch: missing fields: 'diagnosis', 'next_steps' |"
    ) in text
    assert "agent error 1, infrastructure 1\n- Flaky: EC-003\n" in text
    assert "- Faults never met: EC-002: reports.activities.list" in text
    assert "> after the prompt fix" in text
    assert "1. Tighten the case: " in text
    assert "- exit 3: " in text


def test_states_of_the_run_are_loud() -> None:
    assert "**SYNTHETIC: no agent was asked" in markdown_report(synthetic_run())
    assert "**INTERRUPTED: trials are missing.**" in markdown_report(example_run(interrupted=True))


def test_long_reasons_are_shortened() -> None:
    run = example_run()
    decision = run.decisions[1].model_copy(update={"reason": "x" * 1000})
    text = markdown_report(run.model_copy(update={"decisions": (*run.decisions[:1], decision)}))
    assert "x" * 299 + "…" in text
    assert "x" * 300 not in text


def test_figures_attribution_and_clusters_are_told() -> None:
    """CEP-82: whose failures they are and what they have in common, beside rates and clocks."""
    run = example_run()
    found = summarize(run.decisions, run.facts)
    cluster = Cluster(kind="text_contains", what="quota", cases=("EC-001", "EC-002"), trials=2)
    known = {"statistics": found, "clusters": (cluster,)}
    text = markdown_report(run.model_copy(update=known))
    assert "### Figures\n\n- mean rate " in text
    assert "- latency: " in text
    assert "- alike in 2 cases: text contains 'quota' (EC-001, EC-002)" in text
    replayed = run.manifest.model_copy(update={"options": {"replay": True}})
    assert "- latency: " not in markdown_report(
        run.model_copy(update={**known, "manifest": replayed})
    )


def test_the_comparison_with_the_baseline_is_told() -> None:
    found = Comparison(baseline="r0", candidate="run-1", verdict="not_worse")
    text = markdown_report(good_run().model_copy(update={"comparison": found}))
    assert "### Against r0\n\nNOT WORSE than the margin allows\n" in text
