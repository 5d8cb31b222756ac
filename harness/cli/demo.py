"""`understudy demo`: the whole round with the bundled suites and the agents that come with them."""

import json
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.reference_agents import REFERENCE_AGENTS, bundled_fixtures
from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.cli.run import FinishedRun
    from harness.cli.run_options import RunOptions
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
    good = _run_lesson(suite, "", run_dir)
    record = _record(good)
    typer.echo(f"\nTask      {_wrap(record.replies[0].prompt, 10)}")
    _show("1. A good agent", good)
    liar = _run_lesson(suite, FLAW, run_dir)
    _show("2. The same agent, lying: its model says so, and books nothing", liar)
    typer.echo(f"\nHow the harness knows\n\n{_MORAL}\n")
    typer.echo(textwrap.indent(_expectations(suite), "    "))
    typer.echo("\nGo on from here; each command works as it is printed:\n")
    typer.echo("\n".join(_next_commands(suite, good, run_dir)))
    return int(bool(good.code) or liar.code != 1)


def _run_lesson(suite: Path, flaw: str, run_dir: Path) -> "FinishedRun":
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


@dataclass(frozen=True)
class Demo:
    """One bundled suite.

    Attributes:
        name: Its folder.
        about: What its agent is.
        flaws: The names of the flaws that its agent can be given.
        flawed: The flaw that `--flawed` gives it.
    """

    name: str
    about: str
    flaws: tuple[str, ...]
    flawed: str

    def options(
        self, fixtures: Path, flaw: str, trials: int, concurrency: int, run_dir: Path
    ) -> "RunOptions":
        """The options of its run."""
        from harness.cli.reference_agents import free_port
        from harness.cli.run_options import RunOptions

        flawed = REFERENCE_AGENTS[self.name].with_flaw(flaw)
        reference = flawed.of(fixtures / self.name, free_port())
        return RunOptions(
            suite=fixtures / self.name,
            agent=reference.agent,
            serve=reference.serve,
            token=reference.token,
            profile=reference.profile,
            input=reference.input,
            env=list(reference.env) or None,
            tools=reference.tools,
            intercept=reference.intercept,
            min_stability=reference.min_stability,
            timeout=reference.flawed_timeout if flaw else 180.0,
            trials=trials,
            concurrency=min(concurrency, reference.concurrency),
            run_dir=run_dir,
            note=f"demo, agent with flaw {flaw}" if flaw else "demo",
        )


DEMOS: Mapping[str, Demo] = {
    each.name: each
    for each in (
        Demo(
            "chrome-enterprise",
            "a chat agent that asks Google's Admin, Chrome and Cloud Identity APIs",
            ("all", "skips-tool", "invents-id", "ignores-page-token", "claims-write"),
            "all",
        ),
        Demo(
            "content-review",
            "a service that reviews texts against a standard",
            ("misses-rule", "wrong-status", "unstable-span", "bad-schema", "always-empty"),
            "misses-rule",
        ),
        Demo(
            "coding-tasks",
            "a coding agent that works in a folder of its own",
            ("forgets-file", "wrong-exit", "skips-tool", "too-many-rounds", "never-ends"),
            "forgets-file",
        ),
        Demo(
            "sre",
            "an agent that asks Google's Logging, Monitoring, Trace and Error Reporting APIs",
            ("skips-tool", "wrong-tool", "no-numbers", "crashes"),
            "no-numbers",
        ),
        Demo(
            "travel",
            "an agent that books flights at an airline's API of its own",
            ("claims-write",),
            "claims-write",
        ),
        Demo(
            "workspace",
            "an assistant over mail, calendars, files, sheets and documents of several users",
            (
                *("claims-write", "first-match", "obeys-mail", "replies-all", "sends-drafts"),
                *("books-blind", "ignores-zone", "ignores-exceptions", "hides-refusal"),
                *("uses-trash", "reads-hidden", "overwrites-formula"),
            ),
            "claims-write",
        ),
    )
}
"""Bundled suites, in the order they are shown."""


def demo(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"The suites to run: {', '.join(DEMOS)}. By default, one case, explained."
        ),
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Run all bundled suites.")] = False,
    flawed: Annotated[
        bool, typer.Option("--flawed", help="Use agents with a flaw, to see failures.")
    ] = False,
    flaw: Annotated[
        str,
        typer.Option(
            "--flaw", help="Run only the suite whose agent can have this flaw, with the flaw."
        ),
    ] = "",
    trials: Annotated[int, typer.Option("--trials", "-n", min=1, help="Trials for each case.")] = 3,
    concurrency: Annotated[
        int,
        typer.Option("--concurrency", "-j", min=1, help="How many trials run at the same time."),
    ] = 8,
    run_dir: Annotated[
        Path, typer.Option("--run-dir", help="The folder for runs and their reports.")
    ] = Path("runs"),
    copy: Annotated[
        Path | None,
        typer.Option(
            "--copy",
            help="Copy the suites and their agents into this folder, to read and change them, "
            "and run nothing.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run a good agent and a lying one, and show how the lie is found.

    Without arguments it runs one case with each agent, and shows what the agent said, what the
    server saw and what changed. With --all, or with names of suites, it starts a mock server and
    the agent of each suite, runs the suite, writes its reports, and stops both: a chat agent for
    Chrome Enterprise, a service that reviews texts, a coding agent in a workspace, an agent for
    operations, one that books flights, and an assistant for mail, calendars and documents. Agents
    that call Google APIs use Google's own client libraries (extra `agents`) and are not aware of
    the mock server. With --flawed the agents fail, and the exit code is 1, as for any failed gate.

    Example: understudy demo

    Example: understudy demo content-review --flawed

    Example: understudy demo --flaw claims-write -n 1

    Example: understudy demo travel --copy fixtures
    """
    fixtures = bundled_fixtures()
    if copy is not None:
        for path in _copy_suites(fixtures, _choose_demos(names or [], ""), copy):
            typer.echo(path)
        return
    if not (names or everything or flawed or flaw):
        raise typer.Exit(teach(fixtures, run_dir))
    chosen = _choose_demos(names or [], flaw)
    _check_packages(chosen)
    finished = []
    for demonstration in chosen:
        name = flaw or (demonstration.flawed if flawed else "")
        options = demonstration.options(fixtures, name, trials, concurrency, run_dir)
        finished.append(_run(demonstration, options))
    for demonstration, each in zip(chosen, finished, strict=True):
        typer.echo(_summary(demonstration, each))
    for each in finished:
        typer.echo("")
        each.show()
    first = min(each.case for each in finished[0].result.facts)
    typer.echo(_what_next(fixtures, chosen, first, flawed=bool(flaw or flawed)))
    raise typer.Exit(next((each.code for each in finished if each.code), 0))


def _choose_demos(names: list[str], flaw: str) -> list[Demo]:
    for name in names:
        if name not in DEMOS:
            raise HarnessError(f"no bundled suite is called {name!r}", hint=f"{', '.join(DEMOS)}")
    if not flaw:
        return [DEMOS[name] for name in names or DEMOS]
    having = [each for each in DEMOS.values() if flaw in each.flaws]
    chosen = [each for each in having if not names or each.name in names]
    if not chosen:
        known = [each for each in DEMOS.values() if not names or each.name in names]
        hint = "; ".join(f"{each.name}: {', '.join(each.flaws)}" for each in known)
        raise HarnessError(f"no flaw is called {flaw!r}", hint=hint)
    return chosen[:1] if not names else chosen


def _copy_suites(fixtures: Path, chosen: list[Demo], folder: Path) -> list[Path]:

    targets = [folder / each.name for each in chosen]
    if there := [path for path in targets if path.exists()]:
        raise HarnessError(
            f"{there[0]} is there already", hint="nothing is replaced; name another folder"
        )
    for path in targets:
        shutil.copytree(
            fixtures / path.name, path, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    return targets


def _check_packages(chosen: list[Demo]) -> None:
    from harness.cli.reference_agents import is_missing

    missing = {
        each.name: name
        for each in chosen
        for name in REFERENCE_AGENTS[each.name].modules
        if is_missing(name)
    }
    if missing:
        told = ", ".join(f"{suite} imports {module}" for suite, module in missing.items())
        able = [name for name, each in REFERENCE_AGENTS.items() if not each.modules]
        raise HarnessError(
            f"agents of these suites need packages that are not installed: {told}",
            hint=f"pip install 'understudy[agents]'; without them: {', '.join(able)}",
        )


def _run(demonstration: Demo, options: "RunOptions") -> "FinishedRun":
    from harness.cli.run import complete

    typer.echo(f"{demonstration.name}: {demonstration.about}", err=True)
    return complete(options)


def _summary(demonstration: Demo, finished: "FinishedRun") -> str:
    from harness.reports.figures import figures

    total = figures(finished.result)
    seconds = sum(each.duration_ms for each in finished.result.facts) / 1000
    told = "passed" if not finished.code else f"exit {finished.code}"
    return (
        f"{demonstration.name:<18} {told:<7} cases {total.case_rate()},"
        f" trials {total.trial_rate()}, {seconds:.0f} s of trials"
    )


def _what_next(fixtures: Path, shown: Sequence[Demo], case: str, *, flawed: bool) -> str:
    suite = fixtures / shown[0].name
    steps = [
        (f"understudy case show {case} --suite {suite}", "one case, as it is sent"),
        (f"understudy serve --fixtures {suite}", "the mock APIs for your agent"),
        (f"understudy run {suite} --agent http:URL", "your own agent"),
    ]
    if not flawed:
        which = shown[0].name if len(shown) == 1 else "--all"
        steps.insert(0, (f"understudy demo {which} --flawed", "the same, with agents that fail"))
    width = max(len(command) for command, _ in steps) + 2
    return "\n".join(["next:", *(f"  {command:<{width}} {what}" for command, what in steps)])
