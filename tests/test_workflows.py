"""The workflows, forms and settings of `.github`, held to their schemas and to what they may do."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = {path.name: path for path in sorted((GITHUB / "workflows").iterdir())}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in WORKFLOWS.items()}
LOADED: dict[str, Any] = {name: yaml.safe_load(text) for name, text in TEXTS.items()}
JOBS = [(name, job) for name, loaded in LOADED.items() for job in loaded["jobs"]]

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))

SCHEMAS = {
    "workflows/*.yml": ("github-workflows", "github-workflows-require-timeout"),
    "ISSUE_TEMPLATE/config.yml": ("github-issue-config",),
    "ISSUE_TEMPLATE/[!c]*.yml": ("github-issue-forms",),
    "dependabot.yml": ("dependabot",),
}
OURS = {"github-workflows-require-timeout"}
"""Schemas that are not of the vendor, but of the one who checks."""

WRITES = {
    ("release.yml", "attest"): {"id-token", "attestations"},
    ("release.yml", "publish"): {"id-token"},
    ("release.yml", "page"): {"contents"},
    ("docs.yml", "publish"): {"pages", "id-token"},
}
"""What a job may write. No other writes anything."""

CONTEXTS = {"github", "matrix", "env", "runner", "steps", "needs"}
FUNCTIONS = {"always", "success", "failure", "contains", "startsWith", "hashFiles", "format"}
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>\d+)|(?P<name>[A-Za-z_][\w-]*(?:\.[\w*-]+)*)"
    r"|(?P<sign>==|!=|&&|\|\||[!<>()\[\],]))"
)
_USES = re.compile(r"uses: (\S+)(.*)")
_PINNED = re.compile(r"([\w.-]+/[\w./-]+)@[0-9a-f]{40}")


def _files() -> Iterator[tuple[str, Path]]:
    for pattern, schemas in SCHEMAS.items():
        for schema in schemas:
            prefix = "" if schema in OURS else "vendor."
            yield from ((f"{prefix}{schema}", path) for path in sorted(GITHUB.glob(pattern)))


@pytest.mark.slow
def test_every_file_is_valid_by_its_public_schema() -> None:
    asked: dict[str, list[str]] = {}
    for schema, path in _files():
        asked.setdefault(schema, []).append(str(path))
    assert sum(map(len, asked.values())) >= 8
    for schema, paths in asked.items():
        done = subprocess.run(
            [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *paths],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout


def test_every_file_of_the_folder_is_known() -> None:
    known = {path for _, path in _files()} | {
        GITHUB / name
        for name in (
            "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "PULL_REQUEST_TEMPLATE.md", "SECURITY.md",
        )
    }  # fmt: skip
    assert {path for path in GITHUB.rglob("*") if path.is_file()} == known


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_a_job_writes_only_what_it_may(name: str, job: str) -> None:
    whole = LOADED[name]["permissions"]
    assert whole in ({}, {"contents": "read"}), "a workflow reads, its jobs may write"
    permissions = LOADED[name]["jobs"][job].get("permissions", whole)
    writes = {scope for scope, access in permissions.items() if access != "read"}
    assert writes == WRITES.get((name, job), set())


def test_nothing_runs_code_of_strangers_with_our_rights() -> None:
    for name, loaded in LOADED.items():
        events = set(loaded[True])  # `on` is a boolean to YAML 1.1
        assert not events & {"pull_request_target", "workflow_run"}, name
        assert "pull_request" not in events or "secrets." not in TEXTS[name]


@pytest.mark.parametrize("name", [*WORKFLOWS, "action.yml"])
def test_every_action_is_pinned_to_a_commit_whose_version_is_told(name: str) -> None:
    text = TEXTS.get(name) or (ROOT / ".ci/action/action.yml").read_text(encoding="utf-8")
    for action, comment in _USES.findall(text):
        assert _PINNED.fullmatch(action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_an_action_has_one_pin() -> None:
    pins = {(use, told) for text in TEXTS.values() for use, told in _USES.findall(text)}
    assert len({use.partition("@")[0] for use, _ in pins}) == len(pins)


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_what_a_job_needs_is_there_and_comes_before(name: str, job: str) -> None:
    jobs = LOADED[name]["jobs"]
    seen, waiting = set[str](), [job]
    for each in waiting:
        needs = jobs[each].get("needs", [])
        waiting += [needs] if isinstance(needs, str) else needs
        assert waiting.count(job) == 1, "a circle"
        seen.add(each)
    assert seen <= jobs.keys()


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_expressions_are_read_and_name_what_there_is(name: str, job: str) -> None:
    definition = LOADED[name]["jobs"][job]
    text = json.dumps(definition)
    written = re.findall(r"\$\{\{(.*?)\}\}", text)
    conditions = [str(part["if"]) for part in [definition, *definition["steps"]] if "if" in part]
    given = {
        "matrix": set(definition.get("strategy", {}).get("matrix", {})),
        "steps": {step["id"] for step in definition["steps"] if "id" in step},
        "needs": {*definition.get("needs", [])},
    }
    for expression in [*written, *conditions]:
        for path in _names(expression):
            context, _, rest = path.partition(".")
            assert context in CONTEXTS, expression
            assert rest.partition(".")[0] in given.get(context, {rest.partition(".")[0]}), path


def _names(expression: str) -> list[str]:
    """The contexts that an expression reads, once it has been read whole."""
    names, at, depth, value = [], 0, 0, False
    while token := _TOKEN.match(expression, at):
        at, sign = token.end(), token["sign"]
        called = token["name"] and expression[at:].lstrip().startswith("(")
        assert not (called and token["name"] not in FUNCTIONS), expression
        if token["name"] and not called and token["name"] not in {"true", "false", "null"}:
            names.append(token["name"])
        if sign is None:
            assert not value, expression
        elif sign in {"==", "!=", "&&", "||", "<", ">", ")", "]", ","}:
            assert value or expression[:at].rstrip().endswith("()"), expression
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(sign or "", 0)
        value = not called if sign is None else sign in {")", "]"}
    assert not expression[at:].strip(), expression
    assert (depth, value) == (0, True), expression
    return names


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("github.ref", ["github.ref"]),
        ("github.event_name == 'push' && !(matrix.os)", ["github.event_name", "matrix.os"]),
        ("always() && contains(matrix.os, 'it''s')", ["matrix.os"]),
    ],
)
def test_a_good_expression_is_read(expression: str, names: list[str]) -> None:
    assert _names(expression) == names


@pytest.mark.parametrize(
    "expression",
    ["", "github.ref ==", "(github.ref", "github.ref 'a'", 'github.ref == "a"', "f(1)"],
)
def test_a_bad_expression_is_refused(expression: str) -> None:
    with pytest.raises(AssertionError):
        _names(expression)


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_scripts_are_sound_and_take_nothing_of_a_stranger_as_code(name: str, job: str) -> None:
    for step in LOADED[name]["jobs"][job]["steps"]:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        script = step.get("run", "")
        assert "${{" not in script, "hand it over in env"
        done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert set(re.findall(r"\bmake (\w+)", script)) <= TARGETS


def test_the_dev_container_builds_from_its_file_and_prepares_by_a_target_there_is() -> None:
    folder = ROOT / ".devcontainer"
    settings = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))
    text = (folder / settings["build"]["dockerfile"]).read_text(encoding="utf-8")
    assert f"USER {settings['remoteUser']}\n" in text
    assert settings["postCreateCommand"] == "make demo"
    programs = re.search(r"for program in (.*); do", (ROOT / ".ci/run").read_text(encoding="utf-8"))
    assert programs is not None
    packages = {each.partition(":")[2] for each in programs[1].split()}
    assert packages <= set(text.split())


@pytest.mark.parametrize("page", sorted(GITHUB.glob("*.md")), ids=lambda path: path.name)
def test_links_of_the_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!http)([^)#]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
    assert set(re.findall(r"`make (\w+)", text)) <= TARGETS


def test_help_begins_with_the_five_lines_of_a_first_change_and_has_every_target() -> None:
    done = subprocess.run(
        ["make", "-s", "-C", str(ROOT), "help"], capture_output=True, text=True, check=True
    )
    first, _, targets = done.stdout.partition("\n\n")
    lines = first.splitlines()
    assert [line.partition("  ")[0] for line in lines] == [
        "make demo", "make test", "edit", "try", "send",
    ]  # fmt: skip
    assert max(map(len, lines)) <= 110
    assert {line.split()[0] for line in targets.splitlines()} == TARGETS
    phony = re.search(r"^\.PHONY: (.*)", MAKEFILE, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == TARGETS
