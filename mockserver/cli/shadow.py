"""A shadow run: asks the live API by a plan, for a comparison with what was recorded before."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from mockserver.drift import Source


@dataclass(frozen=True)
class Shadow:
    """What is asked live.

    Attributes:
        plan: The plan's file.
        variables: Its variables, `name=value`.
        credentials: A file of credentials; None for the application default ones.
        subject: Whom a service account acts for; empty for itself.
    """

    plan: Path
    variables: tuple[str, ...] = ()
    credentials: Path | None = None
    subject: str = ""


def asked_live(shadow: Shadow, *, as_snapshot: bool) -> "Source":
    """What the live API answers now, redacted; nothing of it is kept.

    Calls that fail are told on stderr; in the comparison their methods fail or are not there.

    Args:
        shadow: What is asked.
        as_snapshot: Make a snapshot of the answers, to be compared with one.

    Raises:
        MockServerError: The plan is wrong, or there are no credentials.
    """
    from tempfile import TemporaryDirectory

    from mockserver.cassettes.files import read_cassette
    from mockserver.drift import Source

    name = f"live ({shadow.plan})"
    with TemporaryDirectory() as folder:
        path = Path(folder, "live.yaml")
        _captured(shadow, path)
        cassette = read_cassette(path)
    if not as_snapshot:
        return Source(name, cassette=cassette)
    from mockserver.apis import APIS
    from mockserver.capture.google import google_catalog
    from mockserver.capture.snapshots import SnapshotMaker

    return Source(name, snapshot=SnapshotMaker(APIS, google_catalog()).make(cassette).raw)


def _captured(shadow: Shadow, path: Path) -> None:
    from mockserver.capture.google import Credentials, capture, failures, prepare
    from mockserver.capture.setup import open_recorder
    from mockserver.cli.progress import calls_shown
    from mockserver.http.server import real_time

    prepared = prepare(shadow.plan, shadow.variables, {}, real_time)
    recorder = open_recorder(path, "once", None, info=prepared.info)
    credentials = Credentials(shadow.credentials, shadow.subject)
    try:
        with calls_shown(len(prepared.plan.calls), recorder.redactor.text) as started:
            done = list(capture(prepared, credentials, recorder, clock=real_time, started=started))
    except BaseException:
        recorder.abandon()
        raise
    recorder.finish()
    for line in failures(done).lines:
        typer.echo(f"mockserver: {recorder.redactor.text(line)}", file=sys.stderr)
