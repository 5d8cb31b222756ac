"""How an environment block is written: for a shell, a file, a program, a container."""

import json
import shlex
from collections.abc import Callable, Mapping
from enum import StrEnum
from urllib.parse import urlsplit

Block = Mapping[str, str]

_FILES = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "GOOGLE_APPLICATION_CREDENTIALS")
_PRELOAD = "--require="


class Format(StrEnum):
    """How the block is written."""

    SH = "sh"
    DOTENV = "dotenv"
    JSON = "json"
    DOCKER = "docker"


def written(block: Block, form: Format) -> str:
    """A block as text."""
    return _WRITERS[form](block)


def _shell(block: Block) -> str:
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in block.items())


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
    host = urlsplit(block.get("MOCK_SERVER_URL", "")).hostname or ""
    if host in {"localhost", "::1"} or host.startswith("127."):
        options.append("--network=host")
    return "\n".join(shlex.quote(option) for option in options)


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
    Format.DOTENV: _dotenv,
    Format.JSON: _json,
    Format.DOCKER: _docker,
}
