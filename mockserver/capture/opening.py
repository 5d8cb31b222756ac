"""Puts a capture together: what redacts, what records, where clients come in."""

from collections.abc import Callable
from pathlib import Path

from mockserver.capture.clients import client_environment
from mockserver.capture.entrances import Intercepting, Plain
from mockserver.capture.finishing import Finished, finished
from mockserver.capture.keeping import LARGEST_BODY
from mockserver.capture.modes import RecordMode
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import Report
from mockserver.capture.redacting import capturing_redactor
from mockserver.capture.serving import Options, Proxying
from mockserver.capture.upstream import trust
from mockserver.capture.ways import Forward, Reverse
from mockserver.errors import MockServerError
from mockserver.fronts.interception import prepare
from mockserver.http.serving import bind, real_time
from mockserver.model import CassetteInfo, did_you_mean
from mockserver.settings import url_of

Announce = Callable[[str], None]


def record_mode(name: str) -> RecordMode:
    """A record mode by its name.

    Raises:
        MockServerError: There is none of that name.
    """
    try:
        return RecordMode(name)
    except ValueError as error:
        known = [mode.value for mode in RecordMode]
        raise MockServerError(
            f"there is no record mode {name!r}",
            hint=did_you_mean(name, known) or f"one of {', '.join(known)}",
        ) from error


def opened(
    cassette: Path,
    mode: str,
    rules: Path | None,
    *,
    upstream: str = "",
    info: CassetteInfo | None = None,
) -> Recorder:
    """A recorder that redacts with the rules of this project, its key, and those of the APIs.

    Raises:
        MockServerError: The cassette, the rules or the key cannot be used.
    """
    if cassette.suffix.lower() not in {".yaml", ".yml", ".json"}:
        raise MockServerError(f"{cassette}: a cassette is a .yaml or .json file")
    if not cassette.parent.is_dir():
        raise MockServerError(f"there is no folder {cassette.parent}")
    return Recorder.open(
        cassette,
        redactor=capturing_redactor(rules),
        mode=record_mode(mode),
        info=info or CassetteInfo(upstream=upstream),
        clock=real_time,
    )


def options(idle_s: float, trusted: Path | None, largest_mib: int = LARGEST_BODY >> 20) -> Options:
    """How upstreams are treated.

    Args:
        idle_s: How long nothing may come before an answer is given up.
        trusted: A file of certificates to trust beside the public ones.
        largest_mib: MiB of a body; a larger one is passed on, and not recorded.

    Raises:
        MockServerError: The file holds none.
    """
    trust(trusted)
    return Options(idle_s, trusted, largest_mib << 20)


def running(recorder: Recorder, report: Report, treated: Options) -> Proxying:
    """A proxy that records.

    Args:
        recorder: Where interactions go.
        report: Told of each, and of what is wrong; redacted, and in a thread of its own.
        treated: How upstreams are treated.
    """
    return Proxying(recorder, treated, clock=real_time, report=report)


def reverse_entrance(
    where: tuple[str, int], upstream: str, announce: Announce
) -> tuple[Reverse, Plain]:
    """Where clients come in that ask the proxy as if it were the upstream.

    Raises:
        ServerUnavailableError: The address cannot be bound.
    """
    listener = bind(*where)
    url = url_of(where[0], listener.getsockname()[1])
    return Reverse(upstream, url), Plain(listener, lambda: announce(url))


def forward_entrance(
    where: tuple[str, int], proxying: Proxying, announce: Announce
) -> tuple[Forward, Intercepting, dict[str, str]]:
    """Where clients come in that are told of a proxy, and the environment that tells them.

    Raises:
        ServerUnavailableError: The address cannot be bound.
        MockServerError: There is no place for the certificate authority.
    """
    authority, files = prepare(real_time())
    listener = bind(*where)
    port = listener.getsockname()[1]
    url = url_of(where[0], port)
    entrance = Intercepting(
        listener,
        authority,
        proxying.grpc(),
        ready=lambda: announce(url),
        report=proxying.queue.tell,
    )
    own = frozenset({url.partition("://")[2], f"localhost:{port}", f"127.0.0.1:{port}"})
    return Forward(own), entrance, client_environment(url, port, files)


def finished_recording(path: Path, mode: str, rules: Path | None) -> Finished:
    """Make a cassette of what a killed capture left behind.

    Raises:
        MockServerError: There is none, or it cannot be finished.
    """
    return finished(path, record_mode(mode), capturing_redactor(rules))
