"""What `understudy demo` teaches: a good agent, the same agent lying, and how the harness knows."""

import json
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from harness.cli.reference_agents import REFERENCE_AGENTS

if TYPE_CHECKING:
    from harness.cli.run import FinishedRun
    from harness.model import TrialRecord

SUITE, CASE, FLAW = "travel", "TR-002", "claims-write"
_LABEL = 18
_WIDTH = 100

_OPENING = """\
An agent books a flight. A model, here a script, says which tool to call, and the tools ask
https://api.travel.example.com with the standard library of Python, as they would live. The agent
knows nothing of a mock: its environment leads it here. Nothing leaves this machine."""

_MORAL = """\
Both answers read alike, so no look at the text tells them apart. The harness does not believe what
an agent says: each trial has a world of its own in the mock server, whose journal holds every
request that arrived, and whose state is compared with what it was. The case asks for both:"""


def teach(fixtures: Path, run_dir: Path) -> int:
    """Run one case with both agents, and show what tells them apart.

    Args:
        fixtures: The folder of the bundled suites.
        run_dir: Where the runs are kept.

    Returns:
        0, or 1 where the good agent failed or the liar passed.
    """
    suite = fixtures / SUITE
    typer.echo(_OPENING)
    good = _run(suite, "", run_dir)
    record = _record(good)
    typer.echo(f"\nTask      {_wrap(record.replies[0].prompt, 10)}")
    _show("1. A good agent", good)
    liar = _run(suite, FLAW, run_dir)
    _show("2. The same agent, lying: its model says so, and books nothing", liar)
    typer.echo(f"\nHow the harness knows\n\n{_MORAL}\n")
    typer.echo(textwrap.indent(_expectations(suite), "    "))
    typer.echo("\nGo on from here; each command works as it is printed:\n")
    typer.echo("\n".join(_next_commands(suite, good, run_dir)))
    return int(bool(good.code) or liar.code != 1)


def _run(suite: Path, flaw: str, run_dir: Path) -> "FinishedRun":
    from harness.cli.run import complete
    from harness.cli.run_options import RunOptions

    agent = REFERENCE_AGENTS[SUITE].with_flaw(flaw).of(suite, 0)
    return complete(
        RunOptions(
            suite=suite,
            agent=agent.agent,
            intercept=agent.intercept,
            ids=CASE,
            trials=1,
            run_dir=run_dir,
            note=f"demo, agent with flaw {flaw}" if flaw else "demo",
        )
    )


def _record(finished: "FinishedRun") -> "TrialRecord":
    (record,) = finished.result.records
    return record


def _show(title: str, finished: "FinishedRun") -> None:
    from harness.checks.model_traffic import model_call

    record = _record(finished)
    requests = [
        f"{entry.http_method} https://{entry.host}{entry.path} -> {entry.status}"
        for entry in record.journal.entries
        if entry.http_method != "CONNECT" and model_call(record, entry) is None
    ]
    rows = [
        ("it said", [record.text.strip()]),
        ("its model said", list(_said_by_model(record))),
        ("the server saw", requests or ["no request"]),
        ("what changed", list(_changes(record)) or ["nothing"]),
        ("verdict", ["FAILED" if finished.code else "PASSED", *_reasons(finished)]),
    ]
    typer.echo(f"\n{title}\n")
    for label, lines in rows:
        for number, line in enumerate(lines):
            text = _wrap(line, _LABEL + 2)
            typer.echo(f"  {'' if number else label:<{_LABEL - 2}}  {text}")


def _said_by_model(record: "TrialRecord") -> Iterator[str]:
    from harness.checks.model_traffic import model_traffic

    for call in model_traffic(record):
        asked = [f"{each.name} {json.dumps(each.args)}" for each in call.requested]
        yield ", ".join(asked) or call.text


def _wrap(text: str, indent: int) -> str:
    return textwrap.fill(text, _WIDTH - indent, subsequent_indent=" " * indent)


def _changes(record: "TrialRecord") -> Iterator[str]:
    for collection, parts in record.state_diff.items():
        for how, rows in parts.items():
            keys: Iterable[str] = rows if isinstance(rows, dict | list) else ()
            yield f"{collection}: {', '.join(map(str, keys))} {how}"


def _reasons(finished: "FinishedRun") -> Iterator[str]:
    for decision in finished.result.decisions:
        for trial in decision.trials:
            yield from (check.reason for check in trial.checks if check.status == "fail")


def _expectations(suite: Path) -> str:
    """What the case asks of the server, as its file has it."""
    (path,) = (suite / "cases").glob("*.yaml")
    text = path.read_text(encoding="utf-8")
    own = text.partition(f"- id: {CASE}\n")[2].partition("\n  - id:")[0]
    server = own.partition("      server:\n")[2].partition("\n    reference:")[0]
    return textwrap.dedent(f"      server:\n{server}").rstrip()


def _next_commands(suite: Path, finished: "FinishedRun", run_dir: Path) -> Iterator[str]:
    program = _program()
    kept = [] if run_dir == Path("runs") else ["--run-dir", str(run_dir)]
    run, agent = finished.folder.path.name, REFERENCE_AGENTS[SUITE].of(suite, 0)
    own = ["run", str(suite), "--agent", agent.agent, "--intercept", *kept]
    steps: tuple[tuple[Sequence[str], str], ...] = (
        (["case", "show", CASE, "--suite", str(suite)], "the case, as it is sent and checked"),
        (["report", run, "--format", "markdown", *kept], "the first run in full"),
        (own, "the whole suite; put your own program after --agent"),
        (["demo", "content-review", "--flawed", *kept], "another suite, and its worse agent"),
        (["doctor"], "whether this machine is ready for your own clients"),
    )
    for arguments, about in steps:
        yield f"  # {about}"
        yield f"  {shlex.join([*program, *arguments])}"


def _program() -> list[str]:
    """How this command is called from the current folder."""
    if "UV" in os.environ and Path(sys.prefix).parent.name.startswith("archive-"):
        return ["uvx", "understudy"]  # whose environment is on no path but this one's
    beside = Path(sys.executable).parent / "understudy"
    found = shutil.which("understudy")
    if found and Path(found).parent == beside.parent:
        return ["understudy"]
    try:
        return [str(beside.relative_to(Path.cwd()))]
    except ValueError:
        return [str(beside)]
