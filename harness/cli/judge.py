"""`understudy runs judge`: labels for a judge's verdicts, and what they say of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, ResamplingSeed, RunDir, RunName
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from harness.model import Calibration

judge = typer.Typer(
    name="judge",
    no_args_is_help=True,
    help="Measure how well a judge agrees with people.",
    rich_markup_mode=None,
)


@judge.command("labels")
def labels(
    run: RunName,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The table to write.")] = Path(
        "labels.csv"
    ),
    run_dir: RunDir = RUNS,
) -> None:
    """Write a table of the replies that the judge has judged, for people to label.

    The table has no verdicts. Fill in the column `label` with pass or fail.

    Example: understudy runs judge labels latest --output labels.csv
    """
    from harness.cli.options import run_path
    from harness.cli.report import write_elsewhere
    from harness.errors import HarnessError
    from harness.judge import blind_labels
    from harness.runner import judged_items
    from harness.storage import RunFolder

    if output.exists():
        raise HarnessError(f"{str(output)!r} is there already", hint="labels are not overwritten")
    items = [each.item for each in judged_items(RunFolder(run_path(run, run_dir)))]
    if not items:
        raise HarnessError("no judge was asked in this run", hint="understudy run --judge ...")
    write_elsewhere({output.name: blind_labels(items)}, output)
    typer.echo(f"{len(items)} replies in {output}; fill in the column label: pass or fail")


@judge.command("validate")
def validate(
    table: Annotated[Path, typer.Argument(help="The labelled table.")],
    *,
    seed: ResamplingSeed = 0,
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """Compare the judge with the labels, and store the calibration for reports.

    At least 20 labels must be fail. The calibration is valid for the same model and instructions;
    reports mark it where it is stale.

    Example: understudy runs judge validate labels.csv
    """
    from harness.cli.options import run_path
    from harness.errors import HarnessError, reason_of
    from harness.judge import read_labels
    from harness.runner import calibrate, judged_items
    from harness.storage import RunFolder, save_calibration

    try:
        text = table.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise HarnessError(f"{table}: is not UTF-8: byte {error.start} cannot be read") from None
    except OSError as error:
        raise HarnessError(f"cannot read {str(table)!r}: {reason_of(error)}") from None
    given = read_labels(text, str(table))
    runs = sorted({each.run for each in given})
    if len(runs) != 1:
        said = f"the labels are of {len(runs)} runs" if runs else "no label is filled in"
        raise HarnessError(said, hint="label the replies of one run: pass or fail")
    folder = RunFolder(run_path(runs[0], run_dir))
    found = calibrate(judged_items(folder), given, seed=seed)
    kept = save_calibration(folder.named.parent, found)
    if as_json:
        print_json(found)
        return
    typer.echo(_calibration_text(found), nl=False)
    typer.echo(f"kept in {kept}")


def _calibration_text(found: "Calibration") -> str:
    lines = [
        f"judge {found.model}, instructions {found.prompt}, {len(found.questions)} questions",
        f"accepts what people accept   {found.true_positive}/{found.positives}  {_rate(found.tpr)}",
        f"refuses what people refuse   {found.true_negative}/{found.negatives}  {_rate(found.tnr)}",
        "kappa {:.2f} ({:.2f} to {:.2f})".format(*found.kappa),
        f"pass rate as the judge says  {found.measured:.0%}",
    ]
    if found.corrected is None:
        lines.append("corrected pass rate          none: the judge does no better than chance")
    else:
        lines.append(f"corrected pass rate          {_rate(found.corrected)}")
    if found.noise is not None:
        lines.append(f"its own opinions differ on   {found.noise:.0%} of the replies")
    return "\n".join(lines) + "\n"


def _rate(value: tuple[float, float, float]) -> str:
    return "{:.0%} (95 % interval {:.0%} to {:.0%})".format(*value)
