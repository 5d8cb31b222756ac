"""`understudy capture google`: ask live Google APIs by a plan."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.capture_output import (
    LogFormatOption,
    SealOption,
    line_writer,
    show_questions,
    write_sealed_map,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockserver.capture.google import CallResult, Credentials, PreparedCapture
    from mockserver.capture.recorder import Recorder

_STOPPED = 130


def google(  # noqa: PLR0913  (one parameter an option)
    *,
    plan: Annotated[
        Path,
        typer.Option(help="The calls to make, such as cassettes/plans/chrome-enterprise.yaml."),
    ],
    cassette: Annotated[
        Path | None, typer.Option(help="The cassette to write: a .yaml or .json file.")
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option(
            help="Also create a suite with this capture as its base snapshot, in this folder."
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace existing base files.")
    ] = False,
    credentials: Annotated[
        Path | None,
        typer.Option(
            help="A service account key or another credentials file; the application default"
            " credentials by default."
        ),
    ] = None,
    subject: Annotated[
        str,
        typer.Option(help="The user that a service account with domain-wide delegation acts for."),
    ] = "",
    variables: Annotated[
        list[str] | None,
        typer.Option("--set", help="A variable of the plan: name=value, or name=[JSON list]."),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(help="For an existing cassette: once refuses, all and refresh replace."),
    ] = "once",
    redaction: Annotated[
        Path | None,
        typer.Option(help="Your own redaction rules; ./redaction.yaml by default."),
    ] = None,
    seal: SealOption = None,
    qps: Annotated[
        float | None, typer.Option(min=0.01, help="Requests per second, instead of the plan's.")
    ] = None,
    max_pages: Annotated[
        int | None, typer.Option(min=1, help="Pages per call, instead of the plan's.")
    ] = None,
    max_items: Annotated[
        int | None, typer.Option(min=1, help="Items per call, instead of the plan's.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print a redacted line for each call.")
    ] = False,
    log_format: LogFormatOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the calls and scopes without making any call.")
    ] = False,
) -> None:
    """Make the calls of a plan to live Google APIs, and record the redacted answers.

    Failed calls are recorded too, and listed at the end. The exit code is 1 if a call failed, or 2
    if the credentials lack a scope; the answers are kept in both cases.

    Example: understudy capture google --plan sre-plan.yaml --set project=shop --cassette sre.yaml
    """
    from mockserver.capture.google import Credentials, describe_plan, prepare_capture
    from mockserver.capture.setup import check_seal
    from mockserver.errors import MockServerError
    from mockserver.http.server import real_time

    limits = {"qps": qps, "max_pages": max_pages, "max_items": max_items}
    prepared = prepare_capture(plan, variables or (), limits, real_time)
    if dry_run:
        for line in describe_plan(prepared):
            typer.echo(line)
        return
    if cassette is None:
        raise MockServerError("--cassette says where it is recorded", hint="or use --dry-run")
    if suite is not None:
        from mockserver.capture.snapshots import check_base

        check_base(suite, replace=replace)
    check_seal(seal)
    recorder = _open_recorder(prepared, cassette, mode, redaction)
    write = line_writer(log_format, wanted=verbose)
    done, stopped = _run_calls(prepared, Credentials(credentials, subject), recorder, write)
    write_sealed_map(seal, recorder.redactor)
    if suite is not None and recorder.recorded > recorder.questioned:
        _write_snapshot(cassette, suite, replace=replace)
    code = _print_results(done, recorder)
    raise typer.Exit(_STOPPED if stopped else code)


def _open_recorder(
    prepared: "PreparedCapture", cassette: Path, mode: str, redaction: Path | None
) -> "Recorder":
    from mockserver.capture.setup import open_recorder
    from mockserver.errors import MockServerError

    if mode not in {"once", "all", "refresh"}:
        raise MockServerError(
            f"a plan is asked as a whole: --mode {mode} is none of once, all, refresh"
        )
    if mode == "once" and cassette.exists():
        raise MockServerError(
            f"{cassette} is there already",
            hint="--mode all records it anew, refresh keeps the rest",
        )
    return open_recorder(cassette, mode, redaction, info=prepared.info)


def _run_calls(
    prepared: "PreparedCapture",
    credentials: "Credentials",
    recorder: "Recorder",
    write: "Callable[[str], None]",
) -> "tuple[list[CallResult], bool]":
    """Make the calls; whatever ends them, what was recorded is kept. Whether they were stopped."""
    from mockserver.capture.google import run_capture
    from mockserver.cli.capture_output import show_calls
    from mockserver.errors import LeakError, MockServerError
    from mockserver.http.server import real_time

    done: list[CallResult] = []
    stopped = False
    try:
        with show_calls(len(prepared.plan.calls), recorder.redactor.redact_text) as started:
            calls = run_capture(prepared, credentials, recorder, clock=real_time, started=started)
            for one in calls:
                done.append(one)
                write(_call_line(one, recorder.redactor.redact_text))
    except LeakError:
        recorder.abandon()
        raise
    except MockServerError:
        recorder.finish()
        raise
    except KeyboardInterrupt:
        stopped = True
        typer.echo("understudy: stopped; what was answered is kept", err=True)
    recorder.finish()
    return done, stopped


def _call_line(one: "CallResult", redact: "Callable[[str], str]") -> str:
    from mockserver.capture.recorder_queue import LogLine

    about, failure = redact(one.about), one.outcome.failure
    why = "" if failure is None else redact(failure.message)
    made = f"{one.outcome.pages} pages, {one.outcome.items} items"
    name = f"{one.call} [{about}]" if about else one.call
    return LogLine(
        f"{name}: {one.method}: {made}{f', failed: {why}' if why else ''}",
        {
            "call": one.call,
            "about": about,
            "method_id": one.method,
            "pages": one.outcome.pages,
            "items": one.outcome.items,
            "error": why,
        },
    )


def _write_snapshot(cassette: Path, suite: Path, *, replace: bool) -> None:
    from mockserver.cli.snapshot import write_snapshot

    for line in write_snapshot(cassette, suite, replace=replace):
        typer.echo(line)


def _print_results(results: "Sequence[CallResult]", recorder: "Recorder") -> int:
    """What came of the calls, one line a planned call; the exit code."""
    from mockserver.capture.google import call_failures, call_summary

    for line in call_summary(results):
        typer.echo(line)
    sound = recorder.recorded - recorder.questioned
    typer.echo(f"{recorder.path}: {sound} interactions")
    if recorder.questioned:
        show_questions(recorder.path, recorder.questioned, recorder.questions)
    failed = call_failures(results)
    for line in failed.lines:
        typer.echo(f"understudy: {recorder.redactor.redact_text(line)}", err=True)
    return failed.exit_code or int(recorder.questioned > 0)
