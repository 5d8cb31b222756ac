"""Environment blocks: as a shell, a file, a program or a container takes them, with credentials."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mockserver.errors import MockServerError

if TYPE_CHECKING:
    from mockserver.client import MockServer
    from mockserver.model import JsonObject, SessionInfo


Block = Mapping[str, str]

_FILES = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "GOOGLE_APPLICATION_CREDENTIALS")
_PRELOAD = "--require="


class Format(StrEnum):
    """How the block is written."""

    SH = "sh"
    FISH = "fish"
    POWERSHELL = "powershell"
    DOTENV = "dotenv"
    JSON = "json"
    DOCKER = "docker"
    DOCKER_COMPOSE = "docker-compose"
    VSCODE_SETTINGS = "vscode-settings"
    MCP_JSON = "mcp-json"
    CLAUDE = "claude"
    VSCODE = "vscode"
    CURSOR = "cursor"


def format_block(block: Block, form: Format) -> str:
    """A block as text."""
    return _WRITERS[form](block)


def _shell(block: Block) -> str:
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in block.items())


def _fish(block: Block) -> str:
    return "\n".join(f"set -gx {name} {_fish_quoted(value)}" for name, value in block.items())


def _fish_quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _powershell(block: Block) -> str:
    quoted = {name: value.replace("'", "''") for name, value in block.items()}
    return "\n".join(f"$env:{name} = '{value}'" for name, value in quoted.items())


def _dotenv(block: Block) -> str:
    return "\n".join(
        f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in block.items()
    )


def _json(block: Block) -> str:
    return json.dumps(block, indent=2)


def _docker(block: Block) -> str:
    """Options of `docker run`: the variables, the files they name, and the way to a loopback."""
    options = [f"--env={name}={value}" for name, value in block.items()]
    options += [f"--volume={path}:{path}:ro" for path in files_of(block)]
    if _is_on_loopback(block):
        options.append("--network=host")
    return "\n".join(shlex.quote(option) for option in options)


def _is_on_loopback(block: Block) -> bool:
    host = urlsplit(block.get("MOCK_SERVER_URL", "")).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


def _docker_compose(block: Block) -> str:
    """A service for `docker compose -f compose.yaml -f FILE`, as the options of `docker run`.

    Values are strings of JSON, which YAML reads as they are; `$` is doubled, or compose would put a
    variable in its place.
    """
    lines = ["services:", "  agent:  # the name of your service", "    environment:"]
    lines += [f"      {name}: {_compose_quoted(value)}" for name, value in block.items()]
    files = files_of(block)
    if files:
        lines.append("    volumes:")
        lines += [f"      - {_compose_quoted(f'{path}:{path}:ro')}" for path in files]
    if _is_on_loopback(block):
        lines.append("    network_mode: host")
    return "\n".join(lines)


def _compose_quoted(value: str) -> str:
    return json.dumps(value.replace("$", "$$"))


_SYSTEMS = ("linux", "osx", "windows")


def _vscode_settings(block: Block) -> str:
    """The part of `.vscode/settings.json` that gives terminals the variables."""
    settings = {f"terminal.integrated.env.{system}": dict(block) for system in _SYSTEMS}
    return json.dumps(settings, indent=2)


_NAME = "understudy"
"""What clients call the server in their configuration."""


def _mcp_json(block: Block) -> str:
    """The configuration that every MCP client reads: a command that speaks over stdio."""
    where = ["--url", block["MOCK_SERVER_URL"], "--session", block["MOCK_SESSION"]]
    server = {"command": "understudy", "args": ["mcp", *where]}
    return json.dumps({"mcpServers": {_NAME: server}}, indent=2)


def _mcp_claude(block: Block) -> str:
    """`.mcp.json` of Claude Code."""
    return json.dumps({"mcpServers": {_NAME: {"type": "http", **_endpoint(block)}}}, indent=2)


def _mcp_vscode(block: Block) -> str:
    """`.vscode/mcp.json`."""
    return json.dumps({"servers": {_NAME: {"type": "http", **_endpoint(block)}}}, indent=2)


def _mcp_cursor(block: Block) -> str:
    """`.cursor/mcp.json`."""
    return json.dumps({"mcpServers": {_NAME: _endpoint(block)}}, indent=2)


def _endpoint(block: Block) -> "JsonObject":
    url = f"{block['MOCK_SERVER_URL']}/s/{block['MOCK_SESSION']}/mcp"
    token = block.get("GOOGLE_OAUTH_ACCESS_TOKEN")
    return {"url": url, **({"headers": {"Authorization": f"Bearer {token}"}} if token else {})}


def files_of(block: Block) -> tuple[str, ...]:
    """The files that a block names.

    >>> files_of({"SSL_CERT_FILE": "/a", "NODE_OPTIONS": '--require="/b c"', "MOCK_SESSION": "s"})
    ('/a', '/b c')
    """
    preload = block.get("NODE_OPTIONS", "")
    found = [block[name] for name in _FILES if name in block]
    if preload.startswith(_PRELOAD):
        found.append(preload.removeprefix(_PRELOAD).strip('"'))
    return tuple(found)


_WRITERS: Mapping[Format, Callable[[Block], str]] = {
    Format.SH: _shell,
    Format.FISH: _fish,
    Format.POWERSHELL: _powershell,
    Format.DOTENV: _dotenv,
    Format.JSON: _json,
    Format.DOCKER: _docker,
    Format.DOCKER_COMPOSE: _docker_compose,
    Format.VSCODE_SETTINGS: _vscode_settings,
    Format.MCP_JSON: _mcp_json,
    Format.CLAUDE: _mcp_claude,
    Format.VSCODE: _mcp_vscode,
    Format.CURSOR: _mcp_cursor,
}


_QUESTION = (
    "import sys; sys.path[:] = filter(None, sys.path);"
    " import importlib.util as u; print(bool(u.find_spec('httplib2')), bool(u.find_spec('socks')))"
)
_PATIENCE_S = 10


def pysocks_warning(environ: Mapping[str, str]) -> str:
    """What to tell when the Python on the path has httplib2 without PySocks; else an empty string.

    Args:
        environ: The environment that the agent is started from.
    """
    python = shutil.which("python3", path=environ.get("PATH"))
    if python is None or _run_python(python) != "True False":
        return ""
    return (
        f"{python} has httplib2 without PySocks: google-api-python-client would ignore the proxy "
        "and ask the real hosts; pip install pysocks"
    )


def _run_python(python: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603  (the interpreter that the path names)
            [python, "-c", _QUESTION],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


_MOST_FILES = 500


class CredentialsOption(StrEnum):
    """Which credentials."""

    SERVICE_ACCOUNT = "service_account"
    AUTHORIZED_USER = "authorized_user"
    EXTERNAL_ACCOUNT = "external_account"
    METADATA = "metadata"


def check_options(kind: CredentialsOption | None, out: Path | None) -> None:
    """Refuse options that do not go together.

    Raises:
        MockServerError: A file without credentials, or credentials that are a file without one.
    """
    if kind is None and out is not None:
        raise MockServerError("--output is where --credentials go", hint="say which credentials")
    if kind is CredentialsOption.METADATA and out is not None:
        raise MockServerError(
            "--credentials metadata are variables, not a file: leave --output away"
        )
    if kind not in {None, CredentialsOption.METADATA} and out is None:
        raise MockServerError(
            f"--credentials {kind} are a file", hint="say where with --output FILE"
        )


async def with_credentials(
    server: "MockServer", info: "SessionInfo", kind: CredentialsOption, out: Path | None
) -> "SessionInfo":
    """A session whose environment block leads to its credentials; their file is written.

    Raises:
        MockServerError: The file cannot be written, or the server does not answer.
    """
    endpoint = "google" if "HTTPS_PROXY" in info.env else "server"
    made = await server.credentials(info.id, kind.value, endpoint=endpoint)
    if out is None:
        block = {name: str(value) for name, value in made.items()}
    else:
        block = {"GOOGLE_APPLICATION_CREDENTIALS": write_private(out, made)}
    return info.model_copy(update={"env": {**info.env, **block}})


async def with_default_credentials(server: "MockServer", info: "SessionInfo") -> "SessionInfo":
    """A session whose block leads to a user of it, in a file beside the certificates.

    Clients of every language look for it first; what else they would find depends on the client.
    It is a user, as on a developer's machine, since a service account gets nothing without scopes.
    Files of sessions long gone are removed.

    Raises:
        MockServerError: The file cannot be written, or the server does not answer.
    """
    from mockserver.storage.home import home_folder, private_folder

    folder = private_folder(private_folder(home_folder(os.environ)) / "credentials")
    kept = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in kept[:-_MOST_FILES]:
        path.unlink(missing_ok=True)
    kind = CredentialsOption.AUTHORIZED_USER
    made = await server.credentials(info.id, kind.value, endpoint="google")
    block = {
        "GOOGLE_APPLICATION_CREDENTIALS": write_private(folder / f"{info.id}.json", made),
        "GOOGLE_CLOUD_PROJECT": str(made["quota_project_id"]),
    }
    return info.model_copy(update={"env": {**info.env, **block}})


def write_private(path: Path, content: "JsonObject") -> str:
    """Write a file that only its owner can read; one that is there is replaced. Its whole path.

    Raises:
        MockServerError: It cannot be written.
    """
    text = json.dumps(content, indent=2) + "\n"
    try:
        # made for its owner alone
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            draft = Path(file.name)
            file.write(text)
        try:
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise MockServerError(f"cannot write {path}: {error.strerror or error}") from error
    return str(path.absolute())
