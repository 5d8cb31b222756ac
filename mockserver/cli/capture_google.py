"""`mockserver capture google`: ask live Google APIs by a plan."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.questions import show_questions
from mockserver.cli.sealing import Seal, sealed_away

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockserver.capture.google import CallResult, Credentials, PreparedCapture
    from mockserver.capture.recorder import Recorder

_STOPPED = 130


def google(  # noqa: PLR0913  (one parameter an option)
    *,
    plan: Annotated[
        Path, typer.Option(help="What is asked, such as cassettes/plans/chrome-enterprise.yaml.")
    ],
    cassette: Annotated[
        Path | None, typer.Option(help="The cassette, a .yaml or .json file.")
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option(help="Also make the base snapshot of a suite of it, in this folder."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace base files that are there.")
    ] = False,
    credentials: Annotated[
        Path | None,
        typer.Option(
            help="A service account's key or another file of credentials; the application default"
            " credentials when not given."
        ),
    ] = None,
    subject: Annotated[
        str,
        typer.Option(help="Whom a service account with domain-wide delegation acts for."),
    ] = "",
    variables: Annotated[
        list[str] | None,
        typer.Option("--set", help="A variable of the plan: name=value, or name=[JSON list]."),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(help="With a cassette that is there: once refuses, all and refresh replace."),
    ] = "once",
    redaction: Annotated[
        Path | None,
        typer.Option(help="Rules of your own; redaction.yaml of this folder when not given."),
    ] = None,
    seal: Seal = None,
    qps: Annotated[
        float | None, typer.Option(min=0.01, help="Requests a second, instead of the plan's.")
    ] = None,
    max_pages: Annotated[
        int | None, typer.Option(min=1, help="Pages a call, instead of the plan's.")
    ] = None,
    max_items: Annotated[
        int | None, typer.Option(min=1, help="Items a call, instead of the plan's.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the calls and the scopes; ask nothing.")
    ] = False,
) -> None:
    """Ask live Google APIs what a plan says, and record the answers, redacted.

    A call that fails is recorded, and named at the end: exit code 1, or 2 where the credentials
    lack a scope. What was answered is kept.

    Example: mockserver capture google --plan cassettes/plans/sre.yaml --set project=my-project
    --cassette sre.yaml --suite captured/sre
    """
    from mockserver.capture.google import Credentials, describe_plan, prepare
    from mockserver.capture.setup import check_seal
    from mockserver.errors import MockServerError
    from mockserver.http.server import real_time

    limits = {"qps": qps, "max_pages": max_pages, "max_items": max_items}
    prepared = prepare(plan, variables or (), limits, real_time)
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
    recorder = _opened(prepared, cassette, mode, redaction)
    done, stopped = _captured(prepared, Credentials(credentials, subject), recorder)
    sealed_away(seal, recorder.redactor)
    if suite is not None and recorder.recorded > recorder.questioned:
        _write(cassette, suite, replace=replace)
    code = _reported(done, recorder)
    raise typer.Exit(_STOPPED if stopped else code)


def _opened(
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


def _captured(
    prepared: "PreparedCapture", credentials: "Credentials", recorder: "Recorder"
) -> "tuple[list[CallResult], bool]":
    """Make the calls; whatever ends them, what was recorded is kept. Whether they were stopped."""
    from mockserver.capture.google import capture
    from mockserver.cli.progress import calls_shown
    from mockserver.errors import LeakError, MockServerError
    from mockserver.http.server import real_time

    done: list[CallResult] = []
    stopped = False
    try:
        with calls_shown(len(prepared.plan.calls), recorder.redactor.text) as started:
            for one in capture(prepared, credentials, recorder, clock=real_time, started=started):
                done.append(one)
    except LeakError:
        recorder.abandon()
        raise
    except MockServerError:
        recorder.finish()
        raise
    except KeyboardInterrupt:
        stopped = True
        typer.echo("mockserver: stopped; what was answered is kept", err=True)
    recorder.finish()
    return done, stopped


def _write(cassette: Path, suite: Path, *, replace: bool) -> None:
    from mockserver.cli.snapshot import written

    for line in written(cassette, suite, replace=replace):
        typer.echo(line)


def _reported(done: "Sequence[CallResult]", recorder: "Recorder") -> int:
    """What came of the calls, one line a planned call; the exit code."""
    from mockserver.capture.google import failures, summary

    for line in summary(done):
        typer.echo(line)
    sound = recorder.recorded - recorder.questioned
    typer.echo(f"{recorder.path}: {sound} interactions")
    if recorder.questioned:
        show_questions(recorder.path, recorder.questioned, recorder.asked)
    failed = failures(done)
    for line in failed.lines:
        typer.echo(f"mockserver: {recorder.redactor.text(line)}", err=True)
    return failed.exit_code or int(recorder.questioned > 0)
