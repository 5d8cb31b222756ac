"""Charts of a review suite's results as PNG, drawn by matplotlib (extra `charts`).

The same results make the same bytes with the same version of matplotlib.
"""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from harness.model import ObservationCount, ReviewCaseResult, ReviewCheck, ReviewResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Chart = Callable[[ReviewResults], bytes]

_BLUE, _GREY, _GREEN, _RED, _AMBER = "#3b6ea5", "#8a8a8a", "#5aa469", "#c8553d", "#e0a458"
_COLUMNS = (
    "schema",
    ObservationCount.kind_name(),
    "expected_severity",
    "expected_ref",
    "expected_error_code",
)
_TITLES = ("schema", "count", "severities", "refs", "error code")
_DARK = 0.35
_COLOURS = {"P": _GREEN, "F": _RED, "-": "#e4e4e4"}


def latency_chart(results: ReviewResults) -> bytes:
    """Mean latency of each case as a bar, with what lies between it and the p95 above it."""
    figure, axes = _canvas(results)
    cases = results.cases
    means = [case.latency.mean or 0.0 for case in cases]
    above = [
        max(0.0, (case.latency.p95 or mean) - mean) for case, mean in zip(cases, means, strict=True)
    ]
    axes.bar(
        range(len(cases)), means, color=_BLUE, yerr=[[0.0] * len(cases), above], capsize=4,
        ecolor=_GREY,
    )  # fmt: skip
    _ticks(axes, [case.id for case in cases])
    for place, case in enumerate(cases):
        if case.latency.mean is None:
            axes.text(place, 0, case.status, ha="center", va="bottom", fontsize=8, color=_GREY)
    axes.set_ylabel("milliseconds")
    axes.set_title("Latency by case: mean, and up to p95")
    return _png(figure)


def observation_chart(results: ReviewResults) -> bytes:
    """Mean number of observations of each case, its runs as dots, the expected range beside it."""
    figure, axes = _canvas(results)
    cases = [case for case in results.cases if not case.expect_error]
    for place, case in enumerate(cases):
        counts = [count for count in case.observations if count is not None]
        axes.bar(place, sum(counts) / len(counts) if counts else 0, color=_BLUE, width=0.6)
        axes.scatter([place] * len(counts), counts, color="black", s=12, zorder=3)
        low, high = _range(case)
        if low is not None or high is not None:
            top = high if high is not None else max([*counts, low or 0])
            axes.plot(
                [place + 0.38] * 2,
                [low or 0, top],
                color=_AMBER,
                linewidth=4,
                solid_capstyle="butt",
            )
    _ticks(axes, [case.id for case in cases])
    axes.set_ylabel("observations")
    axes.set_title("Observations: mean, runs (dots), expected range (beside)")
    return _png(figure)


def _range(case: ReviewCaseResult) -> tuple[int | None, int | None]:
    for check in case.checks:
        if check.check == ObservationCount.kind_name():
            return check.numbers.get("min"), check.numbers.get("max")
    return None, None


_Row = Literal["span", "severity"]


def stability_chart(results: ReviewResults) -> bytes:
    """Span and severity stability of each case, from red to green; n/a where nothing compares."""
    figure, axes = _canvas(results)
    cases = [case for case in results.cases if not case.expect_error]
    rows: tuple[_Row, ...] = ("span", "severity")
    values = [[_value(case, row) for case in cases] for row in rows]
    shown = [[0.0 if value is None else value for value in row] for row in values]
    if cases:
        image = axes.imshow(shown, cmap="RdYlGn", vmin=0, vmax=1, aspect="auto")
        figure.colorbar(image, ax=axes, label="stability")
    for row, found in enumerate(values):
        for column, value in enumerate(found):
            if value is None:
                _tile(axes, column, row, "#e4e4e4")
            text = "n/a" if value is None else f"{value:.0%}"
            colour = "white" if value is not None and abs(value - 0.5) > _DARK else "black"
            axes.text(column, row, text, ha="center", va="center", fontsize=9, color=colour)
    _ticks(axes, [case.id for case in cases])
    axes.set_yticks(range(len(rows)), rows)
    axes.set_title("Stability over all pairs of runs")
    return _png(figure)


def _value(case: ReviewCaseResult, name: _Row) -> float | None:
    found = case.stability.get(name)
    return None if found is None else found.value


def pass_fail_chart(results: ReviewResults) -> bytes:
    """A grid of cases and checks: P passed, F failed, - is not asked for or was not evaluated."""
    figure, axes = _canvas(results, wide=False)
    for row, case in enumerate(results.cases):
        for column, name in enumerate(_COLUMNS):
            mark = _mark([each for each in case.checks if each.check.partition(":")[0] == name])
            _tile(axes, column, row, _COLOURS[mark])
            axes.text(column, row, mark, ha="center", va="center", fontsize=10)
    axes.set_xlim(-0.5, len(_COLUMNS) - 0.5)
    axes.set_ylim(max(len(results.cases), 1) - 0.5, -0.5)
    axes.set_xticks(range(len(_TITLES)), _TITLES)
    axes.set_yticks(range(len(results.cases)), [case.id for case in results.cases])
    axes.set_title("Checks by case: P passed, F failed, - does not apply")
    return _png(figure)


def _mark(checks: Sequence[ReviewCheck]) -> str:
    told = [check.passed for check in checks if check.passed is not None]
    if not told:
        return "-"
    return "P" if all(told) else "F"


def _tile(axes: "Axes", column: int, row: int, colour: str) -> None:
    from matplotlib.patches import Rectangle

    tile = Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white")
    axes.add_patch(tile)


def _canvas(results: ReviewResults, *, wide: bool = True) -> "tuple[Figure, Axes]":
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    many = len(results.cases)
    size = (
        (min(60.0, max(8.0, 0.8 * many)), 4.5)
        if wide
        else (8.0, min(60.0, max(3.0, 0.45 * many + 1)))
    )
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _ticks(axes: "Axes", names: Sequence[str]) -> None:
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")


def _png(figure: "Figure") -> bytes:
    written: Any = BytesIO()
    figure.savefig(written, format="png", dpi=100, metadata={"Software": None})
    made: bytes = written.getvalue()
    return made


REVIEW_CHARTS: Mapping[str, Chart] = {
    "latency_by_case.png": latency_chart,
    "observation_counts.png": observation_chart,
    "stability.png": stability_chart,
    "pass_fail.png": pass_fail_chart,
}
"""File name to what draws it."""
