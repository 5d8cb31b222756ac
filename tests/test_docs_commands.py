"""Every command that a text names is one of `understudy`, with options that it has.

Texts are the documents, the README files, the pages of the consoles, what CI includes, and the
strings in our code: help, hints, messages, docstrings. The pages of the two halves name their own.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from harness.cli.main import COMMANDS as HARNESS
from harness.cli.understudy import app
from mockserver.cli.main import COMMANDS as MOCKSERVER
from mockserver.commands import LazyCommand
from tests.documents import ROOT, blocks, code_in, without_blocks

HALVES = {
    "docs/reference/commands/harness.md", "docs/reference/commands/mockserver.md",
    "harness/cli/main.py", "mockserver/cli/main.py",
}  # fmt: skip
"""The pages about the halves, and what they are made of."""

PROSE = [
    path
    for pattern in ("*.md", ".github/*.md", "docs/**/*.md", "fixtures/*/README.md")
    for path in sorted(ROOT.glob(pattern))
]
FILES = [
    path
    for pattern in (
        ".ci/**/*", ".github/**/*.yml", ".pre-commit-hooks.yaml", "docs/Dockerfile", "docs/js/*",
        "cassettes/plans/*", "harness/**/*.html", "mockserver/**/*.html", "harness/**/*.js",
        "mockserver/**/*.js",
    )
    for path in sorted(ROOT.glob(pattern))
    if path.is_file()
]  # fmt: skip
SOURCES = [
    path
    for house in ("harness", "mockserver", "fixtures")
    for path in sorted((ROOT / house).rglob("*.py"))
]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- the commands that there are ---


def loaded(command: Any) -> Any:
    return command.load() if isinstance(command, LazyCommand) else command


GROUP: Any = typer.main.get_command(app)
NAMES = {
    program: {entry.name for entry in entries}
    for program, entries in (("harness", HARNESS), ("mockserver", MOCKSERVER))
}


def options_of(command: Any) -> set[str]:
    return {
        "--help",
        *(name for each in command.params for name in each.opts + each.secondary_opts),
    }


def fault_of(line: str) -> str:
    """What is wrong with a command line of `understudy`; empty where it is right."""
    line = re.split(r"[|;&<>)#`\"]|\$\(| -- |\.\.\. ", line)[0] if "--check" not in line else line
    words = line.split()[1:]
    command, options = GROUP, options_of(GROUP)
    for word in words:
        if re.fullmatch(r"--[a-z][a-z-]*", name := word.partition("=")[0]):
            if name not in options:
                return f"no option {name}"
            if name == "--check":
                break
        elif commands := getattr(command, "commands", {}):
            if not re.fullmatch(r"[a-z][a-z-]*[a-z]", word):
                break
            if word not in commands:
                return f"no command {word!r}"
            of_program = getattr(getattr(commands[word], "entry", None), "of_program", "")
            command = loaded(commands[word])
            options = options_of(command)
            if of_program:
                options |= options_of(commands[word].load(of_program))
    return ""


# --- what texts name ---

OF_HALF = re.compile(
    r"(?<![\w/.-])(?<!from )(?<!import )(?<!-m )(?<!the )(?<!The )(harness|mockserver)\s+([a-z-]+)"
)
CALL = re.compile(r"(?<![\w/.'-])(?<!-t )understudy (?=[a-z-])(?!(?:\w+ )?ready at ).*")


def faults_of(text: str, calls: Iterator[str]) -> Iterator[str]:
    for program, command in OF_HALF.findall(text):
        if command in NAMES[program]:
            yield f"`{program} {command}` is to be called by its name in `understudy`"
    for call in calls:
        if fault := fault_of(call):
            yield f"{call[:100]}: {fault}"


def calls_in(text: str) -> Iterator[str]:
    yield from CALL.findall(re.sub(r"\\\n\s*", "", text))


def code_of(text: str) -> Iterator[str]:
    """Blocks, and what is set as code in the lines between them."""
    yield from blocks(text)
    yield from (" ".join(each.split()) for each in code_in(without_blocks(text)))


@pytest.mark.parametrize("path", PROSE, ids=name_of)
def test_documents_name_commands_of_understudy(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    calls = (call for code in code_of(text) for call in calls_in(code))
    found = list(faults_of("" if name_of(path) in HALVES else text, calls))
    assert found == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_of_others_name_commands_of_understudy(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    assert list(faults_of(text, calls_in(text))) == []


def strings_of(tree: ast.AST) -> Iterator[str]:
    """The texts of a module, with {} where a value is put in."""
    inside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in ast.walk(node)}
            yield "".join(
                str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside
        ):
            yield node.value


SAID = re.compile(
    r"(?:^|[`:] |`|<code>|>)(understudy (?=[a-z-]+)(?!(?:\w+ )?ready at )[^`\n<]*)", re.MULTILINE
)
"""A command in a message: at its begin, behind a colon, or set as code."""

A_NAME = re.compile(r"\b(?:understudy|harness|mockserver)\s")
"""What stands in the code wherever a text of it names a command; few modules are to be parsed."""


@pytest.mark.slow
@pytest.mark.parametrize("house", ["harness", "mockserver", "fixtures"])
def test_messages_and_help_name_commands_of_understudy(house: str) -> None:
    found = []
    for path in SOURCES:
        code = path.read_text(encoding="utf-8")
        if name_of(path).startswith(house) and name_of(path) not in HALVES and A_NAME.search(code):
            for text in strings_of(ast.parse(code)):
                plain = re.sub(r"(?<=[a-z-])\n +(?=[a-z])", " ", text)
                calls = (each for each in SAID.findall(plain))
                found += [f"{name_of(path)}: {fault}" for fault in faults_of(plain, calls)]
    assert found == []


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ("understudy run evals --agent echo", ""), ("understudy runs list --limit 5", ""),
        ("understudy record --cassette a.yaml -- program --any", ""),
        ("understudy replay evals --ids A", ""), ("understudy --version", ""),
        ("understudy runs", ""), ("understudy schema cases > a.json", ""),
        ("understudy list-suites", "no command 'list-suites'"),
        ("understudy runs fold", "no command 'fold'"),
        ("understudy record --out a.yaml", "no option --out"),
    ],
)  # fmt: skip
def test_what_is_no_command_is_found(call: str, fault: str) -> None:
    assert fault_of(call) == fault
