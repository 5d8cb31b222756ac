from inline_snapshot import snapshot

from harness.reports.console import console_report
from tests.harness.example_run import example_run, good_run, synthetic_run


def test_a_good_run() -> None:
    assert console_report(good_run()) == snapshot("""\
run run-1, suite fixtures/example, agent command:./agent.sh

 category   cases passed   trials passed
 ───────────────────────────────────────
 policy     1/1            1/1

cases  1/1
trials 1/1
reports in runs/run-2
""")


def test_a_run_with_something_of_everything() -> None:
    """CEP-46, CEP-48, CEP-49"""
    assert console_report(example_run()) == snapshot("""\
run run-1, suite fixtures/example, agent command:./agent.sh
note: after the prompt fix

 category        cases passed                              trials passed
 ──────────────────────────────────────────────────────────────────────────────────────────────────
 policy          no pass rate                              no pass rate
 system          no pass rate (1 of 2 decided: 1           no pass rate (1 of 2 valid: 1 synthetic)
                 skipped)
 uncategorised   no pass rate (0 of 1 decided: 1           no pass rate (0 of 1 valid: 1 infra)
                 inconclusive)

FAILED EC-002 Quota | <exceeded>  0/1
    schema mismatch, missing evidence, low rubric score
    schema mismatch: missing fields: 'diagnosis', 'next_steps'
FLAKY EC-003 Sometimes  1/3
    missing text, agent error
    the reply lacks 'dlp'
INCONCLUSIVE EC-004 Lost  0/0
    infrastructure
    connection refused

What can be done:
  Improve the instructions: mend the agent's system prompt where several cases fail alike
  Adjust the prompt: say in the case file what the user would have said anyway
  Use retrieval or web search: let the agent look up the knowledge of the field it lacks
  Tighten the case: require the terms that a right answer cannot do without, and only those
  Adjust the fixture: hold exactly the data that the answer must name, and little else
  Add or improve tools: give the agent a way to the information that it lacks
  Mend the agent: it ended with an error or ran into its time limit; the trial holds the end of its
stderr
  Mend the surroundings: connection refused; the agent or the server could not be reached; such
trials say nothing about the agent

failure classes: schema mismatch 1, missing evidence 1, low rubric score 1, missing text 1, agent
error 1, infrastructure 1
flaky: EC-003
faults never met: EC-002: reports.activities.list
trials failed on account of: agent 3, infrastructure 1

cases  no pass rate (3 of 5 decided: 1 inconclusive, 1 skipped)
trials no pass rate (5 of 7 valid: 1 infra, 1 synthetic)
exit 3: 1 of 6 trials ended in infrastructure errors, more than the 5% allowed
exit 3: no valid trial, for infrastructure errors: EC-004
exit 5: inconclusive: EC-004
exit 1: 2 of 5 cases did not pass: EC-002, EC-003
reports in runs/run-1
""")


def test_verbose_lists_every_trial_and_check() -> None:
    text = console_report(example_run(), verbose=True)
    assert "    trial 2: fail\n      text_contains fail: the reply lacks 'dlp'\n" in text


def test_colours_are_asked_for() -> None:
    assert "\x1b[" in console_report(example_run(), color=True)
    assert "\x1b[" not in console_report(example_run())


def test_states_of_the_run_are_loud() -> None:
    assert "SYNTHETIC: no agent was asked" in console_report(synthetic_run())
    assert "INTERRUPTED: trials are missing" in console_report(example_run(interrupted=True))


def test_an_agent_cannot_steer_the_terminal() -> None:
    run = example_run()
    decision = run.decisions[1].model_copy(update={"reason": "x\x1b[2J\n[red]y"})
    text = console_report(run.model_copy(update={"decisions": (decision,)}))
    assert "    x\\x1b[2J [red]y\n" in text
