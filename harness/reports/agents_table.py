"""Runs of one suite with several agents, side by side: cases down, agents across."""

from collections.abc import Callable, Sequence
from statistics import fmean

from harness.model import Frozen, RunManifest, RunResult, TrialFacts
from harness.reports.forks import describe_fork
from harness.reports.texts import one_line

_WIDEST = 32
_DONE = "replied"


class AgentCell(Frozen):
    """One case with one agent.

    Attributes:
        passed: Its valid trials that passed.
        valid: Its valid trials; 0 where the run has none of the case.
        latency_ms: What a trial with a reply took, the mean, milliseconds; None without one.
        cost_usd: What a trial cost, the mean, US dollars; None where the agent does not say.
        tokens: Of a trial, the mean; None where the agent does not say.
    """

    passed: int = 0
    valid: int = 0
    latency_ms: float | None = None
    cost_usd: float | None = None
    tokens: float | None = None


class AgentColumn(Frozen):
    """One agent.

    Attributes:
        agent: Its spec, without secrets; of a fork with what is other there.
        run: The id of its run.
        cases_passed: How many cases passed, by the run's own policy.
        cases: Of how many.
        total: The same figures as of a case, of all its trials.
        by_case: Case id to its figures.
    """

    agent: str
    run: str
    cases_passed: int
    cases: int
    total: AgentCell
    by_case: dict[str, AgentCell]


class AgentsTable(Frozen):
    """All of it.

    Attributes:
        suite: The suite's path.
        columns: In the order of the runs.
        cases: The ids of all cases, in the order of the first run that has them.
    """

    suite: str
    columns: tuple[AgentColumn, ...]
    cases: tuple[str, ...]


def agents_table(results: Sequence[RunResult]) -> AgentsTable:
    """Puts runs side by side.

    Args:
        results: One for each agent, one at least.
    """
    cases = dict.fromkeys(decision.case for each in results for decision in each.decisions)
    return AgentsTable(
        suite=results[0].manifest.suite,
        columns=tuple(_column(each) for each in results),
        cases=tuple(cases),
    )


def _column(result: RunResult) -> AgentColumn:
    decisions = result.decisions
    return AgentColumn(
        agent=_name(result.manifest),
        run=result.manifest.run,
        cases_passed=sum(decision.verdict == "passed" for decision in decisions),
        cases=len(decisions),
        total=_cell(
            sum(decision.passed for decision in decisions),
            sum(decision.valid for decision in decisions),
            result.facts,
        ),
        by_case={
            decision.case: _cell(
                decision.passed,
                decision.valid,
                [each for each in result.facts if each.case == decision.case],
            )
            for decision in decisions
        },
    )


def _name(manifest: RunManifest) -> str:
    """An agent's spec; of a fork with what is other there."""
    fork = manifest.fork
    return manifest.agent if fork is None else f"{manifest.agent} {describe_fork(fork)}"


def _cell(passed: int, valid: int, facts: Sequence[TrialFacts]) -> AgentCell:
    answered = [each for each in facts if each.outcome == _DONE]
    return AgentCell(
        passed=passed,
        valid=valid,
        latency_ms=_mean([each.agent_ms for each in answered]),
        cost_usd=_mean([each.cost_usd for each in facts if each.cost_usd is not None]),
        tokens=_mean([each.tokens for each in facts if each.tokens is not None]),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def agents_text(table: AgentsTable) -> str:
    """The table for a terminal: agents are numbered, and named below it."""
    heads = [f"[{number}]" for number in range(1, len(table.columns) + 1)]
    rows = [["", *heads], *_rows(table, _plain)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(heads) + 1)]
    lines = [
        "  ".join(
            text.ljust(width) if place == 0 else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    named = [
        f"{head} {one_line(column.agent)}, run {column.run}"
        for head, column in zip(heads, table.columns, strict=True)
    ]
    return "\n".join([*lines, "", *named]) + "\n"


def agents_markdown(table: AgentsTable) -> str:
    """The table for a comment or a page."""
    heads = ["", *(_code(column.agent) for column in table.columns)]
    rows = [heads, ["---", *("--:" for _ in table.columns)], *_rows(table, _code)]
    runs = ", ".join(f"`{column.run}`" for column in table.columns)
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", f"Runs: {runs}"]) + "\n"


def agents_json(table: AgentsTable) -> str:
    """All figures."""
    return table.model_dump_json(indent=2) + "\n"


def _rows(table: AgentsTable, named: Callable[[str], str]) -> list[list[str]]:
    nothing = AgentCell()
    rows = [
        [named(case), *(_share(each.by_case.get(case, nothing)) for each in table.columns)]
        for case in table.cases
    ]
    totals = [column.total for column in table.columns]
    return [
        *rows,
        ["cases passed", *(f"{each.cases_passed}/{each.cases}" for each in table.columns)],
        ["trials passed", *(_share(each) for each in totals)],
        ["latency", *(_seconds(each.latency_ms) for each in totals)],
        ["tokens a trial", *(_number(each.tokens) for each in totals)],
        ["cost a trial", *(_dollars(each.cost_usd) for each in totals)],
    ]


def _plain(text: str) -> str:
    return one_line(text, _WIDEST)


def _code(text: str) -> str:
    return f"`{one_line(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def _share(cell: AgentCell) -> str:
    return f"{cell.passed}/{cell.valid}" if cell.valid else "-"


def _seconds(milliseconds: float | None) -> str:
    return "-" if milliseconds is None else f"{milliseconds / 1000:.2f} s"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _dollars(value: float | None) -> str:
    return "-" if value is None else f"${value:.6f}"
