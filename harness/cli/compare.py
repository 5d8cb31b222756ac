"""`understudy compare`: two runs beside each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, AllowRemoved, Margin, ResamplingSeed, RunDir
from mockserver.commands import AsJson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.model import Comparison
    from harness.reports import ComparedCase

FORMATS = ("text", "json", "markdown")


def compare(  # noqa: PLR0913  (one parameter an option)
    baseline: Annotated[str, typer.Argument(help="The earlier run: its id or folder, or latest.")],
    candidate: Annotated[str, typer.Argument(help="The later run.")],
    *,
    margin: Margin = 0.05,
    alpha: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="The probability of a false alarm.")
    ] = 0.05,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Also fail if the rate of any case fell by more than this."
        ),
    ] = None,
    allow_removed: AllowRemoved = False,
    explore: Annotated[
        bool,
        typer.Option(
            "--explore",
            help="Also list the cases that the Benjamini-Hochberg procedure finds: more cases, "
            "some of them false alarms.",
        ),
    ] = False,
    seed: ResamplingSeed = 0,
    run_dir: RunDir = RUNS,
    format: Annotated[
        str, typer.Option(help="text, json, or markdown for a comment on a pull request.")
    ] = "text",
    as_json: AsJson = False,
) -> None:
    """Compare two runs, case by case.

    Cases are matched by id and hash. The verdict is regressed, not worse (than the margin allows),
    or inconclusive, with the number of trials that would decide. The exit code is 4 for a
    regression, 5 if the runs have no case in common. Two results files of a review suite can be
    compared, too.

    The format markdown is made for a comment: gh pr comment --body-file comment.md.

    Example: understudy compare 20261120-101500-cae18a latest --margin 0.1
    """
    from harness.cli.options import run_path
    from harness.cli.review_output import results_named
    from harness.errors import Exit, HarnessError
    from harness.reports import review_versus_text
    from harness.runner import compare_outcomes, outcomes_of_review, stored_outcomes
    from harness.statistics import Terms
    from harness.verdicts import regression_reasons
    from mockserver.model import did_you_mean

    format = "json" if as_json else format
    if format not in FORMATS:
        raise HarnessError(f"unknown format {format!r}", hint=did_you_mean(format, FORMATS))
    terms = Terms(
        margin=margin,
        alpha=alpha,
        seed=seed,
        threshold=threshold,
        explore=explore,
        allow_removed=allow_removed,
    )
    reviews = results_named(baseline, candidate)
    sides = [
        outcomes_of_review(each, other) for each, other in zip(reviews, reviews[::-1], strict=True)
    ] or [stored_outcomes(run_path(name, run_dir)) for name in (baseline, candidate)]
    found = compare_outcomes(sides[0], sides[1], terms)
    about = {} if reviews or format != "markdown" else _about_cases(run_path(candidate, run_dir))
    typer.echo(_format_comparison(found, format, about), nl=False)
    if reviews and format == "text":
        typer.echo(review_versus_text(*reviews), nl=False)
    if regression_reasons(found):
        raise typer.Exit(Exit.REGRESSION)
    if not found.cases:
        raise typer.Exit(Exit.NO_VERDICT)


def _about_cases(path: Path) -> "dict[str, ComparedCase]":
    """The titles of a run's cases, and why they did not pass."""
    from harness.reports import ComparedCase
    from harness.storage import RunFolder

    folder = RunFolder(path)
    decided = folder.decisions(folder.manifest().policy) or ()
    reasons = {each.case: each.reason for each in decided}
    return {case.id: ComparedCase(case.title, reasons.get(case.id, "")) for case in folder.cases()}


def _format_comparison(
    found: "Comparison", format: str, about: "Mapping[str, ComparedCase]"
) -> str:
    from harness.reports import comparison_comment, versus_text

    if format == "json":
        return found.model_dump_json(indent=2) + "\n"
    return comparison_comment(found, about) if format == "markdown" else versus_text(found)
