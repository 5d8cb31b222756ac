"""`understudy promote`: a trial, a trace or a recorded program becomes a case."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, RunDir

if TYPE_CHECKING:
    from harness.storage import RunFolder
    from mockserver.traces.agent_traces import AgentTrace


def promote(  # noqa: PLR0913  (one parameter an option)
    run: Annotated[
        str,
        typer.Argument(
            help="A run: its folder, its id, or `latest`; a file of traces; or the cassette of a"
            " program."
        ),
    ],
    case: Annotated[
        str,
        typer.Argument(
            help="The case of the run; of a file with several traces, the id of one; not for a"
            " cassette."
        ),
    ] = "",
    *,
    why: Annotated[
        str,
        typer.Option(
            help="What was wrong, such as 'refunded twice': any trial is promoted then, whatever"
            " its verdict."
        ),
    ] = "",
    trial: Annotated[
        int | None,
        typer.Option("--trial", help="The number of the trial. (default: the first that failed)"),
    ] = None,
    into: Annotated[
        Path, typer.Option("--into", help="The suite of YAML cases to add it to.")
    ] = Path("fixtures/regressions"),
    id: Annotated[
        str,
        typer.Option(
            "--id",
            help="The id of the new case. (default: CASE-regression, or the cassette's name)",
        ),
    ] = "",
    suite: Annotated[
        Path | None, typer.Option("--suite", help="The folder of the run's suite, if it was moved.")
    ] = None,
    redaction: Annotated[
        Path | None,
        typer.Option(help="For traces: your own redaction rules; ./redaction.yaml by default."),
    ] = None,
    run_dir: RunDir = RUNS,
) -> None:
    """Turn a trial, a trace or a recorded program into a case.

    It writes the prompt, the expectations and all fixtures of a trial as a case, tagged
    `regression`, into a suite of YAML cases; a case without a reference gets that of a trial that
    passed. It overwrites nothing, and says what the case finds wrong with the trial.

    A trace, or a trial of imported results, becomes a case as `understudy learn` makes it. With
    --why, a write that was made again with the same arguments is expected once.

    A cassette that `understudy record` wrote becomes a case that replays it: the task is the
    program's input, and the case expects the program's last output and its exit code.

    Example: understudy promote latest EC-047 --into fixtures/regressions

    Example: understudy promote trace.json --why "refunded twice" --into evals

    Example: understudy promote booking.yaml --into evals
    """
    from harness.cli.options import run_path
    from harness.errors import HarnessError
    from harness.storage import RunFolder

    file = Path(run)
    if file.is_file():
        from harness.learning import trace_in

        trace = None if file.suffix.lower() in _YAML else trace_in(file, case)
        if trace is not None:
            _promote_trace(trace, into, id, why, redaction)
        else:
            _promote_program(file, into, id, others=bool(case or trial or suite or why))
        return
    if not case:
        raise HarnessError(
            "no case is named", hint="promote RUN CASE, promote TRACES, or promote CASSETTE"
        )
    folder = RunFolder(run_path(run, run_dir))
    trace = _recorded_trace(folder, case, trial, why)
    if trace is not None:
        _promote_trace(trace, into, id or f"{case}-regression", why, redaction)
        return
    _promote_trial(folder, case, trial, into, id or f"{case}-regression", suite, why)


_YAML = frozenset({".yaml", ".yml"})


def _recorded_trace(
    folder: "RunFolder", case: str, number: int | None, why: str
) -> "AgentTrace | None":
    """The trace of a trial whose world no snapshot is; None for a trial that has a suite."""
    from harness.doctor import promoted_trial
    from harness.learning import trace_of_trial
    from harness.verdicts import decide_trial

    asked = next((each for each in folder.cases() if each.id == case), None)
    if asked is None or (folder.manifest().origin is None and not asked.fixtures.cassettes):
        return None
    records = {record.number: record for record in folder.records().of(case)}
    decided = [decide_trial(asked, record) for record in records.values()]
    chosen = promoted_trial(decided, number, why)
    return trace_of_trial(asked, records[chosen.number])


def _promote_trace(trace: "AgentTrace", into: Path, id: str, why: str, rules: Path | None) -> None:
    from harness.errors import HarnessError
    from harness.learning import Groups, LearnTerms, learn_suite, why_not_kept

    if problem := why_not_kept(trace):
        raise HarnessError(f"{trace.place}: trace {trace.id}: {problem}")
    groups = Groups(1)
    groups.add(trace)
    made = learn_suite(groups, into, LearnTerms(append=True, rules=rules, why=why, id=id))
    for name in made.cases:
        typer.echo(str(into / "cases" / f"{name}.yaml"))
    if made.covered:
        typer.echo(f"{into} covers such a trace already; --why adds it in any case")
        return
    _show_caught(made.caught)
    typer.echo(f"next: understudy run {into} --agent oracle, then look at what is proposed")


def _show_caught(reasons: "Sequence[str]") -> None:
    """Say what a case finds wrong with what it was made of."""
    for reason in reasons:
        typer.echo(f"it would have caught: {reason}")
    if not reasons:
        typer.echo("as it stands, it would have passed: add what should have been otherwise")


def _promote_trial(
    folder: "RunFolder",
    case: str,
    trial: int | None,
    into: Path,
    id: str,
    suite: Path | None,
    why: str,
) -> None:
    from harness.doctor.promotion import promote_trial, write_regression_case

    promoted = promote_trial(folder, case, trial, id, suite, why)
    made = promoted.case
    for path in write_regression_case(made, promoted.world, into):
        typer.echo(str(path))
    _show_caught(promoted.caught)
    if not made.reference:
        typer.echo(f"{made.id} has no reference: write one, so that it is known to be passable")
    typer.echo(f"next: understudy doctor {into} --agent none")


def _promote_program(cassette: Path, into: Path, id: str, *, others: bool) -> None:
    import shlex

    from harness.doctor.promotion import promote_program
    from harness.errors import HarnessError

    if others:
        raise HarnessError(
            f"{cassette} is a cassette, not a run", hint="leave CASE, --trial and --suite out"
        )
    program, files = promote_program(cassette, into, id)
    for path in files:
        typer.echo(str(path))
    agent = shlex.quote(f"command:{shlex.join(program.command)}")
    typer.echo(f"next: understudy replay {into} --agent {agent}")
