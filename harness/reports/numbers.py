"""The figures of a run, in lines of words."""

from collections import Counter
from collections.abc import Iterator

from harness.model import RunResult, RunStatistics
from harness.reports.figures import by_attribution
from harness.reports.judges import judge_lines

_NAMED_CLUSTERS = 5
_NAMED_CASES = 6


def statistics_lines(result: RunResult) -> list[str]:
    """Rates with their intervals, all of k trials, three clocks, and what the gate can see.

    A replay has no clocks: nothing in it took the time that it takes.
    """
    found = result.statistics
    if found is None or found.mean is None or result.interrupted:
        return []
    clocks = () if result.manifest.options.get("replay") else _clocks(found)
    return [*_rates(found), *clocks, *_gate(found)]


def _rates(found: RunStatistics) -> Iterator[str]:
    text = f"mean rate {_percent(found.mean)} over {found.cases_counted} cases"
    if _says_something(found.fixed):
        text += f", {_interval(found.fixed)} for these cases"
    if _says_something(found.sample):
        text += f", {_interval(found.sample)} for cases like them"
    yield text
    k = _trials_of_most(found)
    if k > 1:
        yield f"{_of_k('pass^', k, found.pass_hat)}, {_of_k('pass@', k, found.pass_at)}"


def _trials_of_most(found: RunStatistics) -> int:
    """How many valid trials most cases have; of two such numbers the larger one."""
    valid = Counter(case.rate.valid for case in found.cases if case.rate.valid)
    return max(valid, key=lambda trials: (valid[trials], trials), default=1)


def _of_k(name: str, k: int, values: dict[int, tuple[float | None, int]]) -> str:
    value, undefined = values[k]
    beside = f" ({undefined} cases with fewer trials)" if undefined else ""
    return f"{name}{k} {_percent(value)}{beside}"


def _clocks(found: RunStatistics) -> Iterator[str]:
    clocks = (("latency", found.total), ("first byte", found.first_byte), ("in tools", found.tools))
    for name, clock in clocks:
        if clock.n:
            yield f"{name}: {clock.text}"


def _gate(found: RunStatistics) -> Iterator[str]:
    if found.detectable is not None:
        points = f"{found.detectable * 100:.0f} points"
        yield f"a comparison with as many trials would see a drop of {points} (power 80 %)"


def failure_lines(result: RunResult) -> list[str]:
    """Whose failures they are, what several cases have in common, and what judges were asked."""
    lines = []
    blamed = by_attribution(result)
    if blamed:
        told = ", ".join(f"{name} {count}" for name, count in blamed.items())
        lines.append(f"trials failed on account of: {told}")
    for cluster in result.clusters[:_NAMED_CLUSTERS]:
        names = ", ".join(cluster.cases[:_NAMED_CASES])
        more = len(cluster.cases) - _NAMED_CASES
        names += f" and {more} more" if more > 0 else ""
        kind = cluster.kind.replace("_", " ")
        lines.append(f"alike in {len(cluster.cases)} cases: {kind} {cluster.what!r} ({names})")
    return [*lines, *judge_lines(result)]


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{value * 100:.1f} %"


def _says_something(ends: tuple[float, float] | None) -> bool:
    """Where all cases had the same rate, nothing was seen that an interval could be made of."""
    return ends is not None and ends[0] < ends[1]


def _interval(ends: tuple[float, float] | None) -> str:
    if ends is None:
        return ""
    return f"{ends[0] * 100:.1f} to {ends[1] * 100:.1f} %"
