"""`understudy fork`: a recorded trial up to a turn of its model, and on with another one."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, RunDir, trial_named
from harness.errors import HarnessError, reason_of
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from harness.cli.run import FinishedRun
    from harness.cli.run_options import RunOptions
    from harness.cli.run_preparation import PreparedRun
    from harness.environment import Environment
    from harness.model import ForkNode
    from harness.runner import ModelTurn, RecordedTrial
    from harness.storage import RunFolder


def fork(  # noqa: PLR0913  (one parameter an option)
    trial: Annotated[
        str,
        typer.Argument(
            help="CASE of the newest run, RUN/CASE or RUN/CASE/NUMBER, or the file of a "
            "record. Without a number, the first trial that failed."
        ),
    ],
    *,
    turn: Annotated[
        int | None,
        typer.Option(
            "--from",
            help="The first turn of the model, counted from 1, that is not answered from the "
            "recording. Without it the turns are listed.",
            metavar="TURN",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="The model from that turn on: PROVIDER/NAME live, NAME at the provider of the "
            "trial's own model, script:NAME of the suite's scripted models, or "
            "script:FILE.yaml. (default: the agent's own) Repeat it to compare several "
            "forks.",
        ),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(
            "--prompt", help="The system prompt from that turn on: a text, or a file's path."
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--trials", "-n", help="The number of trials of each fork.", min=1)
    ] = 1,
    agent: Annotated[
        str | None,
        typer.Option("--agent", help="The run's agent, if its spec holds a secret."),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="NAME=VALUE or NAME for the agent, as for `understudy run`."),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header", help="A header of the run: their values are not stored; repeatable."
        ),
    ] = None,
    python: Annotated[
        str, typer.Option("--python", help="Interpreter of the agent, as for `understudy run`.")
    ] = "",
    suite: Annotated[
        Path | None,
        typer.Option("--suite", help="The suite's folder, if it was moved."),
    ] = None,
    note: Annotated[str, typer.Option("--note", help="A note on why this fork is made.")] = "",
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout", help="The seconds that a trial may take. (default: as in the run)"
        ),
    ] = None,
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """Replay a trial up to a turn, then continue with another model.

    The agent is started again in a session with the same seed and clock. The recording answers its
    first model calls, and the mock server its other requests as before, so that two models or
    prompts are compared from the same point. If the agent departs from the recording before TURN,
    or the session differs, the command reports it and calls no live model. The model calls of the
    trial must have been recorded: in a run with --record-models, a replay, a suite with scripted
    models, or a fork. Each --model makes its own run, which names the trial and the turn that it
    comes from.

    Exit codes are those of `understudy run`.

    Example: understudy fork 20261120-101500-cae18a/EC-001/1 --from 3 --model openai/gpt-5-mini

    Example: understudy fork EC-001 --from 2 --model script:careful --prompt new.md
    """
    from harness.cli.run_options import RunOptions
    from harness.runner import read_recorded_trial

    recorded = read_recorded_trial(trial_named(trial, run_dir))
    if turn is None:
        if model or prompt is not None:
            raise HarnessError("a fork needs its turn", hint="--from TURN")
        typer.echo(_turns_json(recorded) if as_json else _turns_text(recorded), nl=False)
        return
    options = RunOptions(
        suite=suite or Path(recorded.manifest.suite),
        agent=agent,
        env=env,
        header=header,
        python=python,
        trials=repeat,
        note=note,
        run_dir=recorded.folder.named.parent,
        as_json=as_json,
    )
    raise typer.Exit(_execute(recorded, turn, model or [""], prompt_of(prompt), options, timeout))


def _execute(
    trial: "RecordedTrial",
    turn: int,
    models: Sequence[str],
    prompt: str | None,
    options: "RunOptions",
    timeout: float | None,
) -> int:
    """Run one fork after the other; the exit code that wins."""
    from harness.cli.run import conclude
    from harness.cli.run_output import only_json
    from harness.verdicts import winning_code

    prepared = _prepare(trial, turn, models, prompt, options, timeout)
    done: list[FinishedRun] = []
    with only_json(options.as_json):
        for folder, each in asyncio.run(_perform(prepared)):
            done.append(conclude(folder, each))
    if options.as_json:
        forks = [each.model_dump(mode="json") for each in _trees(trial)]
        failures = [why for each in done for why in _departures(each)]
        runs = [each.result.manifest.run for each in done]
        print_json({"runs": runs, "failures": failures, "forks": forks})
    else:
        _show(trial, done)
    return winning_code(each.code for each in done)


def _prepare(
    trial: "RecordedTrial",
    turn: int,
    models: Sequence[str],
    prompt: str | None,
    options: "RunOptions",
    timeout: float | None,
) -> "list[tuple[PreparedRun, RunOptions]]":
    """Every fork with its options, once nothing is wrong with any.

    Raises:
        HarnessError: One cannot be run.
    """
    from harness.cases import case_hash
    from harness.cli.case_selection import suite_of
    from harness.cli.run_execution import make_driver
    from harness.cli.run_preparation import (
        PreparedRun,
        check_is_led,
        check_secrets,
        environment_of,
        resumed_agent,
    )
    from harness.model import Policy
    from harness.runner import Fork, NewRun, begin_run, check_fork, choose_model, settings_of
    from mockserver.redaction import require_plugin_rules

    manifest, case = trial.manifest, trial.case
    agent = resumed_agent(options, manifest)
    check_is_led(agent, "understudy fork")
    require_plugin_rules()
    settings = settings_of(manifest)
    check_secrets(options, settings)
    changed = {
        "trials": options.trials,
        "record_models": False,
        "until_decided": False,
        "shard": "",
        "timeout_s": timeout or settings.timeout_s,
    }
    settings = settings.model_copy(update=changed)
    suite = suite_of(Path(str(options.suite)), keep_going=True, variables=settings.variables)
    policy = Policy.model_validate(manifest.policy)
    environ = {**os.environ, **environment_of(options, os.environ)}
    found = []
    for name in dict.fromkeys(models):
        choice = choose_model(name, trial, suite.path, turn)
        fork = Fork(trial, turn, suite.path, choice, prompt, environ)
        check_fork(fork)
        order = NewRun(
            suite=manifest.suite,
            cases=(case,),
            agent=agent,
            policy=policy,
            settings=settings,
            note=options.note,
            suite_cases=manifest.suite_cases,
            fork=fork.origin,
        )
        prepared = PreparedRun(
            suite,
            (case,),
            agent,
            settings,
            partial(begin_run, order, options.run_dir),
            fork=fork,
        )
        found.append((prepared, replace(options, agent=agent)))
    if case_hash(case) != manifest.cases[case.id]:
        raise HarnessError(f"case {case.id!r} of run {manifest.run!r} is not what it was")
    asyncio.run(make_driver(*found[0]).close())
    return found


async def _perform(
    prepared: "Sequence[tuple[PreparedRun, RunOptions]]",
) -> "list[tuple[RunFolder, RunOptions]]":
    """Run them, each after the other, against one mock server."""
    from harness.cli.run_execution import open_environment, perform_run

    first, options = prepared[0]
    done = []
    async with AsyncExitStack() as opened:
        environment = await open_environment(
            first.suite.path,
            options,
            replay=first.settings.replay,
            isolate=first.settings.isolate,
        )
        opened.push_async_callback(environment.close)
        for each, told in prepared:
            fork = each.fork
            if fork is not None and fork.choice.script is not None:
                scripts = await _serve_script(fork.choice.script, opened)
                each = replace(each, fork=replace(fork, scripts=scripts))
            folder = await perform_run(each, told, environment=environment)
            if fork is not None:
                fork.trial.folder.note_fork(folder.manifest().run)
            done.append((folder, told))
            if folder.records().count() < sum(folder.manifest().trials.values()):
                break
    return done


async def _serve_script(script: Path, opened: AsyncExitStack) -> "Environment":
    """A server of a scripted model that is not of the suite."""
    from harness.environment import start_environment

    folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
    (folder / "models").mkdir()
    shutil.copyfile(script, folder / "models" / script.name)
    environment = await start_environment(folder)
    opened.push_async_callback(environment.close)
    return environment


_PROMPT_FILES = (".md", ".txt", ".jinja", ".j2", ".prompt")


def prompt_of(text: str | None) -> str | None:
    """The system prompt that an argument names, or is.

    Raises:
        HarnessError: It is empty, or names a file that cannot be read.
    """
    if text is None:
        return None
    if not text.strip():
        raise HarnessError("--prompt is empty", hint="a text, or a file's path")
    path = Path(text)
    names_file = len(text.split()) == 1 and path.suffix in _PROMPT_FILES
    try:
        if not names_file and not path.is_file():
            return text
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError) or names_file:
            raise HarnessError(f"cannot read the prompt {text!r}: {reason_of(error)}") from None
        return text  # too long for a path


def _show(trial: "RecordedTrial", done: "Sequence[FinishedRun]") -> None:
    """Print the tree, the table, and what to do next."""
    from harness.cli.run_output import failed_trial
    from harness.cli.side_by_side import table_text
    from harness.reports.forks import forks_text

    typer.echo(forks_text(_trees(trial)), nl=False)
    typer.echo("")
    typer.echo(table_text([each.result for each in done]), nl=False)
    for each in done:
        for why in _departures(each):
            typer.echo(f"no fork: {why}")
        if (named := failed_trial(each.result)) is not None:
            typer.echo(f"why: understudy explain {each.result.place or each.result.folder}/{named}")


def _departures(done: "FinishedRun") -> list[str]:
    """Why trials are no forks: their agents left the recording, or were not reached."""
    records = done.folder.records()
    errors = (each.error for each in records if each.outcome == "infra_error")
    return list(dict.fromkeys(errors))


def _trees(trial: "RecordedTrial") -> "Sequence[ForkNode]":
    """The trees of forks that the trial is in."""
    from harness.runner import fork_trees

    record = trial.record
    trees = fork_trees(trial.folder)
    own = [each for each in trees if (each.case, each.number) == (record.case, record.number)]
    return own if trial.manifest.fork is None else trees


_WIDEST = 72


def _turns_text(trial: "RecordedTrial") -> str:
    """The turns of the model, a line each, and how to fork there."""
    record, run = trial.record, trial.manifest.run
    lines = [f"{record.case}, trial {record.number} of run {run}: turns of its model"]
    for turn in trial.turns:
        lines.append(f"{turn.number:>4}  {_one(_new_messages(turn))}")
        lines.append(f"      > {_one(_reply(turn))}")
    name = f"{trial.folder.place}/{record.case}/{record.number}"
    last = trial.turns[-1].number
    lines.append(f"fork it: understudy fork {name} --from {last} --model NAME")
    return "\n".join(lines) + "\n"


def _turns_json(trial: "RecordedTrial") -> str:
    import orjson

    record = trial.record
    turns = [
        {
            "turn": each.number,
            "provider": each.call.provider,
            "model": each.shown.model if each.shown else each.call.model,
            "told": _new_messages(each),
            "reply": _reply(each),
        }
        for each in trial.turns
    ]
    told = {
        "run": trial.manifest.run,
        "case": record.case,
        "trial": record.number,
        "turns": turns,
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode() + "\n"


def _new_messages(turn: "ModelTurn") -> str:
    """What the model was told since it spoke last."""
    import orjson

    parts = []
    for message in (each for each in (turn.shown.messages if turn.shown else ()) if each.is_new):
        parts += [f"{message.role}: {message.text}"] if message.text else []
        for result in message.results:
            content = result.content
            text = content if isinstance(content, str) else orjson.dumps(content).decode()
            parts.append(f"{result.name or 'result'}: {text}")
    return "; ".join(parts)


def _reply(turn: "ModelTurn") -> str:
    """What the model said."""
    import orjson

    reply = turn.shown.reply if turn.shown else None
    if reply is None:
        return "an error"
    calls = []
    for call in reply.calls:
        said = call.arguments
        calls.append(
            f"{call.name} {said if isinstance(said, str) else orjson.dumps(said).decode()}"
        )
    return "; ".join([*([reply.text] if reply.text else []), *calls])


def _one(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 3]}..."
