"""What travels to workers on other machines: the folder of the run, and its suite, in one archive.

What stays: runs, version control, environments of Python, caches, what git ignores (but for
`node_modules`), and files that are known to hold secrets.
"""

import fnmatch
import os
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import HarnessError, reason_of

MOST_BYTES = 400 * 1024 * 1024
"""What may travel, before it is packed."""

STAYING_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".venv", "venv", "__pycache__", ".mypy_cache", ".ruff_cache",
        ".pytest_cache", ".hypothesis", ".tox", ".nox", ".idea", ".vscode",
        ".aws", ".azure", ".docker", ".gcloud", ".gnupg", ".kube", ".ssh",
    }
)  # fmt: skip
"""Folders that no agent needs on another machine, and those of credentials."""

SECRET_FILES = (
    ".env", ".env.*", "*.env", ".envrc", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".npmrc", ".pypirc",
    ".pgpass", ".my.cnf", ".git-credentials", ".htpasswd", "credentials", "credentials.json",
    "client_secret*.json", "*service-account*.json", "*service_account*.json",
    "application_default_credentials.json", "secrets.*", "*.tfstate", "*.tfvars",
)  # fmt: skip
"""Names of files with secrets; what an agent is to know is given by `--env`."""

EXAMPLES = (".env.example", ".env.sample", ".env.template")

_OLDEST = (1980, 1, 1, 0, 0, 0)
_LARGEST = 3


@dataclass(frozen=True, slots=True)
class Travel:
    """What goes with the trials to other machines.

    Attributes:
        folder: Where the run was started: the agent's code.
        suite: The suite's folder.
        without: Folders that stay, such as that of the runs.
        also: Files and folders below `folder` that go though git ignores them.
        most: At most so many workers, where the place has as many as it likes.
    """

    folder: Path
    suite: Path
    without: tuple[Path, ...] = ()
    also: tuple[Path, ...] = ()
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Package:
    """An archive of what travels.

    Attributes:
        path: The archive.
        folder: Where the run's folder is in it.
        suite: Where the suite is in it.
        names: What it holds, sorted.
    """

    path: Path
    folder: str
    suite: str
    names: tuple[str, ...]


def is_secret(name: str) -> bool:
    """Whether files of a name are known to hold secrets.

    >>> is_secret(".env.local"), is_secret(".env.example"), is_secret("base.json")
    (True, False, False)
    """
    folded = name.casefold()
    if folded in EXAMPLES:
        return False
    return any(fnmatch.fnmatchcase(folded, pattern) for pattern in SECRET_FILES)


def write_package(travel: Travel, to: Path) -> Package:
    """Write the archive; the same files give the same bytes.

    Raises:
        HarnessError: There is too much of it, something cannot be read, or what is to go though git
            ignores it holds secrets, or lies elsewhere.
    """
    folder, suite = travel.folder.resolve(), travel.suite.resolve()
    inside = suite.is_relative_to(folder)
    below = Path("work") / suite.relative_to(folder) if inside else Path("suite") / suite.name
    suite_at = below.as_posix()
    files: dict[str, Path] = {}
    for path in _files(folder, travel.without, _ignored_by_git(folder)):
        files[f"work/{path.relative_to(folder).as_posix()}"] = path
    for path in _files(suite, travel.without, lambda _: False):
        files[f"{suite_at}/{path.relative_to(suite).as_posix()}"] = path
    for path in _extra_files(folder, travel):
        files[f"work/{path.relative_to(folder).as_posix()}"] = path
    _check_size(files)
    try:
        _write(files, to)
    except OSError as error:
        raise HarnessError(f"cannot pack {str(folder)!r}: {reason_of(error)}") from None
    return Package(to, "work", suite_at, tuple(sorted(files)))


def _extra_files(folder: Path, travel: Travel) -> Iterator[Path]:
    """The files that are to go though git ignores them.

    Yields:
        Their paths.

    Raises:
        HarnessError: One is not there, lies elsewhere, or holds secrets.
    """
    for each in travel.also:
        path = (folder / each).resolve()
        if not path.exists() or not path.is_relative_to(folder):
            raise HarnessError(
                f"--ship {str(each)!r} names nothing below {str(folder)!r}",
                hint="name a file or a folder of the one in which the run is started",
            )
        if path.is_file() and is_secret(path.name):
            raise HarnessError(
                f"--ship {str(each)!r} is a file of secrets", hint="give its values with --env"
            )
        yield from [path] if path.is_file() else _files(path, travel.without, lambda _: False)


def _files(
    root: Path, without: Sequence[Path], is_ignored: Callable[[Path], bool]
) -> Iterator[Path]:
    """The files of a folder that travel.

    Yields:
        Their paths, in order.
    """
    staying = {path.resolve() for path in without}
    for place, folders, names in os.walk(root):
        here = Path(place)
        folders[:] = sorted(
            name
            for name in folders
            if name not in STAYING_FOLDERS
            and here / name not in staying
            and not (here / name / "pyvenv.cfg").is_file()
            and (name == "node_modules" or not is_ignored(here / name))
        )
        for name in sorted(names):
            path = here / name
            if not is_secret(name) and not is_ignored(path) and _stays_inside(path, root):
                yield path


def _stays_inside(path: Path, root: Path) -> bool:
    """Whether it is a file, and a link only to one below the same folder that holds no secret."""
    if path.is_symlink():
        target = path.resolve()
        return target.is_file() and target.is_relative_to(root) and not is_secret(target.name)
    return path.is_file()


def _ignored_by_git(folder: Path) -> Callable[[Path], bool]:
    """What tells whether git ignores a path; nothing where there is no git, or no repository."""
    git = shutil.which("git")
    if git is None:
        return lambda _: False
    command = [git, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, check=False)  # noqa: S603
    names = (os.fsdecode(each).rstrip("/") for each in listed.stdout.split(b"\0") if each)
    ignored = frozenset(folder / name for name in names)

    def is_ignored(path: Path) -> bool:
        return path in ignored and "node_modules" not in path.parts

    return is_ignored


def _check_size(files: dict[str, Path]) -> None:
    sizes: dict[str, int] = {}
    for name, path in files.items():
        part = "/".join(name.split("/")[1:3])
        sizes[part] = sizes.get(part, 0) + path.stat().st_size
    total = sum(sizes.values())
    if total <= MOST_BYTES:
        return
    largest = sorted(sizes, key=lambda part: -sizes[part])[:_LARGEST]
    told = ", ".join(f"{part} {sizes[part] / 1e6:,.0f} MB" for part in largest)
    raise HarnessError(
        f"{total / 1e6:,.0f} MB would travel to the workers, more than {MOST_BYTES / 1e6:,.0f}:"
        f" {told}",
        hint="start the run in a folder with the agent alone, or let git ignore what it needs not",
    )


def _write(files: dict[str, Path], to: Path) -> None:
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in sorted(files):
            path = files[name]
            mode = 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644
            member = zipfile.ZipInfo(name, _OLDEST)
            member.external_attr = (stat.S_IFREG | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, path.read_bytes())
