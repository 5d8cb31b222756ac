"""`understudy learn`: a suite of traces of agents, or a declared API of recordings."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RedactionRules

if TYPE_CHECKING:
    from harness.learning import Groups, LearnedSuite, LearnTerms, TraceReader

_SHOWN = 20


def learn(  # noqa: PLR0913  (one parameter an option)
    *,
    from_: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help="Traces of agents in any format: a file, a folder, or - for standard input; may be"
            " repeated.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="With --from: the folder of the suite to write.")
    ] = None,
    only: Annotated[
        str,
        typer.Option(
            help="With --from: failed, slow, thumbs-down, or an expression over the trace, such as"
            " 'duration_s > 20 and \"refund\" in tools'."
        ),
    ] = "",
    append: Annotated[
        bool,
        typer.Option("--append", help="With --from: add only what no case of the suite covers."),
    ] = False,
    variants: Annotated[
        int,
        typer.Option(min=0, help="With --from: how many further traces of each group are cases."),
    ] = 2,
    recorded: Annotated[
        bool,
        typer.Option(
            "--recorded",
            help="With --from: answer all tools from their recordings, and none from state.",
        ),
    ] = False,
    redaction: RedactionRules = None,
    cassette: Annotated[
        list[Path] | None,
        typer.Option(
            "--cassette",
            help="A recording of an API in any format, or a folder of them; may be repeated, with"
            " the oldest first.",
        ),
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option("--suite", help="With --cassette: the folder of the suite to write into."),
    ] = None,
    name: Annotated[
        str,
        typer.Option(help="With --cassette: the name of the API. (default: made from its host)"),
    ] = "",
    host: Annotated[
        str,
        typer.Option(help="With --cassette: the host to learn, if several hosts were recorded."),
    ] = "",
    force: Annotated[
        bool, typer.Option("--replace", help="With --cassette: replace existing files.")
    ] = False,
) -> None:
    """Write a suite from traces of an agent, or an API from recordings.

    With --from, each trace becomes a case: what the user said, the recorded calls of tools, which
    answer the agent again, what the agent did as the reference, and expectations that are
    proposed, each with its reason. Tools whose calls hold together are answered from state, so
    that other arguments have answers, too. Traces that are alike are one case with a few variants.
    Formats are recognised: OTLP, Langfuse, Phoenix, LangSmith, Logfire, Braintrust, Weave, Mastra,
    OpenAI Agents, ADK, Claude Code, LiteLLM, lists of messages. Everything is redacted before it is
    written. What could not be told is a note of the case.

    With --cassette, it writes a declared API and its data, which repeats the recorded reads, with
    comments on what is unsure; for MCP servers, the state behind their tools; for APIs of Google,
    facts about the service.

    Example: understudy learn --from traces.jsonl --output evals

    Example: understudy learn --from exports/ --output evals --append --only failed

    Example: understudy learn --cassette orders.yaml --suite fixtures/orders
    """
    from harness.errors import HarnessError
    from harness.learning import LearnTerms

    if bool(from_) == bool(cassette):
        raise HarnessError(
            "name either --from with traces, or --cassette with recordings",
            hint="--from TRACES --output SUITE, or --cassette FILE --suite SUITE",
        )
    if cassette:
        _learn_api(cassette, suite, name, host, replace=force)
        return
    if output is None:
        raise HarnessError("--output is missing", hint="--output SUITE names the folder to write")
    _learn_suite(
        from_ or [], output, only, variants, LearnTerms(append, redaction, recorded=recorded)
    )


def _learn_api(
    files: list[Path], suite: Path | None, name: str, host: str, *, replace: bool
) -> None:
    from harness.errors import HarnessError
    from mockserver.cli.learn import learn as learn_api

    if suite is None:
        raise HarnessError("--suite is missing", hint="--suite SUITE names the folder to write")
    learn_api(from_=files, output=suite, name=name, host=host, force=replace)


def _learn_suite(
    files: list[Path],
    output: Path,
    only: str,
    variants: int,
    terms: "LearnTerms",
) -> None:
    from harness.errors import HarnessError
    from harness.learning import Groups, Selection, TraceReader, learn_suite, why_not_kept

    selection = Selection(only)
    reader = TraceReader(files, sys.stdin.buffer)
    groups = Groups(variants + 1, slowest=selection.is_slowest)
    seen, without = 0, 0
    for trace in reader.traces():
        seen += 1
        if not trace.turns or not trace.turns[0].user:
            without += 1
            reader.note(f"{trace.place}: trace {trace.id}: {'; '.join(trace.missing)}")
        elif not any(turn.answer.strip() or turn.calls for turn in trace.turns):
            without += 1
            reader.note(f"{trace.place}: trace {trace.id}: no answer and no call of a tool is told")
        elif problem := why_not_kept(trace):
            without += 1
            reader.note(f"{trace.place}: trace {trace.id}: {problem}")
        elif selection.wants(trace):
            groups.add(trace)
    for problem in reader.problems[:_SHOWN]:
        typer.echo(f"left out: {problem}", err=True)
    if reader.unread > _SHOWN:
        typer.echo(f"left out: {reader.unread - _SHOWN} more", err=True)
    if not seen:
        named = ", ".join(map(str, files))
        raise HarnessError(
            f"{named}: no trace of an agent, a model or a tool in it",
            hint="recordings of HTTP APIs are learned with --cassette",
        )
    if not groups.count:
        why = (
            "what the user said was not captured, or cannot be kept"
            if without == seen
            else f"none is {only!r}"
        )
        raise HarnessError(f"none of {seen} traces becomes a case: {why}")
    made = learn_suite(groups, output, terms)
    _summary(reader, groups, made, output, seen)


def _summary(
    reader: "TraceReader", groups: "Groups", made: "LearnedSuite", output: Path, seen: int
) -> None:
    formats = ", ".join(reader.formats)
    typer.echo(f"{seen} traces of {reader.spans} spans ({formats})")
    plain = len(made.cases) - made.variants
    typer.echo(
        f"{output}: {plain} cases and {made.variants} variants of {groups.count} traces;"
        f" {made.replaced} values replaced"
    )
    if made.random:
        typer.echo(f"{made.random} of the replaced values only look random: see whether they are")
    for covers, case, count in made.covered[:_SHOWN]:
        typer.echo(f"covered already: {covers}: by {case}, {count} traces")
    if len(made.covered) > _SHOWN:
        typer.echo(f"covered already: {len(made.covered) - _SHOWN} more groups")
    for line in made.state[:_SHOWN]:
        typer.echo(line)
    if made.cases:
        typer.echo(f"next: understudy run {output} --agent oracle, then look at what is proposed")
