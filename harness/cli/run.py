"""`understudy run`: puts an agent through a suite, trial by trial, and reports."""

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from harness.agents import starts_program
from harness.cli.options import RUNS, run_path
from harness.cli.run_options import RunOptions, options_given, with_run_options
from harness.errors import Exit, HarnessError, InvalidCasesError

if TYPE_CHECKING:
    from harness.model import RunResult
    from harness.runner import BaselineGate
    from harness.storage import RunFolder


PROJECT = Path("understudy.yaml")
KEYS = {
    "suite": "a path",
    "agent": "an agent, such as command:./agent.sh",
    "trials": "a number of trials",
    "intercept": "true or false",
    "tunnel": "a list of hosts",
    "env": "a list of variables, NAME or NAME=VALUE",
}
"""Options that the file may set, and what each must be; the type is that of `RunOptions`."""

_OF_PROGRAMS = frozenset({"intercept", "tunnel", "env"})
"""What is said of the agent's own process; no other agent has one."""


def with_project(options: RunOptions, given_options: Collection[str]) -> RunOptions:
    """Options completed by the project's file; those of the command line come first.

    A run whose suite is named is none of the project's.

    Raises:
        InvalidCasesError: The file cannot be read, or says what it may not.
    """
    is_other = options.suite is not None or options.cases is not None or options.resume
    if is_other or not PROJECT.is_file():
        return options
    said = _read()
    agent = options.agent if "agent" in given_options else said.get("agent")
    left_out = set(given_options)
    if not starts_program(str(agent)) or options.mock:
        left_out |= _OF_PROGRAMS
    if options.replay or options.intercept is False:
        left_out.add("tunnel")
    changes = {name: value for name, value in said.items() if name not in left_out}
    if "env" in changes:
        changes["env"] = [each for each in changes["env"] if "=" in each or each in os.environ]
    return replace(options, **changes)


def _read() -> dict[str, Any]:
    from pydantic import TypeAdapter
    from pydantic_core import to_json

    from harness.documents import Findings, read_yaml

    findings = Findings()
    document = read_yaml(PROJECT, findings)
    said: Any = {} if document is None else document.value
    if document is not None and not isinstance(said, dict):
        findings.error(document.where(), "expected an object, such as `suite: evals`")
        said = {}
    types = get_type_hints(RunOptions)
    read: dict[str, Any] = {}
    for name, value in said.items():
        where = document.where((name,)) if document is not None else str(PROJECT)
        if name not in KEYS:
            findings.error(where, f"unknown key {name!r}", f"there are {', '.join(KEYS)}")
            continue
        try:
            read[name] = TypeAdapter(types[name]).validate_json(to_json(value), strict=True)
        except ValueError:
            read[name] = None
        if read[name] is None:
            findings.error(where, f"{name!r} must be {KEYS[name]}, not {value!r}")
    if findings.problems:
        raise InvalidCasesError(findings.problems)
    return read


_WORTHY = (Exit.OK, Exit.GATE_FAILED)


def read_baseline_gate(options: RunOptions) -> "BaselineGate | None":
    """The baseline that the options name; None without one.

    Raises:
        HarnessError: It cannot be read, or is not there and not about to be made.
    """
    if not options.baseline:
        return None
    from harness.runner import BaselineGate, read_baseline, stored_outcomes
    from harness.statistics import Terms

    terms = Terms(
        margin=options.margin, threshold=options.threshold, allow_removed=options.allow_removed
    )
    file = _baseline_file(options)
    if file is None:
        return BaselineGate(stored_outcomes(run_path(options.baseline, options.run_dir)), terms)
    if file.is_file():
        return BaselineGate(read_baseline(file), terms)
    if options.save_baseline:
        return None
    raise HarnessError(f"no baseline at {str(file)!r}", hint="make it with --save-baseline")


def save_baseline(result: "RunResult", options: RunOptions, code: Exit) -> None:
    """Let a run be the baseline of later ones, when it has a verdict and no regression.

    Raises:
        HarnessError: It cannot be written.
    """
    if code not in _WORTHY or any(r.code == Exit.REGRESSION for r in result.exit_reasons):
        typer.echo("the baseline stays as it was: this run regressed or has no verdict", err=True)
        return
    file = _baseline_file(options)
    if file is not None:
        from harness.runner import write_baseline

        write_baseline(file, result)
        typer.echo(f"baseline saved in {file}")
        return
    from harness.cli.run_execution import time_of_day
    from harness.runner import timestamp
    from harness.storage import promote

    set_at = timestamp(time_of_day())
    made = promote(options.run_dir, Path(result.folder), set_at=set_at, note=options.note)
    typer.echo(f"run {made.run} is the baseline of {made.suite}")


def _baseline_file(options: RunOptions) -> Path | None:
    """The file that --baseline names, where it names one and no run."""
    return Path(options.baseline) if options.baseline.endswith(".json") else None


@with_run_options
def run(ctx: typer.Context, options: RunOptions) -> None:
    """Run an agent against a suite, and report the results.

    Each trial has its own session of the mock server. The run directory stores every trial; reports
    and the exit code are computed from it. Exit codes: 0 every gate passed, 1 a case failed, 2
    usage or invalid cases, 3 infrastructure, 4 regression, 5 no verdict, 130 interrupted (finish it
    with --resume).

    Example: understudy run fixtures/chrome-enterprise --agent "command:./agent.sh" -n 3

    Example: understudy run fixtures/travel -a model:openai/gpt-5 -a model:openai/gpt-5-mini

    Example: CHAT_URL=http://localhost:3100/api/chat understudy run fixtures/chrome-enterprise
    """
    given = options_given(ctx)
    raise typer.Exit(execute(with_project(options, given), given))


@dataclass(frozen=True)
class FinishedRun:
    """A run that was decided, whose reports are written.

    Attributes:
        result: What came of it.
        options: What was asked for.
        code: The exit code.
        folder: The run's own.
    """

    result: "RunResult"
    options: RunOptions
    code: int
    folder: "RunFolder"

    def copy(self) -> None:
        """Write the further reports that were asked for, and send all to the run's store.

        Raises:
            HarnessError: One cannot be written; the run and its own reports are kept.
            StoreDownError: The run is in a store that cannot be used now.
        """
        from harness.cli.report import named_formats, write_further
        from harness.cli.review_output import write_results
        from harness.cli.run_output import copy_report
        from harness.storage import place_of

        wanted = self.options.json_output
        if wanted is not None and not write_results(self.result, wanted):
            copy_report(self.folder, wanted)
        write_further(self.result, named_formats(self.options.report))
        self.folder.publish()
        if self.folder.mirror:
            typer.echo(f"stored in {place_of(self.folder.path)}", err=self.options.as_json)

    def show(self) -> None:
        """Print the table, what differs from an earlier run, and what to do next."""
        from harness.cli.review_output import show_review
        from harness.cli.run_output import show_result
        from harness.model import trial_shapes

        options = self.options
        chosen = (options.ids, options.category, options.tags, options.limit, options.shard)
        show_result(
            self.result,
            verbose=options.verbose,
            filtered=any(chosen),
            alone=bool(options.shard),
        )
        show_review(self.result)
        broken = {"infra_error", "agent_error"}
        if options.serve and any(
            shape.status in broken
            for each in self.result.decisions
            for shape in trial_shapes(each.trials)
        ):
            typer.echo(f"what the agent's server printed: {options.run_dir / 'agent-server.log'}")


def execute(options: RunOptions, given_options: Collection[str] = ()) -> int:
    """Run a suite as the options say; print the table, write the reports.

    Args:
        options: What was said.
        given_options: The names of the options that were given on the command line.

    Returns:
        The exit code; of several runs the one that wins.

    Raises:
        HarnessError: Nothing could be run.
    """
    from harness.cli.run_output import only_json, print_report

    if options.further_agents:
        return _execute_each(options, given_options)
    with only_json(options.as_json):
        finished = complete(options, given_options)
        finished.show()
        finished.copy()
    if options.as_json:
        print_report(finished.folder)
    return finished.code


_OF_ONE = {
    "resume": "--resume",
    "baseline": "--baseline",
    "save_baseline": "--save-baseline",
    "json_output": "--json-output",
    "as_json": "--json",
    "serve": "--serve",
}
"""What is about a single run."""


def _execute_each(options: RunOptions, given_options: Collection[str]) -> int:
    """Run a suite with one agent after the other, and print one table."""
    from harness.cli.side_by_side import table_text
    from harness.verdicts import winning_code

    if named := [flag for name, flag in _OF_ONE.items() if getattr(options, name)]:
        hint = "give one --agent, or leave it out"
        raise HarnessError(f"{named[0]} is about one run, not several agents", hint=hint)
    import asyncio

    from harness.cli.run_execution import check_agent

    agents = (str(options.agent), *options.further_agents)
    for agent in agents:
        asyncio.run(check_agent(replace(options, agent=agent, further_agents=())))
    done: list[FinishedRun] = []
    for agent in agents:
        finished = complete(replace(options, agent=agent, further_agents=()), given_options)
        finished.show()
        finished.copy()
        done.append(finished)
        if finished.code == Exit.INTERRUPTED:
            break
    typer.echo("")
    typer.echo(table_text([each.result for each in done]), nl=False)
    runs = " ".join(each.result.manifest.run for each in done)
    kept = "" if options.run_dir == RUNS else f" --run-dir {options.run_dir}"
    typer.echo(f"again: understudy runs compare {runs}{kept} --format markdown")
    return winning_code(each.code for each in done)


def complete(options: RunOptions, given_options: Collection[str] = ()) -> FinishedRun:
    """The same, but for the table.

    Raises:
        HarnessError: Nothing could be run.
    """
    import asyncio  # costs a third of the start of `harness --help`

    from harness.cli.report import named_formats
    from harness.cli.run_execution import perform_new, perform_run
    from harness.cli.run_output import check_db
    from harness.cli.run_preparation import prepare_resumed
    from harness.cli.run_workers import check_workers

    check_workers(options)
    named_formats(options.report)
    check_db(options.db)
    gate = read_baseline_gate(options)  # what cannot be read is told before anything is run
    if options.resume:
        performed = perform_run(prepare_resumed(options, given_options), options, gate)
    else:
        performed = perform_new(options, gate)
    return conclude(asyncio.run(performed), options, gate)


def conclude(
    folder: "RunFolder", options: RunOptions, gate: "BaselineGate | None" = None
) -> FinishedRun:
    """Decide a run that was performed, and write its reports.

    Raises:
        HarnessError: Something in its directory cannot be read.
    """
    from harness.cli.run_output import index_run, write_reports
    from harness.runner import decide
    from harness.verdicts import Limits, exit_code

    limits = Limits(
        options.max_infra,
        min_stability=options.min_stability,
        allow_empty=options.allow_empty,
    )
    result = decide(folder, limits, gate)
    write_reports(result, folder)
    index_run(folder, options.db)
    code = exit_code(result, limits)
    if options.save_baseline:
        save_baseline(result, options, code)
    return FinishedRun(result, options, code, folder)
