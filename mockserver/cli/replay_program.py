"""`understudy replay`: run a program again with the network shut, answered from its cassettes."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.cli.env_check import ConnectionReport
    from mockserver.model import (
        JournalEntry,
        JsonObject,
        SessionReport,
        SessionSpec,
    )

_MISSING, _UNUSED = 4, 5

_JOURNAL = 512 * 1024 * 1024


@dataclass(frozen=True)
class ReplayUse:
    """How a program's requests were answered.

    Attributes:
        exact: Requests that were answered by a recording of the same request.
        near: Those that were answered by another one, each with why it was taken.
        missing: Those without an answer, each with the reason.
        unused: Recordings that nobody asked for.
        escaped: Connections that would have left the machine, each with the reason.
        unseen: Why connections past the proxy were not shut off; empty where they were.
        telemetry: How often SDKs told their makers how they are used, by host; it is answered here,
            and counts as nothing else.
    """

    exact: int
    near: tuple[str, ...]
    missing: tuple[str, ...]
    unused: tuple[str, ...]
    escaped: tuple[str, ...]
    unseen: str = ""
    telemetry: Mapping[str, int] = field(default_factory=dict)

    def exit_code(self, program: int, *, strict: bool) -> int:
        """The program's own; where that is 0: 4 if something was missing, 5 if `strict` and unused.

        >>> ReplayUse(1, (), (), ("GET /a",), ()).exit_code(0, strict=True)
        5
        """
        if program or not (self.missing or self.escaped or (strict and self.unused)):
            return program
        return _MISSING if self.missing or self.escaped else _UNUSED


def count_use(report: "SessionReport", connections: "ConnectionReport") -> ReplayUse:
    """How a program's requests were answered, by the report of its session."""
    from mockserver.sources.replay_misses import ADDITION

    entries = report.journal.entries
    near = tuple(f"{_request_line(each)}: {why}" for each in entries if (why := _why_near(each)))
    missing = tuple(
        f"{_request_line(each)}: {each.miss.reason.partition(ADDITION)[0]}{each.miss.near}"
        for each in entries
        if each.miss is not None and each.http_method != "CONNECT"
    )
    answered = sum(each.recording is not None and each.miss is None for each in entries)
    escaped = [f"{to}: {reason}" for to, reason in connections.refused]
    escaped += [f"{name}: looked up past the proxy" for name in connections.looked_up]
    unused = tuple(f"{each.method} {each.url} (#{each.number} of {each.tape})"
                   for each in report.unused)  # fmt: skip
    return ReplayUse(
        answered - len(near), near, missing, unused, tuple(escaped), connections.unseen,
        report.telemetry,
    )  # fmt: skip


def _why_near(entry: "JournalEntry") -> str:
    found = entry.recording
    if found is None or entry.miss is not None:
        return ""
    reasons = [
        "played before" if found.again else "",
        "other times" if found.timeless else "",
        found.varied,
        "pseudonyms of another key" if found.by_kind else "",
        "differs in what is not compared" if found.loosened else "",
        found.warning,
    ]
    return "; ".join(filter(None, reasons))


def _request_line(entry: "JournalEntry") -> str:
    return f"{entry.http_method} {entry.host}{entry.path}"


def use_lines(found: ReplayUse, program: int, recorded: int | None) -> Iterator[str]:
    """What to tell of a replay.

    Yields:
        Lines without their ends.
    """
    then = "" if recorded is None else (
        ", as when it was recorded" if recorded == program else f"; when recorded: {recorded}"
    )  # fmt: skip
    yield f"the program ended with {program}{then}"
    missing = len(found.missing) + len(found.escaped)
    yield (
        f"answers: {found.exact} exact, {len(found.near)} near, {missing} missing;"
        f" {len(found.unused)} recordings unused"
    )
    for title, lines in (
        ("near", found.near),
        ("missing", found.missing),
        ("refused", found.escaped),
        ("unused", found.unused),
    ):
        yield from (f"  {title}: {line}" for line in lines)
    if found.telemetry:
        told = ", ".join(f"{host} {count}" for host, count in found.telemetry.items())
        yield f"telemetry of SDKs, answered here and not counted: {told}"
    if found.unseen:
        yield f"connections past the proxy were not shut off: {found.unseen}"


def replay(  # noqa: PLR0913  (one parameter an option)
    command: Annotated[
        list[str] | None,
        typer.Argument(
            help="The program and its arguments, after --. (default: the recorded program)"
        ),
    ] = None,
    *,
    cassette: Annotated[
        list[Path] | None,
        typer.Option(
            help="A cassette that `record` wrote; cassette.yaml by default. May be repeated."
        ),
    ] = None,
    given: Annotated[
        str | None,
        typer.Option("--input", help="The standard input of the program. (default: as recorded)"),
    ] = None,
    pace: Annotated[
        float,
        typer.Option(min=0, help="A factor for the pauses of recorded streams: 1 as recorded."),
    ] = 0.0,
    match: Annotated[
        str | None,
        typer.Option(help="The parts of a request that must match, as in `understudy serve`."),
    ] = None,
    redaction: Annotated[
        Path | None, typer.Option(help="The redaction rules that the cassette was recorded with.")
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Refuse near answers: those to a request with other times, ids, temporary paths.",
        ),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 5 if a recording was not used.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a program again, with answers from its cassettes alone.

    It needs no key and no network. Connections to hosts without recordings are refused and
    reported. At the end it prints how many requests were answered by a recording of the same
    request (exact), by one that differs in times, or in ids and temporary paths that are new in
    each run, or was played before (near), or not at all (missing), and which recordings were not
    used. With --json, the output of the program goes to standard error. The exit code is the
    program's own; if that is 0: 4 if an answer was missing, 5 with --strict if a recording was not
    used.

    Example: understudy replay --cassette booking.yaml -- python agent.py "book a room"
    """
    import asyncio

    from mockserver.client import recorded_program
    from mockserver.errors import MockServerError

    files = cassette or [_default_cassette()]
    programs = (recorded_program(path) for path in files)
    program = next((each for each in programs if each is not None), None)
    words = list(command or (program.command if program else ()))
    if not words:
        raise MockServerError(
            f"{files[0]} tells of no program", hint="name it: replay --cassette FILE -- PROGRAM"
        )
    task = given if given is not None else program.input if program else None
    asked = _Replay(words, files, task, pace, _parts(match), redaction, as_json, exact)
    use, status = asyncio.run(_replay(asked))
    recorded = program.exit_code if program is not None else None
    if as_json:
        print_json(use_json(use, status, recorded))
    else:
        sys.stdout.flush()
        for line in use_lines(use, status, recorded):
            typer.echo(f"understudy: {line}", err=True)
    raise typer.Exit(use.exit_code(status, strict=strict))


def _parts(match: str | None) -> tuple[str, ...]:
    return tuple(match.replace(" ", "").strip(",").split(",")) if match else ()


def use_json(found: ReplayUse, program: int, recorded: int | None) -> "JsonObject":
    """What to tell of a replay as JSON."""
    return {
        "exit_code": program,
        "recorded_exit_code": recorded,
        "exact": found.exact,
        "near": [*found.near],
        "missing": [*found.missing],
        "refused": [*found.escaped],
        "unused": [*found.unused],
        "unseen": found.unseen,
        "telemetry": dict(found.telemetry),
    }


def _default_cassette() -> Path:
    from mockserver.cli.record import CASSETTE
    from mockserver.errors import MockServerError

    path = Path(CASSETTE)
    if not path.is_file():
        raise MockServerError(
            f"there is no {path} here",
            hint="record one: understudy record -- PROGRAM, or --cassette",
        )
    return path


@dataclass(frozen=True)
class _Replay:
    """What is to be replayed, and how."""

    command: Sequence[str]
    files: Sequence[Path]
    given: str | None
    pace: float
    match: tuple[str, ...]
    redaction: Path | None
    apart: bool
    exact: bool

    def server_options(self) -> list[str]:
        """How the server is started."""
        options = [part for path in self.files for part in ("--cassette", str(path))]
        options += ["--no-default", "--journal-bytes", str(_JOURNAL)]
        return options + (["--redaction", str(self.redaction)] if self.redaction else [])

    def session(self) -> "SessionSpec":
        """The session that the program is to meet.

        Raises:
            MockServerError: There is no such part of a request.
        """
        from pydantic import ValidationError

        from mockserver.errors import MockServerError
        from mockserver.model import MATCH_PARTS, SessionSpec

        try:
            return SessionSpec(
                cassettes=tuple(path.stem for path in self.files),
                clock="real",
                sources=("cassette",),
                pace=self.pace,
                match=self.match,
                exact=self.exact,
            )
        except ValidationError as error:
            raise MockServerError(
                f"--match {','.join(self.match)}: not parts of a request",
                hint=f"some of {', '.join(MATCH_PARTS)}",
            ) from error


async def _replay(asked: _Replay) -> tuple[ReplayUse, int]:
    from mockserver.cli.blocks import with_default_credentials
    from mockserver.cli.env_check import check
    from mockserver.client import MockServer

    spec = asked.session()
    async with await MockServer.start(None, options=asked.server_options()) as server:
        info = await with_default_credentials(server, await server.open(spec))
        output = sys.stderr if asked.apart else None
        seen, status = await check(server, info, asked.command, output=output, given=asked.given)
        return count_use(await server.close_session(info.id), seen), status
