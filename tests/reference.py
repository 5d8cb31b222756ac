"""`python -m tests.reference` writes the pages of the reference that are made of the code.

Their texts are those of `--help` and of docstrings, so that each stands in one place. A test tells
when a page is no longer current.
"""

import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, get_args

import typer
from pydantic import BaseModel
from starlette.routing import Route
from typer.testing import CliRunner

from harness.cases import json_schema as case_schema
from harness.cases.coding import TaskSuite
from harness.checks import CHECKS
from harness.checks.expectation import AnyExpectation
from harness.cli.main import COMMANDS as HARNESS
from harness.cli.main import app as harness
from harness.cli.understudy import ABOUT, EXAMPLES
from harness.cli.understudy import COMMANDS as UNDERSTUDY
from harness.cli.understudy import app as understudy
from harness.doctor import RULES
from harness.errors import Exit
from harness.judge.specs import PROVIDERS
from harness.model import RunManifest, TrialDecision, TrialRecord
from harness.server.routes import ROUTES, ApiRoute, NoQuery, openapi
from harness.storage.files import CURRENT
from harness.storage.index.database import VERSION as INDEX_VERSION
from mockserver.cli.main import COMMANDS as MOCKSERVER
from mockserver.cli.main import app as mockserver
from mockserver.commands import LazyCommand
from mockserver.declared.declaration import declaration_schema
from mockserver.drift import Tier
from mockserver.drift.reports import EXIT_CODES
from mockserver.http.control import ClockStep, Control
from mockserver.model import (
    CASSETTE_VERSION,
    CredentialsEnd,
    Fault,
    JournalEntry,
    JsonObject,
    SessionInfo,
    SessionReport,
    SessionSpec,
)
from mockserver.model.journal import Miss
from mockserver.routing import Routes
from mockserver.sessions.environment import environment
from mockserver.sessions.session import Sessions
from mockserver.settings import Interception, Settings
from mockserver.shared.worker import FORMAT as SESSION_LOG_FORMAT
from mockserver.snapshots.importer import Stub
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.state import parse_rfc3339
from tests.discoverydocs import document

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
MADE = "*Made from the code by `python -m tests.reference`.*"


# --- Markdown ---


def cell(text: str) -> str:
    """A text that may stand in a table; what is no code is shown as it is written."""
    return prose(" ".join(text.split())).replace("|", r"\|")


def table(*header: str, rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A table, without its empty line."""
    yield f"| {' | '.join(header)} |"
    yield "|---" * len(header) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def attributes(owner: type) -> dict[str, str]:
    """What docstrings say of attributes, those of base classes included."""
    found: dict[str, str] = {}
    for kind in reversed(owner.__mro__):
        text = inspect.cleandoc(kind.__dict__.get("__doc__") or "")
        _, _, section = text.partition("Attributes:\n")
        section = re.split(r"\n\n\S", section)[0]
        for part in re.split(r"\n(?=    \w)", "\n" + section):
            name, _, about = part.strip().partition(": ")
            if name.isidentifier():
                found[name] = " ".join(about.split())
    return found


def prose(text: str) -> str:
    """A text outside of tables; what is no code is shown as it is written."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else _escaped(p) for p in parts)


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", r"\*")


def summary(owner: Any) -> str:
    """The paragraphs of a docstring before its sections."""
    text = inspect.cleandoc(owner.__doc__ or "")
    return re.split(r"\n\n(?:Attributes|Args|Returns|Raises|Yields):\n", text)[0]


def members(kind: type[IntEnum]) -> dict[int, str]:
    """The value of each member with the docstring that stands below it."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for before, node in zip(body.body, body.body[1:], strict=False):
        if isinstance(before, ast.Assign) and isinstance(node, ast.Expr):
            assert isinstance(before.targets[0], ast.Name)
            texts[kind[before.targets[0].id].value] = " ".join(ast.literal_eval(node.value).split())
    return texts


def form(schema: JsonObject) -> str:
    """A JSON Schema in a few words."""
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        forms = dict.fromkeys(form(each) for each in choices)
        return " or ".join(each for each in forms if each != "null") or "null"
    kind = schema.get("type", "any")
    if kind == "array":
        items = schema.get("items")
        return f"array of {form(items)}" if items else "array"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {form(schema['additionalProperties'])}"
    return str(kind)


def fields(model: type[BaseModel]) -> Iterator[str]:
    """The table of a model's fields."""
    schema = model.model_json_schema()
    told, required = attributes(model), schema.get("required", ())
    names = {field.alias or name: name for name, field in model.model_fields.items()}
    yield from table(
        "Field",
        "Type",
        "Default",
        "Meaning",
        rows=(
            (
                f"`{name}`",
                cell(form(about)),
                "required" if name in required else cell(_default(about)),
                cell(told.get(names.get(name, name), "")),
            )
            for name, about in schema.get("properties", {}).items()
        ),
    )


def _default(schema: JsonObject) -> str:
    value = schema.get("default")
    return "" if value is None else f"`{json.dumps(value)}`"


# --- the command lines ---

HALVES = (("mockserver", mockserver, MOCKSERVER), ("harness", harness, HARNESS))


def loaded(command: Any) -> Any:
    """A command as it is imported when it runs."""
    return command.load() if isinstance(command, LazyCommand) else command


def help_text(text: str) -> Iterator[str]:
    """The text of a command's help: paragraphs, examples and literal blocks."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        yield ""
        if paragraph.startswith("\b"):
            yield from ("```text", paragraph.removeprefix("\b").strip("\n"), "```")
        elif example := re.fullmatch(r"Example: (.*understudy .*)", paragraph):
            yield from ("```sh", example[1], "```")
        else:
            yield prose(paragraph.replace("\n", " "))


def command_pages() -> Iterator[tuple[str, str]]:
    """The pages of the command line and of the programs for its halves."""
    yield "commands/understudy.md", "\n".join(_understudy()) + "\n"
    for program, app, entries in HALVES:
        about = typer.main.get_group(app).help or ""
        lines = [f"# The program `{program}`", "", MADE, *help_text(about), "", HALF, ""]
        rows = []
        for entry in entries:
            for each in entry.commands or (entry,):
                words = each.name if each is entry else f"{entry.name} {each.name}"
                rows.append((f"`{program} {words}`", _link(each.umbrella_name), cell(each.summary)))
        lines += table("Command", "The same as", "What it does", rows=rows)
        yield f"commands/{program}.md", "\n".join(lines) + "\n"


HALF = "Its options and exit codes are those of the commands of `understudy`, where they are told."


def _link(words: str) -> str:
    anchor = f"understudy-{words.replace(' ', '-')}"
    return f"[`understudy {words}`](understudy.md#{anchor})"


def _understudy() -> Iterator[str]:
    yield from ("# The command `understudy`", "", MADE, "", ABOUT)
    examples = [f"{command:<42}{about}" for command, about in EXAMPLES.items()]
    yield from ("", "```text", *examples, "```")
    for section in dict.fromkeys(entry.section for entry in UNDERSTUDY):
        rows = [
            (_link(each.name), cell(each.summary)) for each in UNDERSTUDY if each.section == section
        ]
        yield ""
        yield from table(section, "What it does", rows=rows)
    group: Any = typer.main.get_group(understudy)
    for entry in UNDERSTUDY:
        yield from _command("understudy", entry.name, loaded(group.commands[entry.name]), depth=2)
        if entry.of_program:
            command = group.commands[entry.name].load(entry.of_program)
            yield from _command("understudy", f"{entry.name} -- PROGRAM", command, depth=2)


def _command(program: str, name: str, command: Any, *, depth: int) -> Iterator[str]:
    path = f"{program} {name}"
    context = typer.Context(command, info_name=path)
    yield from ("", f"{'#' * depth} {path}")
    yield from help_text(command.help or "")
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    yield from ("", "```text", usage, "```")
    for title, params in _panels(command).items():
        yield ""
        yield from table(title, "Meaning", rows=(_option(each, context) for each in params))
    for inner in getattr(command, "commands", {}):
        yield from _command(path, inner, loaded(command.commands[inner]), depth=depth + 1)


def _panels(command: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for param in command.params:
        if not getattr(param, "hidden", False):
            kind = "Argument" if param.param_type_name == "argument" else "Option"
            panel = getattr(param, "rich_help_panel", None)
            found.setdefault(f"{kind}: {panel}" if panel else kind, []).append(param)
    return found


def _option(param: Any, context: typer.Context) -> tuple[str, str]:
    names, about = param.get_help_record(context)
    names = re.sub(r"<list\[(.*)\]>", r"<\1> (repeatable)", names)
    for kind, shown in VALUES.items():
        names = names.replace(f"<{kind}>", shown)
    return f"`{names}`".replace("|", "/"), cell(about)


VALUES = {
    "str": "TEXT", "Path": "PATH", "path": "PATH", "int": "N", "int range": "N", "float": "X",
    "float range": "X",
}  # fmt: skip
"""Types of values as the help names them, and as the page does."""


# --- REST ---


def rest_page() -> Iterator[str]:
    """Both servers' routes, with what they take and answer."""
    yield from ("# REST APIs", "", MADE, "")
    yield "* [The control API of the mock server](#the-control-api-of-the-mock-server), below"
    yield "  `/_mock/`."
    yield "* [The API of the harness](#the-api-of-the-harness), of `understudy console`."
    yield from ("", "## The control API of the mock server", "")
    yield "[Server](server.md#control-api) shows each route in an example. Bodies are JSON, in"
    yield "and out."
    yield ""
    yield from table("Route", "What it does", rows=_control_routes())
    of_control: tuple[type[BaseModel], ...] = (
        SessionSpec, SessionInfo, SessionReport, JournalEntry, Miss, Fault, ClockStep,
        CredentialsEnd,
    )  # fmt: skip
    for model in of_control:
        yield from _model(model)
    yield from ("", "## The API of the harness", "")
    yield "[Runs over time](store.md#rest) says who may ask, and what is refused. `GET"
    yield "/openapi.json` answers [this OpenAPI document](schemas/harness.openapi.json)."
    yield ""
    yield from table("Route", "Takes", "Answers", "What it does", rows=map(_api_route, ROUTES))
    queries = [route.query for route in ROUTES if route.query is not NoQuery]
    bodies = [route.body for route in ROUTES if route.body]
    replies = [route.reply for route in ROUTES if route.reply]
    for model in dict.fromkeys([*queries, *bodies, *replies]):
        yield from _model(model)


def _control_routes() -> Iterator[tuple[str, str]]:
    worlds = SnapshotResolver(None)
    sessions = Sessions(
        worlds, real=lambda: parse_rfc3339("2026-11-20T09:00:00Z"), journal_bytes=1, limit=1
    )
    for route in Control(sessions, Settings(), worlds, Routes(())).application().routes:
        if isinstance(route, Route):
            verbs = sorted((route.methods or set()) - {"HEAD"})
            for verb in verbs:
                yield f"`{verb} {route.path.replace(':int', '')}`", cell(summary(route.endpoint))


def _api_route(route: ApiRoute) -> tuple[str, str, str, str]:
    taken = [] if route.query is NoQuery else [route.query]
    takes = [
        f"[{each.__name__}](#{each.__name__.lower()})" for each in (*taken, route.body) if each
    ]
    reply = f" [{route.reply.__name__}](#{route.reply.__name__.lower()})" if route.reply else ""
    answers = f"{route.status}{reply or f' `{route.media}`'}"
    return f"`{route.verb} {route.path}`", ", ".join(takes), answers, cell(route.about)


def _model(model: type[BaseModel]) -> Iterator[str]:
    yield from ("", f"### {model.__name__}", "", prose(summary(model)))
    if model.model_fields:
        yield ""
        yield from fields(model)


# --- formats ---


class Format(NamedTuple):
    """A kind of file.

    Attributes:
        name: What it is called.
        files: Where it is.
        schema: The name of its schema's file, or an empty string.
        make: Makes the schema.
        page: The page that explains it.
    """

    name: str
    files: str
    schema: str
    make: Callable[[], JsonObject]
    page: str


FORMATS = (
    Format("case", "`cases/*.yaml` of a suite", "case", case_schema, "cases.md#a-suite-in-yaml"),
    Format(
        "suite of tasks",
        "`suite.json`",
        "tasks",
        TaskSuite.model_json_schema,
        "cases.md#tasks-in-json",
    ),
    Format(
        "stub",
        "an entry of `http` in a snapshot",
        "stub",
        Stub.model_json_schema,
        "snapshots.md#errors-faults-tools-http",
    ),
    Format(
        "declared API",
        "`apis/*.yaml` of a suite",
        "declared-api",
        declaration_schema,
        "declared-apis.md",
    ),
    Format(
        "session",
        "the body of `POST /_mock/sessions`",
        "session",
        SessionSpec.model_json_schema,
        "server.md#control-api",
    ),
    Format(
        "manifest of a run",
        "`runs/<run>/manifest.json`",
        "run-manifest",
        RunManifest.model_json_schema,
        "running.md#the-run-directory",
    ),
    Format(
        "record of a trial",
        "`runs/<run>/trials/<case>/<n>.json`",
        "trial-record",
        TrialRecord.model_json_schema,
        "running.md#the-run-directory",
    ),
    Format(
        "decision about a trial",
        "in `runs/<run>/decisions/*.json`",
        "trial-decision",
        TrialDecision.model_json_schema,
        "running.md#the-run-directory",
    ),
    Format(
        "REST API of the harness",
        "`GET /openapi.json`",
        "",
        lambda: openapi(ROUTES, token=False),
        "rest.md",
    ),
)


class VersionedFormat(NamedTuple):
    """A kind of file that programs write.

    Attributes:
        name: What it is called.
        files: Where it is.
        version: The one that is written.
        earlier: What is done with earlier ones.
    """

    name: str
    files: str
    version: int
    earlier: str


_AS_IT_IS = "read as it is"
VERSIONED_FORMATS = (
    VersionedFormat("manifest of a run", "`manifest.json`", CURRENT["manifest"], _AS_IT_IS),
    VersionedFormat("record of a trial", "`trials/<case>/<n>.json`", CURRENT["trial"], _AS_IT_IS),
    VersionedFormat(
        "decisions of a run",
        "`decisions/*.json`",
        CURRENT["decisions"],
        "version 1, a bare list, is read; it does not say under which policy",
    ),
    VersionedFormat(
        "lists beside runs and in them",
        "`baselines.json`, `suites.json`, `judges.json`, `canaries.json`, `custody.json`",
        CURRENT["list"],
        _AS_IT_IS,
    ),
    VersionedFormat(
        "what a run touched of the fixtures", "`coverage.json`", CURRENT["coverage"], _AS_IT_IS
    ),
    VersionedFormat("baseline", "`--save-baseline FILE`", CURRENT["baseline"], _AS_IT_IS),
    VersionedFormat(
        "index of runs",
        "`index.db`, or a PostgreSQL database",
        INDEX_VERSION,
        "its tables are brought up to date when it is first used, and its runs are read anew",
    ),
    VersionedFormat(
        "cassette, recording, review",
        "`*.yaml`, `*.json`, `*.recording.yaml`, `*.review.yaml`",
        CASSETTE_VERSION,
        _AS_IT_IS,
    ),
    VersionedFormat(
        "sessions that processes share",
        "`--state-dir`, Redis",
        SESSION_LOG_FORMAT,
        "read; servers of different versions refuse to share sessions",
    ),
)


def formats_page() -> Iterator[str]:
    """The kinds of files, with links to their schemas."""
    yield from ("# Formats", "", MADE, "")
    yield "Files that people write and files that runs leave behind. In a file that people write"
    yield "an unknown key is an error that names the nearest known one. Editors complete and"
    yield "check by these schemas: see [cases](cases.md#a-suite-in-yaml) and"
    yield "[snapshots](snapshots.md#in-an-editor)."
    yield ""
    yield from table(
        "Format",
        "Where",
        "JSON Schema",
        "Explained in",
        rows=(
            (
                each.name,
                each.files,
                f"[{_schema_file(each)}](schemas/{_schema_file(each)})",
                f"[{each.page.partition('.')[0]}]({each.page})",
            )
            for each in FORMATS
        ),
    )
    yield ""
    yield "A [snapshot](snapshots.md) has the schemas of Google's Discovery documents in it,"
    yield "which are large: `understudy schema fixtures` prints its schema. A"
    yield "[cassette](cassettes.md#what-is-in-the-file) has vcrpy's layout, version 1, with two"
    yield "sections of our own; it has no JSON Schema. `understudy schema cases`,"
    yield "`understudy schema fixtures` and `understudy schema api` print those of the"
    yield "installed version."
    yield from ("", "## Versions", "")
    yield "What programs write has a version of its own, apart from that of the package. This"
    yield "version reads what every earlier one wrote; samples of them are read by tests. What a"
    yield "later one wrote is refused with one sentence, and left as it is: install that one."
    yield ""
    yield from table(
        "Format",
        "Where",
        "Version",
        "What is earlier",
        rows=(
            (each.name, each.files, str(each.version), each.earlier) for each in VERSIONED_FORMATS
        ),
    )
    yield ""
    yield "What people write (cases, snapshots, declared APIs, tasks, rules of redaction) has no"
    yield "version: keys are added, and an unknown one is an error. A key that came later does"
    yield "not change the hash of a case that has none, so that its runs stay comparable."


def _schema_file(each: Format) -> str:
    return f"{each.schema}.schema.json" if each.schema else "harness.openapi.json"


# --- checks, outcomes, environment ---


def checks_page() -> Iterator[str]:
    """The keys of `expect`, each with the checks that it becomes."""
    yield from ("# Checks", "", MADE, "")
    yield "What a case may expect, by the keys of `expect`; [cases](cases.md#expectations) shows"
    yield "each in an example. A single text may stand for a list of one. Below each key stand"
    yield "the checks that it becomes: their kind and their class of failure, as reports"
    yield "name them. An installed package can add keys: see [plug-ins](plugins.md)."
    sections: dict[str, list[type[AnyExpectation]]] = {}
    for check in CHECKS.values():
        sections.setdefault(check.section.name, []).append(check.kind)
    for name, kinds in sections.items():
        section = CHECKS[kinds[0].kind_name()].section
        yield from ("", f"## expect.{name}", "", prose(section.about))
        for model in _models_in(section.form):
            if model is not section.form:
                yield from ("", f"`{model.__name__}`: {prose(summary(model))}")
            yield ""
            yield from fields(model)
        yield ""
        yield from table(
            "Check",
            "Class of failure",
            "Holds when",
            rows=(
                (f"`{each.model_fields['kind'].default}`", each.failure, cell(summary(each)))
                for each in kinds
            ),
        )


def _models_in(kind: Any) -> list[type[BaseModel]]:
    """The models of a type, each once, the outermost first."""
    found: list[type[BaseModel]] = []
    waiting = [kind]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, type) and issubclass(each, BaseModel):
            if each not in found:
                found.append(each)
                waiting += [field.annotation for field in each.model_fields.values()]
        else:
            waiting += [inner for inner in get_args(each) if inner is not Ellipsis]
    return found


def outcomes_page() -> Iterator[str]:
    """Exit codes, and the names of findings."""
    yield from ("# Exit codes and findings", "", MADE, "")
    yield "Elsewhere: [status of a trial and verdict of a"
    yield "case](running.md#trials-verdicts-exit-codes), [whose failure it"
    yield "is](../explanation/statistics.md#what-is-counted), [verdict of a"
    yield "comparison](../explanation/statistics.md#comparing-two-runs)."
    yield from ("", "## Exit codes of understudy run", "", summary(Exit), "")
    yield from table(
        "Exit code",
        "Meaning",
        rows=((str(code), cell(text)) for code, text in members(Exit).items()),
    )
    yield from ("", "## Exit codes of mockserver", "")
    yield from table("Exit code", "Meaning", rows=MOCKSERVER_EXITS)
    yield from ("", "## Exit codes of understudy drift", "", "The most severe change decides.", "")
    told = members(Tier)
    yield from table(
        "Exit code",
        "Tier",
        "Meaning",
        rows=((str(EXIT_CODES[tier]), f"`{tier.name.lower()}`", cell(told[tier])) for tier in Tier),
    )
    yield from ("", "## Findings of understudy doctor", "")
    yield from table(
        "Rule", "What it finds", rows=((f"`{name}`", cell(text)) for name, text in RULES.items())
    )
    yield from ("", "## Why nothing answered", "", summary(Miss), "")
    yield from fields(Miss)


MOCKSERVER_EXITS = (
    ("0", "success"),
    ("1", "success, with problems, differences, leaks or unused recordings found"),
    ("2", "usage error, or a file that is missing or invalid"),
    ("3", "no server answers, or a capture had to stop"),
)  # fmt: skip


OTHER_VARIABLES = {
    "CI": "If it is set to anything but `0` or `false`, `understudy run` synthesizes no answers.",
    "RAY_ADDRESS": "The cluster that `understudy run --on ray` uses, as Ray itself reads it.",
    "MOCKSERVER_CA": "The folder of a permanent, shared certificate authority, as with `--ca`.",
    "UNDERSTUDY_TOOLS": "Where [tools inside an agent](cases.md#tools-inside-the-agent) ask who "
    "answers them; `mockserver.tools` reads it.",
    "WORKSPACE": "The folder of a trial, in the environment of its agent.",
    "UNDERSTUDY_HOME": "The folder of certificates, redaction key and credentials.",
    "XDG_DATA_HOME": "Without `UNDERSTUDY_HOME`, its subfolder `understudy` is used.",
    "XDG_CACHE_HOME": "Its subfolder `understudy` caches large files that were read; `~/.cache`.",
    "OTEL_SERVICE_NAME": "The service name of spans, instead of the program's name.",
    "MOCKSERVER_REDACTION_KEY": "The [key of pseudonyms](../explanation/redaction.md#the-key).",
}  # fmt: skip


def environment_page() -> Iterator[str]:
    """Variables that are read, and those that a session's environment sets."""
    yield from ("# Environment variables", "", MADE, "", "## Options", "")
    yield "An option on the command line takes precedence over its variable."
    yield ""
    yield from table("Variable", "Option", "Meaning", rows=_option_variables())
    yield from ("", "## Folders and keys", "")
    rows = [(f"`{name}`", text) for name, text in OTHER_VARIABLES.items()]
    for provider, (keys, address) in PROVIDERS.items():
        rows += [
            (f"`{key}`", f"The key of [judges](judges.md) `{provider}:MODEL`.") for key in keys
        ]
        rows.append((f"`{address}`", f"Another endpoint for judges `{provider}:MODEL`."))
    yield from table("Variable", "Meaning", rows=rows)
    yield from ("", "## What leads a program to a session", "")
    yield "`understudy env` prints these variables, and agents under test have them. [Unchanged"
    yield "clients](server.md#unchanged-clients) lists which client reads which."
    yield ""
    block = environment("ID", "TOKEN", "http://127.0.0.1:8765", _SETTINGS)
    yield from table(
        "Variable", "Example", rows=((f"`{name}`", f"`{value}`") for name, value in block.items())
    )


_HOME = Path("/home/ann/.local/share/understudy")
_SERVER = _HOME / "servers" / "127.0.0.1-8765"
_SETTINGS = Settings(
    fronts={"proxy": 8766},
    interception=Interception(
        _SERVER / "ca.pem", _SERVER / "ca-bundle.pem", _HOME / "node-preload.cjs"
    ),
)


def _option_variables() -> Iterator[tuple[str, str, str]]:
    found: dict[str, tuple[list[str], str]] = {}
    group: Any = typer.main.get_group(understudy)
    for path, command in _all_commands("understudy", group):
        for param in command.params:
            names = [param.envvar] if isinstance(param.envvar, str) else param.envvar or ()
            for variable in names:
                places, _ = found.setdefault(variable, ([], param.help or ""))
                places.append(f"`{path} {param.opts[0]}`")
    for variable in sorted(found):
        places, about = found[variable]
        yield f"`{variable}`", ", ".join(places), cell(about)


def _all_commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _all_commands(f"{path} {name}", loaded(inner))


# --- all ---

PAGES: Mapping[str, Callable[[], Iterator[str]]] = {
    "rest.md": rest_page,
    "formats.md": formats_page,
    "checks.md": checks_page,
    "outcomes.md": outcomes_page,
    "environment.md": environment_page,
}


def _requests() -> Iterator[str]:
    """The kinds of requests of the methods `batchUpdate` of editors."""
    yield from ("", "## Requests of batchUpdate", "")
    yield "What editors take by `batchUpdate`; a kind that is refused answers 501 with its name."
    yield ""
    rows = []
    for name, (room, version) in _EDITORS.items():
        known = document(f"{name}:{version}").schemas["Request"]["properties"]
        honoured = import_module(f"mockserver.apis.{name}.{room}").REQUESTS
        kinds = [
            [each for each in sorted(known) if (each in honoured) is own] for own in (True, False)
        ]
        rows.append(
            (name, *(", ".join(f"`{each}`" for each in several) or "-" for several in kinds))
        )
    yield from table("API", "Honoured", "Refused", rows=rows)


_EDITORS = {
    "docs": ("methods", "v1"),
    "sheets": ("methods", "v4"),
    "slides": ("requests", "v1"),
    "forms": ("methods", "v1"),
}


def reference() -> dict[str, str]:
    """Every file that is made, by its path below docs/reference."""
    made = dict(command_pages())
    for name, page in PAGES.items():
        made[name] = "\n".join(page()) + "\n"
    methods = CliRunner().invoke(mockserver, ["apis", "--markdown"]).output
    made["emulated.md"] = "\n".join([methods.rstrip(), *_requests(), ""])
    for each in FORMATS:
        text = json.dumps(each.make(), indent=2, ensure_ascii=False)
        made[f"schemas/{_schema_file(each)}"] = f"{text}\n"
    return made


def main() -> None:
    """Write the files that are not current, and say which."""
    for name, text in reference().items():
        path = FOLDER / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
