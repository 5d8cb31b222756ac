"""Puts a capture together: what redacts, what records, where clients come in and how."""

from collections.abc import Callable
from pathlib import Path

from mockserver.apis import APIS
from mockserver.asgi.addresses import url_of
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import LARGEST_BODY, Report
from mockserver.capture.recordings import FinishedRecording, RecordMode, finish_recording
from mockserver.capture.server import (
    CaptureProxy,
    ForwardListener,
    ReverseListener,
    UpstreamOptions,
)
from mockserver.capture.upstream import ForwardRoute, ReverseRoute, trust_context
from mockserver.errors import CaptureError, MockServerError
from mockserver.fronts.interception import prepare_interception, server_name
from mockserver.http.server import bind, real_time
from mockserver.model import CassetteInfo, did_you_mean
from mockserver.redaction import (
    Redactor,
    RuleSet,
    StatedValues,
    require_plugin_rules,
    seal_secrets,
    unseal_secrets,
)
from mockserver.sessions.cassette_library import load_rules
from mockserver.sessions.environment import environment
from mockserver.settings import Interception, Settings
from mockserver.storage.home import write_whole
from mockserver.storage.redaction_settings import redaction_key


def capture_rules(path: Path | None) -> RuleSet:
    """The rules of a capture, the same as those of a replay.

    Args:
        path: The user's own; where none are named, those of this folder.

    Raises:
        FormatError: They cannot be read.
        PluginError: Those of an installed plug-in are missing, and would have redacted.
    """
    require_plugin_rules()
    return load_rules(path, None, APIS)


def capture_redactor(path: Path | None, stated: StatedValues | None = None) -> Redactor:
    """A redactor with the key of this machine, which is made where there is none.

    Args:
        path: The user's own rules; where none are named, those of this folder.
        stated: What stays in clear unless it opens something.

    Raises:
        MockServerError: The rules or the key cannot be read, or no key can be made.
    """
    return Redactor(capture_rules(path), _key(), stated)


def _key() -> bytes:
    key = redaction_key(create=True)
    if key is None:
        raise CaptureError("there is no redaction key", hint="set MOCKSERVER_REDACTION_KEY")
    return key


def check_seal(path: Path | None) -> None:
    """See to it, before anything is recorded, that a map can be added to.

    Raises:
        CaptureError: It was sealed with another key, or its folder is not there.
    """
    if path is None:
        return
    if not path.parent.is_dir():
        raise CaptureError(f"there is no folder {path.parent}")
    _read_sealed(path, _key())


def seal(path: Path, redactor: Redactor) -> int:
    """Write what each pseudonym stands for, encrypted; what an earlier capture wrote is kept.

    Returns:
        How many pseudonyms the map knows.

    Raises:
        CaptureError: It was sealed with another key.
        MockServerError: It cannot be written.
    """
    key = _key()
    known = _read_sealed(path, key) | {
        made: (kind, raw) for kind, made, raw in redactor.seen.rows()
    }
    write_whole(path, seal_secrets(known, key), mode=_OWNER_ALONE)
    return len(known)


def _read_sealed(path: Path, key: bytes) -> dict[str, tuple[str, str]]:
    if not path.is_file():
        return {}
    try:
        held = unseal_secrets(path.read_bytes(), key)
    except ValueError as error:
        raise CaptureError(
            f"{path}: {error}", hint="name another file, or set MOCKSERVER_REDACTION_KEY to its key"
        ) from error
    return {made: (secret.kind, secret.value) for made, secret in held.items()}


_OWNER_ALONE = 0o600
_USER = "capture"
_NAMES = frozenset({
    "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy",
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTPLIB2_CA_CERTS",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_USE_ENV_PROXY",
    "NODE_OPTIONS",
})  # fmt: skip


def client_environment(url: str, port: int, files: Interception) -> dict[str, str]:
    """The variables: where the proxy is, and whom to trust.

    Args:
        url: The proxy's own URL.
        port: Its port.
        files: What clients are to trust, and to load.
    """
    settings = Settings(interception=files, fronts={"proxy": port})
    block = environment(_USER, "", url, settings)
    return {name: value for name, value in block.items() if name in _NAMES}


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


def open_recorder(
    cassette: Path,
    mode: str,
    rules: Path | None,
    *,
    upstream: str = "",
    info: CassetteInfo | None = None,
    stated: StatedValues | None = None,
) -> Recorder:
    """A recorder that redacts with the rules of this project, its key, and those of the APIs.

    Args:
        cassette: What is recorded into.
        mode: What is recorded.
        rules: The user's own rules; where none are named, those of this folder.
        upstream: What a reverse proxy stands before.
        info: What the cassette is to say of itself.
        stated: What stays in clear unless it opens something.

    Raises:
        MockServerError: The cassette, the rules or the key cannot be used.
    """
    if cassette.suffix.lower() not in {".yaml", ".yml", ".json"}:
        raise MockServerError(f"{cassette}: a cassette is a .yaml or .json file")
    try:
        cassette.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MockServerError(
            f"the folder {cassette.parent} cannot be made: {error.strerror}"
        ) from error
    return Recorder.open(
        cassette,
        redactor=capture_redactor(rules, stated),
        mode=record_mode(mode),
        info=info or CassetteInfo(upstream=upstream),
        clock=real_time,
    )


def upstream_options(
    idle_s: float, trusted: Path | None, largest_mib: int = LARGEST_BODY >> 20
) -> UpstreamOptions:
    """How upstreams are treated.

    Args:
        idle_s: How long nothing may come before an answer is given up.
        trusted: A file of certificates to trust beside the public ones.
        largest_mib: MiB of a body; a larger one is passed on, and not recorded.

    Raises:
        MockServerError: The file holds none.
    """
    trust_context(trusted)
    return UpstreamOptions(idle_s, trusted, largest_mib << 20)


def capture_proxy(recorder: Recorder, report: Report, options: UpstreamOptions) -> CaptureProxy:
    """A proxy that records.

    Args:
        recorder: Where interactions go.
        report: Told of each, and of what is wrong; redacted, and in a thread of its own.
        options: How upstreams are treated.
    """
    return CaptureProxy(recorder, options, clock=real_time, report=report)


def reverse_listener(
    host: str, port: int, upstream: str, *, announce: Announce
) -> tuple[ReverseRoute, ReverseListener]:
    """Where clients come in that ask the proxy as if it were the upstream.

    Raises:
        ServerUnavailableError: The address cannot be bound.
    """
    listener = bind(host, port)
    url = url_of(host, listener.getsockname()[1])
    return ReverseRoute(upstream, url), ReverseListener(listener, lambda: announce(url))


def forward_listener(
    host: str, port: int, proxy: CaptureProxy, *, announce: Announce, ca: Path | None = None
) -> tuple[ForwardRoute, ForwardListener, dict[str, str]]:
    """Where clients come in that are told of a proxy, and the environment that tells them.

    Raises:
        ServerUnavailableError: The address cannot be bound.
        MockServerError: There is no place for the certificate authority.
    """
    authority, files = prepare_interception(real_time, kept=ca, name=server_name(host, port))
    listener = bind(host, port)
    port = listener.getsockname()[1]
    url = url_of(host, port)
    entrance = ForwardListener(
        listener,
        authority,
        proxy.grpc(),
        ready=lambda: announce(url),
        report=proxy.queue.tell,
    )
    own = frozenset({url.partition("://")[2], f"localhost:{port}", f"127.0.0.1:{port}"})
    return ForwardRoute(own), entrance, client_environment(url, port, files)


def finish_killed_capture(path: Path, mode: str, rules: Path | None) -> FinishedRecording:
    """Make a cassette of what a killed capture left behind.

    Raises:
        MockServerError: There is none, or it cannot be finished.
    """
    return finish_recording(path, record_mode(mode), capture_redactor(rules))
