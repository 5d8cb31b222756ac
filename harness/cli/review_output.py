"""Results files of review suites: read, written, printed; `understudy runs charts` draws them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.errors import HarnessError, plain_reason, reason_of

if TYPE_CHECKING:
    from harness.model import Policy, ReviewResults, RunResult
    from harness.runner import Range


def show_review(result: "RunResult") -> None:
    """Print what a run of a review suite comes to; nothing of other runs."""
    from harness.reports import review_text
    from harness.runner import is_review, review_results

    if is_review(result):
        typer.echo(review_text(review_results(result)), nl=False)


def write_results(result: "RunResult", path: Path) -> bool:
    """Write the results of a review suite, and its charts beside them.

    Returns:
        False where the run is of another kind; then nothing is written.

    Raises:
        HarnessError: A file cannot be written.
    """
    from harness.runner import is_review, review_results

    if not is_review(result):
        return False
    results = review_results(result)
    _write(path, (results.model_dump_json(indent=2) + "\n").encode())
    typer.echo(f"results in {path}")
    try:
        drawn = draw(results, path.parent)
    except HarnessError as error:  # the results are there; what is missing is told
        typer.echo(f"warning: {error}", err=True)
    else:
        typer.echo(f"charts in {path.parent}: {', '.join(each.name for each in drawn)}")
    return True


def read_results(
    path: Path, policy: "Policy | None" = None, ranges: "Mapping[str, Range] | None" = None
) -> "ReviewResults":
    """The results in a file, ours or the original review runner's.

    Args:
        path: The file.
        policy: When a case of the original runner's passes; else when all of its runs do.
        ranges: Of such a file: case to the observations that are expected now.

    Raises:
        HarnessError: It cannot be read, or holds something else.
    """
    from pydantic import ValidationError

    from harness.model import ReviewResults
    from harness.runner import OriginalResults, convert_original

    try:
        content = path.read_bytes()
        if is_original(content):
            written = OriginalResults.model_validate_json(content)
            return convert_original(written, path.stem, policy=policy, ranges=ranges)
        return ReviewResults.model_validate_json(content)
    except OSError as error:
        raise HarnessError(f"cannot read {str(path)!r}: {reason_of(error)}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "/".join(str(step) for step in first["loc"])
        raise HarnessError(
            f"{path}#/{place}: no results of a review suite: {plain_reason(first['msg'])}",
            hint="they are written by: understudy run SUITE --json-output FILE",
        ) from None


def is_original(content: bytes) -> bool:
    """Whether results are of the original review runner: a list `results` of `case_id`."""
    import orjson

    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        return False
    results = value.get("results") if isinstance(value, dict) else None
    first = results[0] if isinstance(results, list) and results else None
    return isinstance(first, dict) and "case_id" in first


def results_named(*names: str) -> "tuple[ReviewResults, ...]":
    """The results in the files of these names; nothing where they name no files but runs.

    Raises:
        HarnessError: A file cannot be read, or only one of the names is that of a file.
    """
    files = [Path(name) for name in names if Path(name).is_file()]
    if files and len(files) < len(names):
        raise HarnessError("a results file is compared with another one", hint="name two files")
    return tuple(read_results(path) for path in files)


def draw(results: "ReviewResults", folder: Path) -> list[Path]:
    """Write the charts into a folder.

    Raises:
        HarnessError: The extra is not installed, or a file cannot be written.
    """
    from harness.reports import REVIEW_CHARTS

    try:
        made = {name: chart(results) for name, chart in REVIEW_CHARTS.items()}
    except ImportError:
        hint = "pip install 'understudy[charts]'"
        raise HarnessError("charts need matplotlib, which is not installed", hint=hint) from None
    for name, content in made.items():
        _write(folder / name, content)
    return [folder / name for name in made]


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise HarnessError(f"cannot write {str(path)!r}: {reason_of(error)}") from None


def visualize(
    results: Annotated[
        Path, typer.Argument(help="A file that `understudy run --json-output` wrote.")
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The folder for the charts. (default: the folder of the results)"
        ),
    ] = None,
) -> None:
    """Draw the charts of a review suite's results.

    It writes latency_by_case.png, observation_counts.png, stability.png and pass_fail.png. Needs
    the extra `charts`.

    Example: understudy runs charts eval/results/results.json
    """
    for path in draw(read_results(results), output or results.parent):
        typer.echo(path)
