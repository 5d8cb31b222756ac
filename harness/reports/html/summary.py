"""What stands at the top of the page."""

from dataclasses import dataclass

from harness.errors import Exit
from harness.model import LatencyFigures, RunResult
from harness.reports.failures import class_counts
from harness.reports.figures import always_failing, by_attribution, figures, flaky, is_synthetic
from harness.reports.html.rendering import milliseconds, percent

_NAMED = 100
_NAMED_CLUSTERS = 10


@dataclass(frozen=True, slots=True)
class Banner:
    """The result in one line.

    Attributes:
        tone: `good`, `bad` or `warn`.
        text: The line.
        notes: What must be known beside it.
    """

    tone: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure: what it is, the figure, what stands beside it."""

    label: str
    value: str
    note: str = ""


def banner(result: RunResult) -> Banner:
    """How the run ended."""
    notes = []
    if result.interrupted:
        notes.append("Interrupted: trials are missing.")
    if is_synthetic(result):
        notes.append("Synthetic: no agent was asked; this says nothing about quality.")
    if result.interrupted or not result.exit_reasons:
        text = "Interrupted" if result.interrupted else "Every gate passed"
        return Banner("warn" if notes else "good", text, tuple(notes))
    first = result.exit_reasons[0].code
    text = {
        Exit.GATE_FAILED: "A quality gate failed",
        Exit.USAGE: "Nothing could be decided",
        Exit.INFRASTRUCTURE: "The infrastructure failed",
        Exit.REGRESSION: "A regression against the baseline",
        Exit.NO_VERDICT: "No verdict",
    }.get(Exit(first), f"Exit code {first}")
    return Banner("bad", text, tuple(notes))


def tiles(result: RunResult) -> list[Tile]:
    """The figures that are looked at first."""
    total, statistics = figures(result), result.statistics
    found = [
        _rate("Cases passed", total.case_rate()),
        _rate("Trials passed", total.trial_rate()),
    ]
    if statistics is None:
        return found
    interval = statistics.sample or statistics.fixed
    note = f"95 % interval {percent(interval[0])} to {percent(interval[1])}" if interval else ""
    return [
        *found,
        Tile("Mean rate of the cases", percent(statistics.mean), note),
        _clock("Time for a trial", statistics.total),
        _clock("To the first byte", statistics.first_byte),
        _clock("Inside the mock server", statistics.tools),
    ]


def details(result: RunResult) -> list[tuple[str, str]]:
    """What was asked for."""
    manifest = result.manifest
    rule = ", ".join(f"{name} {value}" for name, value in manifest.policy.items())
    versions = ", ".join(f"{name} {value}" for name, value in manifest.versions.items())
    told = [
        ("Suite", manifest.suite),
        ("Agent", manifest.agent),
        ("Started", manifest.started_at),
        ("Policy", rule),
        ("Versions", versions),
        ("Directory", result.folder),
    ]
    return [(name, value) for name, value in told if value]


def findings(result: RunResult) -> list[tuple[str, str]]:
    """Lists over the whole run; empty ones are left out."""
    named = {
        "Failure classes": [f"{name} {count}" for name, count in class_counts(result).items()],
        "Whose failure": [f"{name} {count}" for name, count in by_attribution(result).items()],
        "Alike": [
            f"{each.kind.replace('_', ' ')} {each.what!r} ({len(each.cases)} cases)"
            for each in result.clusters[:_NAMED_CLUSTERS]
        ],
        "Always failing": always_failing(result),
        "Flaky": flaky(result),
        "Faults never met": list(result.faults_not_met),
        "Recordings never asked for": list(result.recordings_unused),
        "Recordings that may not fit": list(result.recordings_doubtful),
        "Live addresses tried": list(result.addresses_refused),
    }
    return [(title, _listed(names)) for title, names in named.items() if names]


def _rate(label: str, rate: str) -> Tile:
    value, _, note = rate.partition(" (")
    return Tile(label, value, note.removesuffix(")"))


def _clock(label: str, clock: LatencyFigures) -> Tile:
    if clock.p50 is None:
        return Tile(label, "n/a", clock.text)
    slow = f"p95 {milliseconds(clock.p95)}" if clock.p95 is not None else ""
    late = f"{clock.censored} of {clock.n} timed out" if clock.censored else ""
    return Tile(label, milliseconds(clock.p50), ", ".join(each for each in (slow, late) if each))


def _listed(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
