"""What `mockserver serve` needs to replay cassettes: its options held together, its last words."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from mockserver.http.application import Application
    from mockserver.model import Json

_LISTED = 20


class Replayed(NamedTuple):
    """What is replayed, as the command line says it.

    Attributes:
        cassettes: The files.
        repeats: `--repeats`, or None.
        pace: `--pace`, or None.
        barriers: `--barriers`, or None.
        match: `--match`, or None.
        strict: `--strict`.
    """

    cassettes: tuple[Path, ...]
    repeats: str | None
    pace: float | None
    barriers: str | None
    match: str | None
    strict: bool

    def check(self, *, no_default: bool, tunnel: list[str] | None) -> None:
        """Hold the options against the others.

        Raises:
            MockServerError: One does nothing, or lets a replay reach the network.
        """
        from mockserver.errors import MockServerError

        given = (self.repeats, self.pace, self.barriers, self.match)
        about_default = self.strict or any(one is not None for one in given)
        if about_default and (no_default or not self.cassettes):
            raise MockServerError(
                "--repeats, --barriers, --match, --pace and --strict are about the cassettes of"
                " the default session",
                hint="give it some with --cassette FILE",
            )
        if self.cassettes and tunnel:
            raise MockServerError(
                "--tunnel lets clients through to the network, and replays go nowhere",
                hint="leave out --tunnel or --cassette",
            )

    def names(self) -> list[str] | None:
        """The names of the cassettes, None for none."""
        return [path.stem for path in self.cassettes] or None

    def played(self) -> "dict[str, Json]":
        """How the default session plays them: what a session is opened with.

        What `--strict` refuses at the end it also refuses while it goes on.
        """
        wanted = self.match.replace(" ", "").strip(",").split(",") if self.match else None
        return {
            "cassettes": self.names(),
            "repeats": self.repeats or ("once" if self.strict else None),
            "barriers": self.barriers or ("strict" if self.strict else None),
            "match": wanted,
            "pace": self.pace,
        }

    def sources(self, *, fixtures: Path | None, synthesis: bool) -> list[str] | None:
        """Who answers in the default session; None for the usual."""
        made_up = ["synthesis"] if synthesis else []
        if self.cassettes and fixtures is None:
            # there is no tenant to answer for other hosts: an empty one would be a silent miss
            return ["cassette", *made_up]
        cassette = ["cassette"] if self.cassettes else []
        return ["stub", *cassette, "state", *made_up] if made_up else None


def tell_leftovers(application: "Application") -> bool:
    """Say which recordings nobody asked for, what had none, and which came with a warning.

    Returns:
        Whether there were any.
    """
    session = application.sessions.find("default")
    if session is None or session.replay is None:
        return False
    unused = [
        f"unused {each['method']} {each['url']} (#{each['number']} of {each['tape']})"
        for each in session.replay.unused()
    ]
    entries = session.journal.as_json(session.id, bodies=False)["entries"]
    doubtful = [
        f"{entry['http_method']} {entry['host']}{entry['path']}: {entry['recording']['warning']}"
        for entry in entries
        if entry["recording"] is not None and entry["recording"]["warning"]
    ]
    missed = [
        f"no recording of {entry['http_method']} {entry['host']}{entry['path']}"
        for entry in entries
        if entry["miss"] is not None and entry["miss"]["blame"] == "replay_miss"
    ]
    for lines in (missed, doubtful, unused):
        for line in lines[:_LISTED]:
            typer.echo(f"mockserver: {line}", err=True)
        if len(lines) > _LISTED:
            typer.echo(f"mockserver: and {len(lines) - _LISTED} more", err=True)
    typer.echo(f"mockserver: {len(missed)} without a recording, {len(unused)} unused", err=True)
    return bool(unused or missed or doubtful)
