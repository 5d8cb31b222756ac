"""What decides whether clients of a machine reach the mock server: variables, files, ports."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from mockserver import __version__
from mockserver.errors import MockServerError, UserError
from mockserver.plugins import plugin_states

Level = Literal["ok", "note", "warning", "problem"]

PORTS: Mapping[int, str] = {
    8765: "understudy serve",
    8766: "understudy capture",
    8770: "understudy console",
}
"""The ports that commands take by default."""

_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
_TRUST = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTPLIB2_CA_CERTS",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "NODE_EXTRA_CA_CERTS",
)  # fmt: skip
_LOOPBACK = ("127.0.0.1", "localhost")
_SOON_DAYS = 30
_PATIENCE_S = 10


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        topic: `install`, `proxy`, `certificates`, `ports`, `clients`, `extras`, `plug-ins` or
            `isolation`.
        level: `problem` where commands or clients will fail.
        text: What is so.
        mend: What to do about it, or an empty string.
    """

    topic: str
    level: Level
    text: str
    mend: str = ""


def look_at_proxies(environ: Mapping[str, str]) -> Iterator[Finding]:
    """The variables by which clients find a proxy.

    Yields:
        What they say, and where they contradict themselves or the session.
    """
    seen = False
    for name in _PROXIES:
        upper, lower = environ.get(name, ""), environ.get(name.lower(), "")
        seen = seen or bool(upper or lower)
        if upper and lower and upper != lower:
            yield Finding(
                "proxy", "problem", f"{name} and {name.lower()} name different proxies",
                f"unset one of them: unset {name.lower()}",
            )  # fmt: skip
        elif name == "HTTPS_PROXY" and upper and not lower:
            yield Finding(
                "proxy", "warning", "HTTPS_PROXY is set and https_proxy is not: gRPC and curl read "
                "the lower-case name", 'export https_proxy="$HTTPS_PROXY"',
            )  # fmt: skip
    if not seen:
        yield Finding("proxy", "ok", "no proxy variables are set")
    else:
        yield from _look_at_session_proxy(environ)
        yield from _look_at_direct_hosts(environ)


def _look_at_session_proxy(environ: Mapping[str, str]) -> Iterator[Finding]:
    proxy = environ.get("HTTPS_PROXY") or environ.get("https_proxy", "")
    host = urlsplit(proxy if "://" in proxy else f"http://{proxy}").hostname or "?"
    if "MOCK_SESSION" not in environ:
        yield Finding(
            "proxy", "note", f"clients go through a proxy at {host}, which is no session of a mock",
            'eval "$(understudy env)" leads programs of a shell to a session',
        )  # fmt: skip
        return
    server = urlsplit(environ.get("MOCK_SERVER_URL", "")).hostname or "?"
    if host == server:
        yield Finding("proxy", "ok", f"this shell leads to the session {environ['MOCK_SESSION']}")
    else:
        yield Finding(
            "proxy", "problem",
            f"MOCK_SERVER_URL is on {server} and HTTPS_PROXY on {host}: requests pass the mock by",
            'eval "$(understudy env)" sets both anew',
        )  # fmt: skip


def _look_at_direct_hosts(environ: Mapping[str, str]) -> Iterator[Finding]:
    direct = {
        host.strip()
        for name in ("NO_PROXY", "no_proxy")
        for host in environ.get(name, "").split(",")
        if host.strip()
    }
    escaping = sorted(each for each in direct if each == "*" or "googleapis.com" in each)
    if escaping and "MOCK_SESSION" in environ:
        yield Finding(
            "proxy", "problem", f"NO_PROXY lets {', '.join(escaping)} pass the mock by",
            "take them out of NO_PROXY and no_proxy",
        )  # fmt: skip
    if not direct.intersection({*_LOOPBACK, "*"}):
        yield Finding(
            "proxy", "warning", "requests to this machine go through the proxy, too",
            "export NO_PROXY=localhost,127.0.0.1 no_proxy=localhost,127.0.0.1",
        )  # fmt: skip


def look_at_certificates(environ: Mapping[str, str], now: datetime) -> Iterator[Finding]:
    """The authority that is kept, if any, where servers make theirs, and the files of variables.

    Yields:
        What is there, ends soon, or is missing.
    """
    from mockserver.storage.home import home_folder

    try:
        folder = home_folder(environ)
    except MockServerError as error:
        yield Finding("certificates", "problem", error.message, error.hint)
        return
    yield _folder(folder)
    if environ.get("MOCKSERVER_CA"):
        yield _authority(Path(environ["MOCKSERVER_CA"]) / "ca.pem", now)
    elif (folder / "ca.pem").is_file():
        yield Finding(
            "certificates", "note", f"{folder} keeps an authority that no server uses unasked",
            f"--ca {folder} or MOCKSERVER_CA uses it; otherwise delete {folder / 'ca.pem'} and "
            "ca-key-and-cert.pem there, and remove it from what trusts it",
        )  # fmt: skip
    for name in _TRUST:
        named = environ.get(name)
        if named and not Path(named).is_file():
            yield Finding(
                "certificates", "problem", f"{name} names {named}, which is not there",
                f"unset {name}, or eval \"$(understudy env)\"",
            )  # fmt: skip


def _folder(folder: Path) -> Finding:
    there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    if os.access(there, os.W_OK):
        return Finding("certificates", "ok", f"each server makes its authority in {folder}")
    return Finding(
        "certificates", "problem", f"{there} cannot be written: no server can open its proxy",
        "set UNDERSTUDY_HOME to a folder that can be written",
    )  # fmt: skip


def _authority(path: Path, now: datetime) -> Finding:
    from cryptography.x509 import load_pem_x509_certificate

    if not path.is_file():
        return Finding(
            "certificates", "ok", f"no authority in {path.parent} yet; the first server makes one"
        )
    mend = f"rm -r {path.parent}; the next server makes a new one, for clients to trust anew"
    try:
        certificate = load_pem_x509_certificate(path.read_bytes())
        ssl.create_default_context(cafile=str(path))
    except (OSError, ValueError) as error:
        return Finding("certificates", "problem", f"{path} cannot be read: {error}", mend)
    left = certificate.not_valid_after_utc - now
    if left.days < _SOON_DAYS:
        told = f"the authority in {path} ends on {certificate.not_valid_after_utc:%Y-%m-%d}"
        return Finding("certificates", "problem" if left.days < 0 else "warning", told, mend)
    return Finding("certificates", "ok", f"the authority in {path} is valid")


def look_at_ports(ports: Mapping[int, str] = PORTS) -> Iterator[Finding]:
    """Whether the ports that commands take by default are free.

    Yields:
        One finding for each.
    """
    for port, command in ports.items():
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((_LOOPBACK[0], port))
            except OSError as error:
                yield Finding(
                    "ports", "warning", f"{port} is not free for {command}: {error.strerror}",
                    "--port 0 takes a free one; if the server runs already, use it",
                )  # fmt: skip
            else:
                yield Finding("ports", "ok", f"{port} is free for {command}")


_CLIENT_PROGRAM = """
import sys
sys.path[:] = filter(None, sys.path)  # the working folder is nobody's client
import json
from importlib.metadata import PackageNotFoundError, version
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""
_PYTHON_CLIENTS = (
    "httplib2", "pysocks", "requests", "httpx", "aiohttp", "grpcio", "google-api-python-client",
)  # fmt: skip
_PROGRAMS: Mapping[str, str] = {"node": "--version", "curl": "--version", "docker": "--version"}
_OLD_NODE = 22


def look_at_clients(environ: Mapping[str, str]) -> Iterator[Finding]:
    """The clients of the Python on the path, and programs beside it.

    Yields:
        Versions, and which of them would pass the mock by.
    """
    python = shutil.which("python3", path=environ.get("PATH")) or sys.executable
    found = _python_clients(python)
    if found:
        told = ", ".join(f"{name} {number}" for name, number in found.items())
        yield Finding("clients", "ok", f"{python} has {told}")
    else:
        yield Finding("clients", "note", f"{python} has none of the HTTP clients that we know")
    if "httplib2" in found and "pysocks" not in found:
        yield Finding(
            "clients", "problem",
            f"{python} has httplib2 without PySocks: google-api-python-client would ignore the "
            "proxy and ask the real hosts", f"{python} -m pip install pysocks",
        )  # fmt: skip
    if "aiohttp" in found:
        yield Finding(
            "clients", "note", "aiohttp reads proxy variables only with trust_env",
            "ClientSession(trust_env=True)",
        )  # fmt: skip
    for name, option in _PROGRAMS.items():
        yield from _look_at_program(name, option, environ)


def _python_clients(python: str) -> dict[str, str]:
    import json

    text = _output_of([python, "-c", _CLIENT_PROGRAM, *_PYTHON_CLIENTS])
    return dict(json.loads(text)) if text.startswith("{") else {}


def _look_at_program(name: str, option: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    path = shutil.which(name, path=environ.get("PATH"))
    if path is None:
        return
    line = (_output_of([path, option]).splitlines() or ["?"])[0]
    told = line.partition(" (")[0]
    told = told if told.lower().startswith(name) else f"{name} {told}"
    yield Finding("clients", "ok", told)
    major = line.removeprefix("v").partition(".")[0]
    if name == "node" and major.isdecimal() and int(major) < _OLD_NODE:
        yield Finding(
            "clients", "note", f"Node {major} does not read proxy variables by itself",
            "the block of `understudy env` loads a file that does (NODE_OPTIONS)",
        )  # fmt: skip


def _output_of(command: list[str]) -> str:
    try:
        done = subprocess.run(  # noqa: S603  (programs that were found on the path)
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


EXTRAS: Mapping[str, tuple[str, ...]] = {
    "capture": ("brotli", "detect-secrets", "numpy", "pyahocorasick", "zstandard"),
    "capture-google": ("google-api-python-client", "vcrpy"),
    "grpc": ("grpcio", "protobuf"),
    "mcp": ("mcp",),
    "store": ("sqlalchemy",),
    "judge": ("pydantic-ai-slim",),
    "charts": ("matplotlib",),
    "regex": ("regex",),
    "watch": ("watchfiles",),
    "speed": ("uvloop",),
}
"""Extras, each with what it brings."""


def look_at_extras() -> Iterator[Finding]:
    """Which extras are installed.

    Yields:
        Those that are, and those that are not.
    """
    there = [extra for extra, packages in EXTRAS.items() if all(map(_is_installed, packages))]
    if there:
        yield Finding("extras", "ok", f"installed: {', '.join(there)}")
    left = [extra for extra in EXTRAS if extra not in there]
    if left:
        command = f"pip install 'understudy[{','.join(left[:1])}]'"
        yield Finding("extras", "note", f"not installed: {', '.join(left)}", f"such as {command}")


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def look_at_plugins() -> Iterator[Finding]:
    """The plug-ins of installed packages.

    Yields:
        How many can be used, and each that is left out.
    """
    states = plugin_states()
    usable = sorted({each.distribution for each in states if not each.problem})
    if usable:
        yield Finding("plug-ins", "ok", f"of {', '.join(usable)}; `understudy plugins` lists them")
    for each in states:
        if each.problem:
            told = (
                f"{each.name} ({each.group}) of {each.distribution} {each.version}: {each.problem}"
            )
            yield Finding(
                "plug-ins", "problem", told, f"update it, or pip uninstall {each.distribution}"
            )


def look_at_installation() -> Iterator[Finding]:
    """This program, and Google's Discovery documents.

    Yields:
        Versions, and what is missing.
    """
    number = ".".join(map(str, sys.version_info[:3]))
    yield Finding("install", "ok", f"understudy {__version__}, Python {number}, {sys.executable}")
    from mockserver.googleapi import installed_documents

    try:
        folder = installed_documents().path
    except UserError as error:
        yield Finding("install", "problem", error.message, error.hint)
    else:
        yield Finding("install", "ok", f"Discovery documents in {folder}")


def look_at_isolation() -> Iterator[Finding]:
    """Whether commands can be given a network of their own, and agents a sandbox.

    Yields:
        One finding of each.
    """
    from mockserver.cli.env_check import isolation_problem

    why = isolation_problem(_LOOPBACK[0])
    if why:
        told = f"`understudy env --check` sees nothing that passes the proxy by: {why}"
        yield Finding("isolation", "note", told)
    else:
        yield Finding("isolation", "ok", "commands can be given a network of their own")
    yield _sandbox()


_SANDBOX_PROBE = (
    "--unshare-user", "--unshare-net", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc",
    "true",
)  # fmt: skip


def _sandbox() -> Finding:
    path = shutil.which("bwrap")
    if path is None:
        return Finding(
            "isolation", "note", "no bubblewrap for `understudy run --sandbox bubblewrap`",
            "apt install bubblewrap",
        )  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603  (found on the path)
            [path, *_SANDBOX_PROBE],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    else:
        why = done.stderr.strip().rpartition("\n")[2] if done.returncode else ""
    if why:
        return Finding(
            "isolation", "note", f"`understudy run --sandbox bubblewrap` cannot work: {why}",
            "allow namespaces of users: sysctl kernel.unprivileged_userns_clone=1",
        )  # fmt: skip
    told = f"agents can be run in sandboxes ({_output_of([path, '--version'])})"
    return Finding("isolation", "ok", told)


def examine_machine(environ: Mapping[str, str], now: datetime) -> Iterator[Finding]:
    """Everything that decides whether clients reach the mock server.

    Args:
        environ: The variables of the shell.
        now: Real time.

    Yields:
        Findings, topic by topic.
    """
    yield from look_at_installation()
    yield from look_at_proxies(environ)
    yield from look_at_certificates(environ, now)
    yield from look_at_ports()
    yield from look_at_clients(environ)
    yield from look_at_isolation()
    yield from look_at_extras()
    yield from look_at_plugins()
