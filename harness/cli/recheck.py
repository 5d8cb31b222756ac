"""`understudy runs recheck`: what stored trials come to under other expectations or policies."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from harness.cli.options import RUNS, MaxInfra, ReportAsJson, ReportCopy, RunDir

if TYPE_CHECKING:
    from harness.model import Case
    from harness.runner import DecisionTerms, Flip, Range
    from harness.storage import RunFolder

_SHOWN = 20


def recheck(  # noqa: PLR0913  (one parameter an option)
    run: Annotated[
        str, typer.Argument(help="The run: its id or folder, or latest; or a results file.")
    ],
    *,
    suite: Annotated[
        Path | None,
        typer.Option(help="The suite with the expectations. (default: the suite of the run)"),
    ] = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="Use the expectations that the run had.")
    ] = False,
    policy: Annotated[
        str, typer.Option(help="When a case passes: all, majority, a share, or pass_hat:K:MIN.")
    ] = "",
    max_infra: MaxInfra = 0.05,
    run_dir: RunDir = RUNS,
    json_output: ReportCopy = None,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Print every trial, and every verdict that flipped."),
    ] = False,
    as_json: ReportAsJson = False,
) -> None:
    """Evaluate the stored trials of a run again, without an agent.

    They are checked against the suite's current expectations, or under another policy. Prompts and
    fixtures must be unchanged. The command lists verdicts that flip, and stores the new decisions
    beside the earlier ones, with their own reports. Exit codes are those of `understudy run`.

    A results file of the original review runner is evaluated again, too: its runs are checked
    against the ranges of --suite, or those in the file. Nothing is written.

    Example: understudy runs recheck latest --policy majority --stored
    """
    from harness.cli.options import run_path
    from harness.cli.run_output import (
        copy_report,
        only_json,
        print_report,
        show_result,
        write_reports,
    )
    from harness.errors import HarnessError
    from harness.runner import decide, find_flips
    from harness.storage import RunFolder
    from harness.verdicts import Limits, exit_code

    if Path(run).is_file():
        if as_json:
            raise HarnessError("a results file has no report.json: leave --json out")
        _recheck_results(Path(run), suite, policy)
    folder = RunFolder(run_path(run, run_dir))
    manifest = folder.manifest()
    before = folder.decisions(manifest.policy)
    held = _decision_terms(folder, suite, policy, stored=stored)
    limits = Limits(max_infra)
    result = decide(folder, limits, terms=held)
    below = f"rechecks/{folder.decisions_path(result.manifest.policy, result.manifest.cases).stem}"
    write_reports(result, folder, below=below)
    flips = find_flips(before, result.decisions)
    with only_json(as_json):
        show_result(result, verbose=verbose, alone=True)
        typer.echo(f"this recheck: {folder.place}/{below}")
        typer.echo(_flips_text(flips, known=before is not None, whole=verbose))
    if json_output is not None:
        copy_report(folder, json_output, below=below)
    folder.publish()
    if as_json:
        print_report(folder, below=below)
    raise typer.Exit(exit_code(result, limits))


def _decision_terms(
    folder: "RunFolder", suite: Path | None, policy: str, *, stored: bool
) -> "DecisionTerms":
    from harness.errors import HarnessError
    from harness.runner import DecisionTerms, read_policy

    if stored and suite is not None:
        raise HarnessError("--stored and --suite name two places for the expectations")
    first = folder.cases()
    cases = first if stored else _current_cases(folder, suite, first)
    return DecisionTerms(cases, read_policy(policy) if policy else None)


def _current_cases(
    folder: "RunFolder", suite: Path | None, first: "Sequence[Case]"
) -> "tuple[Case, ...]":
    from harness.cli.case_selection import suite_of, with_fault_profiles
    from harness.cli.run_output import show_warnings
    from harness.errors import HarnessError
    from harness.runner import check_recheckable, settings_of

    manifest = folder.manifest()
    path = suite or Path(manifest.suite)
    if not path.exists():
        hint = "name the suite with --suite, or keep the expectations of then with --stored"
        raise HarnessError(f"the suite {str(path)!r} of run {manifest.run} is not there", hint=hint)
    settings = settings_of(manifest)
    read = suite_of(path, keep_going=bool(manifest.left_out), variables=settings.variables)
    cases = with_fault_profiles(read.cases, settings.faults_matrix)
    here = {case.id for case in cases}
    gone = [case.id for case in first if case.id not in here]
    if gone:
        show_warnings([f"no longer in the suite, held against what they were: {', '.join(gone)}"])
    return check_recheckable(manifest, first, cases)


def _flips_text(found: "Sequence[Flip]", *, known: bool, whole: bool) -> str:
    if not known:
        return "the run had not been decided before"
    if not found:
        return "no verdict flipped"
    shown = found if whole else found[:_SHOWN]
    lines = [f"{_count_flips(found)} flipped:", *(f"  {_line(flip)}" for flip in shown)]
    more = len(found) - len(shown)
    return "\n".join([*lines, *([f"  and {more} more; --verbose lists them"] if more else [])])


def _count_flips(found: "Sequence[Flip]") -> str:
    verdicts = sum(flip.before != flip.after for flip in found)
    trials = sum(len(flip.trials) for flip in found)
    return f"{verdicts} verdicts, {trials} trials"


def _line(flip: "Flip") -> str:
    verdict = f"{flip.before} -> {flip.after}" if flip.before != flip.after else flip.after
    numbers = ", ".join(map(str, flip.trials[:8])) + (", ..." if len(flip.trials) > 8 else "")
    said = f"{flip.case}: {verdict}" + (f" (trials {numbers})" if numbers else "")
    return f"{said}: {' '.join(flip.reason.split())}" if flip.reason else said


def _recheck_results(path: Path, suite: Path | None, policy: str) -> NoReturn:
    """Decide a results file anew, and exit."""
    from harness.cli.review_output import is_original, read_results
    from harness.errors import Exit, HarnessError, reason_of
    from harness.reports import review_text, review_versus_text
    from harness.runner import read_policy

    try:
        original = is_original(path.read_bytes())
    except OSError as error:
        raise HarnessError(f"cannot read {str(path)!r}: {reason_of(error)}") from None
    if not original:
        hint = "name the run that wrote it: it keeps the trials"
        raise HarnessError(f"{str(path)!r} holds no runs that could be decided anew", hint=hint)
    ranges = _ranges(suite) if suite else {}
    before = read_results(path)
    after = read_results(path, read_policy(policy) if policy else None, ranges)
    typer.echo(review_text(after), nl=False)
    typer.echo(review_versus_text(before, after), nl=False)
    if late := [case.id for case in after.cases if case.passed is None]:
        typer.echo(f"exit 3: no valid run, for time limits: {', '.join(late)}")
        raise typer.Exit(Exit.INFRASTRUCTURE)
    raise typer.Exit(Exit.OK if all(case.passed for case in after.cases) else Exit.GATE_FAILED)


def _ranges(suite: Path) -> "dict[str, Range]":
    """Case to the number of observations that it expects."""
    from harness.cases import load_suite
    from harness.model import ObservationCount

    return {
        case.id: (item.min or 0, sys.maxsize if item.max is None else item.max)
        for case in load_suite(suite).cases
        for item in case.expect
        if isinstance(item, ObservationCount)
    }
