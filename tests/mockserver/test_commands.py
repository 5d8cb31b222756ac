import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from harness.cli.main import COMMANDS as HARNESS
from harness.cli.main import app as harness
from harness.cli.understudy import app as understudy
from mockserver.cli.main import COMMANDS as MOCKSERVER
from mockserver.cli.main import app as mockserver
from mockserver.commands import CommandEntry, lazy_group
from tests.command_line import command_of
from tests.documents import DOCS, table


@pytest.mark.parametrize(
    ("app", "entry"),
    [*((harness, each) for each in HARNESS), *((mockserver, each) for each in MOCKSERVER)],
    ids=[f"harness {each.name}" for each in HARNESS]
    + [f"mockserver {each.name}" for each in MOCKSERVER],
)
def test_the_table_says_what_the_command_says(app: typer.Typer, entry: CommandEntry) -> None:
    command = command_of(app, entry.name)
    assert command.name == entry.name
    assert " ".join(command.help.split("\n\n")[0].split()) == entry.summary
    for each in entry.commands:
        below = command.commands[each.name]
        below = below.load() if hasattr(below, "load") else below
        assert " ".join(below.help.split("\n\n")[0].split()) == each.summary


def test_a_command_is_imported_when_it_runs_and_not_before() -> None:
    app = typer.Typer(cls=lazy_group([CommandEntry("gone", "no.such.module:run", "Go.")]))

    @app.callback()
    def main() -> None:
        """Do things."""

    assert "Go." in CliRunner().invoke(app, ["--help"]).output
    assert isinstance(CliRunner().invoke(app, ["gone"]).exception, ModuleNotFoundError)


def test_help_begins_with_what_matters_and_goes_on_by_group() -> None:
    shown = CliRunner().invoke(harness, ["run", "--help"]).output
    titles = [line.rstrip(":") for line in shown.splitlines() if line and line[0] != " "][1:]
    first = shown.partition("\nOptions:\n")[2].partition("\n\n")[0]
    assert titles[:3] == ["Arguments", "Options", "Agent"]
    assert {"Cases", "Mocked world", "Run and reports"} <= set(titles)
    assert sum(line.startswith("  -") for line in first.splitlines()) == 11  # ten, and --help
    assert "Proxy, TLS and gRPC:" in CliRunner().invoke(mockserver, ["serve", "--help"]).output


COMPLETED = [
    ("understudy cas", "case cassette"),
    ("understudy runs pr", "prune"),
    ("understudy snapshot ex", "explain"),
    ("understudy run --rep", "--replay --report"),
    ("understudy run fixtures/of", "fixtures/office"),
    ("understudy run fixtures/office --ids ", "open-door closed-door"),
    ("understudy run fixtures/office --ids open-door,cl", "open-door,closed-door"),
    ("understudy report ", "latest"),
    ("understudy report latest --format ju", "junit"),
    ("understudy case show --suite nowhere ", ""),
    ("understudy serve --fixtures ", "fixtures/office"),
    ("understudy serve --fixtures fixtures/office --case ", "closed-door open-door"),
    ("understudy env --format po", "powershell"),
    ("understudy apis cloudi", "cloudidentity"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "completed"), COMPLETED, ids=[typed for typed, _ in COMPLETED])
def test_bash_completes(typed: str, completed: str, tmp_path: Path) -> None:
    """By the script that users install, in bash itself."""
    suite = tmp_path / "fixtures" / "office"
    for case in ("open-door", "closed-door"):
        (suite / case).mkdir(parents=True)
        (suite / case / "overrides.json").write_text("{}")
    cases = [
        {
            "id": case,
            "input": [{"user": "Who is there?"}],
            "expect": {"text": {"contains": ["Ann"]}},
        }
        for case in ("open-door", "closed-door")
    ]
    (suite / "cases.yaml").write_text(json.dumps({"cases": cases}))
    words = [*shlex.split(typed), *([""] if typed.endswith(" ") else [])]
    program = (
        f'eval "$({words[0]} --show-completion bash)"\n'
        f"COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}\n"
        f"_{words[0]}_completion {words[0]}\n"
        'echo "${COMPREPLY[*]}"'
    )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(done.stdout.split()) == sorted(completed.split()), done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_script_of_each_shell_is_printed(shell: str) -> None:
    shown = CliRunner().invoke(understudy, ["--show-completion", shell])
    assert shown.exit_code == 0
    assert "_UNDERSTUDY_COMPLETE" in shown.output


def leaves(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command that can be run, with how it is called."""
    for name, entry in group.commands.items():
        command = entry.load() if hasattr(entry, "load") else entry
        if hasattr(command, "commands"):
            yield from leaves(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


LEAVES = dict(leaves(typer.main.get_group(understudy), "understudy"))
FACTLESS = {
    "runs until it is stopped": {
        "understudy serve", "understudy mcp", "understudy capture proxy", "understudy capture mcp",
        "understudy console",
    },
    "writes files, and names them": {
        "understudy init", "understudy learn", "understudy snapshot from-cassette",
        "understudy snapshot minimise", "understudy cassette redact", "understudy cassette import",
        "understudy cassette export", "understudy cassette stub", "understudy capture google",
        "understudy capture finish", "understudy report", "understudy runs charts",
        "understudy suite import", "understudy runs import", "understudy case new",
        "understudy promote", "understudy runs judge labels",
    },
    "changes what is kept, and says so": {
        "understudy baseline set", "understudy suite register", "understudy runs index",
    },
    "writes report.json of several runs": {"understudy demo"},
    "prints JSON anyhow": {
        "understudy schema cases", "understudy schema fixtures", "understudy schema api",
        "understudy schema model", "understudy snapshot diff",
    },
}  # fmt: skip


def test_every_command_that_prints_facts_prints_them_as_json() -> None:
    with_json = {
        path
        for path, command in LEAVES.items()
        if any("--json" in param.opts for param in command.params)
    }
    without = set().union(*FACTLESS.values())
    assert not with_json & without
    assert LEAVES.keys() - with_json - without == set(), "give it --json, or say why it has none"
    rows = table(DOCS["command-line"], "Command")
    documented = {name.strip("`") for row in rows for name in row[0].split(", ")}
    assert documented == with_json


RECORDING = "cassettes/directory/orgunits.yaml"
JSON_CALLS = {
    "understudy apis": ["api", "documents", "methods"],
    "understudy apis directory --level emulated": ["method_id", "version", "level", "route"],
    "understudy snapshot show fixtures/travel": [],
    "understudy snapshot explain fixtures/chrome-enterprise /orgUnits/0/name": [
        "pointer", "value", "written_in", "reshaped",
    ],
    "understudy snapshot lint fixtures/travel": ["suite", "snapshots", "problems"],
    f"understudy cassette show {RECORDING}": ["name", "interactions"],
    f"understudy cassette show {RECORDING} 1": ["number", "request"],
    f"understudy cassette diff {RECORDING} {RECORDING}": [
        "same", "removed", "added", "changed",
    ],
    "understudy cassette lint cassettes/directory": ["file", "leaks"],
    "understudy redaction rules": ["name", "kind", "fields", "asked"],
    "understudy redaction test cassettes/directory/orgunits.yaml": ["file", "values"],
    "understudy capture review cassettes/directory/orgunits.yaml": [],
    "understudy suite list fixtures/sre": ["path", "format", "cases", "categories", "errors"],
    "understudy lint fixtures/sre": ["version", "suites"],
    "understudy case show EC-001": ["case", "hash", "messages", "fixtures"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("call", "keys"), JSON_CALLS.items(), ids=list(JSON_CALLS))
def test_json_alone_is_on_standard_output(call: str, keys: list[str]) -> None:
    done = CliRunner().invoke(understudy, [*call.split()[1:], "--json"])
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    first = printed[0] if isinstance(printed, list) and printed else printed
    assert keys == [] or set(keys) <= set(first)
