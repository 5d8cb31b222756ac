"""`mockserver cassette lint`: secrets that are left in files, by place; fit for a commit hook."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mockserver.redaction import RuleSet

Rules = Annotated[
    Path | None,
    typer.Option("--redaction", help="Rules of your own; redaction.yaml when not given."),
]
_KINDS = frozenset({".yaml", ".yml", ".json", ".har", ".txt", ".log", ".ndjson", ".jsonl"})


def lint(
    files: Annotated[
        list[Path], typer.Argument(help="Cassettes of any tool, snapshots, logs; or folders.")
    ],
    *,
    redaction: Rules = None,
) -> None:
    """Look for secrets that are left, in every coding; tells where and of which kind, never what.

    Exits with 1 when there are any.

    Example: mockserver cassette lint cassettes
    """
    from mockserver.cassettes.leaks import file_leaks
    from mockserver.errors import LeakError

    rules = rules_of(redaction)
    places: list[str] = []
    looked = 0
    for path in _expanded(files):
        looked += 1
        places += [f"{path}: {leak}" for leak in file_leaks(path, rules)]
    if places:
        raise LeakError("secrets are left", places, hint="mockserver cassette redact FILE NEW")
    typer.echo(f"no secrets in {looked} files")


def rules_of(file: Path | None) -> "RuleSet":
    """The common rules, the user's and those of the emulated APIs."""
    from mockserver.apis import APIS
    from mockserver.storage.redaction_rules import redaction_rules

    return redaction_rules(file).extended(rule for api in APIS for rule in api.redaction())


def _expanded(paths: list[Path]) -> list[Path]:
    """The files named, and those of the folders named whose names say that they are text."""
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found.update(
            (file, None)
            for file in inside
            if file == path or (file.suffix in _KINDS and file.is_file())
        )
    return list(found)
