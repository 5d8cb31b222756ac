"""What a sandboxed agent sees of this machine's files."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.errors import reason_of

_PATIENCE_S = 20


@dataclass(frozen=True, slots=True)
class Probe:
    """What a command did.

    Attributes:
        output: What it wrote to stdout.
        failure: Why it failed: the last line that it wrote to stderr; empty where it succeeded.
    """

    output: str = ""
    failure: str = ""


def probe(argv: Sequence[str]) -> Probe:
    """Run a program that was found on the path, and wait for it."""
    try:
        done = subprocess.run(  # noqa: S603  (programs that were found on the path)
            argv, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except OSError as error:
        return Probe(failure=reason_of(error))
    except subprocess.TimeoutExpired:
        return Probe(failure=f"it did not end within {_PATIENCE_S} s")
    last = done.stderr.strip().rpartition("\n")[2]
    return Probe(done.stdout, (last or f"exit code {done.returncode}") if done.returncode else "")


SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store",
)  # fmt: skip
"""Where programs and libraries are."""

ETC = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "debian_version", "fonts", "group",
    "hosts", "java", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types",
    "nsswitch.conf", "os-release", "passwd", "pki/ca-trust", "pki/tls/certs", "protocols",
    "resolv.conf", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
"""What of `/etc` programs need, none of which is secret."""

CREDENTIALS = frozenset({
    ".aws", ".azure", ".config", ".docker", ".git", ".git-credentials", ".gnupg", ".kube",
    ".netrc", ".npmrc", ".pgpass", ".pypirc", ".ssh", ".understudy",
})  # fmt: skip
"""Names that hold credentials, or the history of files that did."""

_WHOLE = ("pyvenv.cfg", "shims", "lib/node_modules", "lib/python3.*/os.py")
"""What tells that a folder holds a program with all it needs."""

_ANY = "*"

_ENV_FILE = ".env"
_DEPTH = 3
_SKIPPED = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox"})


@dataclass(frozen=True)
class Mount:
    """A file or folder, at the path that it has on this machine.

    Attributes:
        path: Absolute.
        kind: Read-only; writable; covered by an empty one; or empty, writable and gone at the end.
    """

    path: Path
    kind: Literal["read", "write", "hide", "temporary"]


@dataclass(frozen=True)
class ViewOptions:
    """What decides what is seen, beside the command itself.

    Attributes:
        folder: Where the harness was started.
        workspace: The only folder that can be written.
        gate: The folder of the gate.
        home: The user's home.
        hidden: The suite, and where runs are kept.
        read: What the user named.
    """

    folder: Path
    workspace: Path
    gate: Path
    home: Path
    hidden: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()


def visible(
    argv: Sequence[str], block: Mapping[str, str], options: ViewOptions
) -> tuple[Mount, ...]:
    """What of the user's own files an agent sees, folders before what is in them.

    Args:
        argv: Its command.
        block: The environment of its session, whose files (certificates, keys) it needs.
        options: What else decides.
    """
    named = [path.absolute() for path in options.read]
    read = [*_of_program(argv, options), *named]
    hidden = [path.absolute() for path in options.hidden if path.exists()]
    covered = [path for folder in read for path in credentials_below(folder)]
    covered += [path for path in hidden if is_below(path, read)]
    # an agent that is in the suite's own folder is still seen, though nothing beside it
    agent = [path for path in _files(argv) if is_below(path, hidden)]
    found = {path: Mount(path, "read") for path in read}
    found |= {path: Mount(path, "hide") for path in covered}
    found |= {path: Mount(path, "read") for path in (*agent, *named, *_named_files(block))}
    found[options.gate] = Mount(options.gate, "read")
    found[options.workspace] = Mount(options.workspace, "write")
    return tuple(sorted(found.values(), key=lambda each: (len(each.path.parts), each.path)))


def program_folders(program: str, path: str, home: Path) -> tuple[Path, ...]:
    """What programs outside of the system's come with: virtual environments, Node's modules.

    Args:
        program: The first part of a command.
        path: Where programs are looked for, as `PATH` says it.
        home: The user's home, which is never meant.

    Returns:
        Folders; the program itself where it is alone.
    """
    found = shutil.which(program, path=path)
    several = [Path(each, _ANY) for each in path.split(os.pathsep) if each.startswith("/")]
    several += [Path(found).absolute()] if found else []
    return tuple(dict.fromkeys(each for one in several for each in _comes_with(one, home)))


def _comes_with(program: Path, home: Path) -> Iterator[Path]:
    for each in dict.fromkeys((program, program.resolve())):
        prefix = each.parent.parent
        if is_below(each, SYSTEM):
            continue
        if any(next(prefix.glob(mark), None) for mark in _WHOLE) and not _is_home(prefix, home):
            yield prefix
            yield from _base_of(prefix)
        elif each.name != _ANY:
            yield each


def _base_of(prefix: Path) -> tuple[Path, ...]:
    """The Python that a virtual environment was made of, where it is not the system's."""
    python = prefix / "bin" / "python"
    base = python.resolve().parent.parent
    return (base,) if python.exists() and base != prefix and not is_below(base, SYSTEM) else ()


def credentials_below(folder: Path, depth: int = _DEPTH) -> Iterator[Path]:
    """Files and folders that hold credentials by their names, near the top of a folder.

    Yields:
        Their paths.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name) if depth else []
    except OSError:
        return
    for entry in entries:
        if entry.name in CREDENTIALS or entry.name.startswith(_ENV_FILE):
            yield Path(entry.path)
        elif entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False):
            yield from credentials_below(Path(entry.path), depth - 1)


def home_folder() -> Path:
    """The user's home; a folder for temporary files where there is none."""
    try:
        home = Path.home()
    except RuntimeError:
        home = Path()
    return home if home.is_absolute() and home != Path("/") else Path(tempfile.gettempdir())


def system_folders() -> tuple[Path, ...]:
    """What of the system itself is seen."""
    paths = (*map(Path, SYSTEM), *(Path("/etc", name) for name in ETC))
    return tuple(path for path in paths if path.exists())


def _of_program(argv: Sequence[str], options: ViewOptions) -> list[Path]:
    folder = options.folder.absolute()
    found: list[Path] = []
    for file in _files(argv):
        inside = file.is_relative_to(folder)
        wanted = folder if inside and not _is_home(folder, options.home) else file.parent
        found.append(file if _is_home(wanted, options.home) else wanted)
    return list(dict.fromkeys(found))


def _files(argv: Sequence[str]) -> list[Path]:
    """The files of the user that a command names."""
    paths = [Path(part) for part in argv if part.startswith("/")]
    return [path for path in paths if path.is_file() and not _is_installed(path)]


def _is_installed(path: Path) -> bool:
    return is_below(path, SYSTEM) or (path.parent.parent / _WHOLE[0]).exists()


def _named_files(block: Mapping[str, str]) -> list[Path]:
    """The files that the variables of a session name, an option's value among them."""
    texts = (value.partition("=")[2] if value[:2] == "--" else value for value in block.values())
    paths = (Path(text.strip('"')) for text in texts)
    return [path for path in paths if path.is_absolute() and path.is_file()]


def is_below(path: Path, folders: Iterable[Path | str]) -> bool:
    """Whether a path is one of some folders, or in it."""
    return any(path.is_relative_to(folder) for folder in folders)


def _is_home(folder: Path, home: Path) -> bool:
    """Whether a folder is the user's home, or holds it."""
    return home.is_relative_to(folder)
