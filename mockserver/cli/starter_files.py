"""What `understudy init` writes: a suite and files around it, or the package of a plug-in."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path

from mockserver.errors import MockServerError
from mockserver.model import did_you_mean
from mockserver.plugins import GROUPS, table_of

_PROGRAMS = ("agent.py", "main.py", "app.py", "agent.mjs", "agent.js", "index.js", "agent.sh")
_STARTS = {".py": "python", ".mjs": "node", ".js": "node", ".sh": "sh"}

_CASE = """\
# One case: what the agent is told, and what must hold afterwards.
cases:
  - id: FIRST-001
    title: The agent answers
    input: Say in one sentence what you can do.
    expect:
      text: {regex: ['\\w{2,}']}
    reference:
      answer: I answer questions.
"""
_CI = """\
name: understudy
on: [push, pull_request]
jobs:
  cases:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: "3.11"}
      - run: pip install vendor/understudy-*.whl # the wheel that `make dist` builds in a checkout
      - run: understudy lint SUITE
      - run: understudy run --run-dir runs
      - uses: actions/upload-artifact@v4
        if: always()
        with: {name: runs, path: runs}
"""

_DECLARATION = """\
# WHERE asks https://HOST. Say here what it answers. A stub is one literal answer:
#   - {route: "GET ROUTE", body: {status: ok}}
# A collection is rows that can be listed, made and changed. `understudy init --openapi` writes such
# a file of an OpenAPI document, `understudy learn` of recordings.
api: NAME
hosts: [HOST]
stubs: []
"""
_URL = re.compile(r"""["'`]https?://([\w-]+(?:\.[\w-]+)+)(/[^\s"'`?#]*)?""")
_VARIABLE = re.compile(
    r"""(?:environ(?:\.get\(|\[)|getenv\(|process\.env\[)\s*["'](\w+)["']|process\.env\.(\w+)"""
)
_IMPORT = re.compile(r"""(?:\bfrom|\bimport|\brequire\()\s*["']?([@\w./-]+)""")
_PLACEHOLDER = re.compile(r"\$?\{[^}]*\}")
_MODELS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "api.openai.com": (("openai", "@ai-sdk/openai"), ("OPENAI_API_KEY",)),
    "api.anthropic.com": (
        ("anthropic", "@anthropic-ai/sdk", "@ai-sdk/anthropic"),
        ("ANTHROPIC_API_KEY",),
    ),
    "generativelanguage.googleapis.com": (
        ("google.genai", "google.generativeai", "@google/genai", "@ai-sdk/google"),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
}
"""Hosts of models: the libraries that ask them, and the variables that these read."""

_OWN = ("MOCK", "GOOGLE_API_BASE_URL", "TOOLS_BASE_URL", "PATH", "HOME")
_NO_API = ("localhost", "127.0.0.1", "0.0.0.0", "www.w3.org", "json-schema.org", "schema.org")  # noqa: S104
_SOURCES = (".py", ".js", ".mjs", ".cjs", ".ts", ".sh")
_SKIPPED = frozenset({"node_modules", "site-packages", "dist", "build", "tests", "test"})
_MOST_FILES = 300
_MOST_BYTES = 512 * 1024


@dataclass
class AgentSource:
    """What the source of an agent tells about its world.

    Attributes:
        hosts: APIs that it names, by host: where it does so (`agent.py:4`).
        paths: The first path of each host that stands beside it, or an empty string.
        models: Hosts of the models that it asks.
        variables: Environment variables that it reads.
    """

    hosts: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    variables: list[str] = field(default_factory=list)

    @property
    def apis(self) -> Mapping[str, str]:
        """The hosts that only the suite can answer for: those of no model, and not Google's."""
        google = (".googleapis.com", ".google.com")
        return {
            host: where
            for host, where in self.hosts.items()
            if host not in _MODELS and not host.endswith(google)
        }


def read_sources(folder: Path) -> AgentSource:
    """Read the programs of a repository for hosts, models and variables; tests are none of it."""
    found = AgentSource()
    for path in _programs(folder):
        try:
            if path.stat().st_size > _MOST_BYTES:
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for number, line in enumerate(lines, start=1):
            _read_line(line, f"{path.relative_to(folder)}:{number}", found)
    return found


def _programs(folder: Path) -> Iterator[Path]:
    """The programs below a folder in order, without what is installed, hidden or a test.

    Yields:
        Their paths.
    """
    left = _MOST_FILES
    for parent, folders, names in os.walk(folder):
        own = Path(parent)
        folders[:] = sorted(
            each
            for each in folders
            if each not in _SKIPPED
            and not each.startswith(".")
            and not (own / each / "pyvenv.cfg").exists()
        )
        for name in sorted(names):
            if name.endswith(_SOURCES) and not name.startswith("test_") and left:
                left -= 1
                yield own / name


def _read_line(line: str, where: str, found: AgentSource) -> None:
    for host, path in _URL.findall(line):
        name = host.lower()
        if name not in _NO_API and not name.replace(".", "").isdigit():
            found.hosts.setdefault(name, where)
            found.paths.setdefault(name, "")
            found.paths[name] = found.paths[name] or _PLACEHOLDER.sub("{id}", path.rstrip("/"))
    imported = _IMPORT.findall(line)
    for host, (libraries, keys) in _MODELS.items():
        if host in line or any(name.startswith(libraries) for name in imported):
            found.models.setdefault(host, where)
            _add_variables(keys, found)
    _add_variables((one or other for one, other in _VARIABLE.findall(line)), found)


def _add_variables(names: Iterable[str], found: AgentSource) -> None:
    for name in names:
        if name not in found.variables and not name.startswith(_OWN):
            found.variables.append(name)


def starter_files(folder: Path, suite: Path, source: AgentSource) -> Mapping[Path, str]:
    """The files of a project by their paths.

    Args:
        folder: The agent's repository.
        suite: The folder of the suite, below it.
        source: What the agent's source tells.
    """
    agent, told = agent_of(folder)
    lines = [
        "# What `understudy run` does here unless its options say otherwise.",
        f"suite: {suite.as_posix()}",
        f"# {told}",
        f"agent: {json.dumps(agent)}",
    ]
    if agent.startswith("command:"):
        lines += ["# whatever host the agent asks, it meets the suite", "intercept: true"]
        if source.models:
            lines += ["# but for its model", f"tunnel: [{', '.join(source.models)}]"]
        if source.variables:
            lines += [
                "# of this shell's variables the agent gets these, where they are set",
                f"env: [{', '.join(source.variables)}]",
            ]
    return {
        suite / "cases" / "first.yaml": _CASE,
        suite / "base" / "world.json": "{}\n",
        **{suite / "apis" / name: text for name, text in _declarations(source).items()},
        Path("understudy.yaml"): "".join(f"{line}\n" for line in lines),
        Path(".github") / "workflows" / "understudy.yml": _CI.replace("SUITE", suite.as_posix()),
    }


def _declarations(source: AgentSource) -> Mapping[str, str]:
    """A declared API for each host, without answers: file name to text."""
    from mockserver.apis import APIS

    taken = {each.name for each in APIS}
    files = {}
    for host, where in source.apis.items():
        base = name = api_name_of(host)
        number = 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name)
        text = _DECLARATION.replace("WHERE", where).replace("NAME", name).replace("HOST", host)
        files[f"{name}.yaml"] = text.replace("ROUTE", source.paths[host] or "/")
    return files


_NO_NAME = re.compile(r"[^a-z0-9_-]+")


def api_name_of(host: str) -> str:
    """A name for the API of a host.

    >>> api_name_of("api.shop.example.com"), api_name_of("localhost")
    ('shop', 'localhost')
    """
    parts = [each for each in host.split(".") if each not in {"api", "www", "rest"}]
    return file_name_of(parts[0] if parts else host)


def file_name_of(text: str) -> str:
    """A text as the name of an API: a letter, then letters, digits, - and _."""
    name = _NO_NAME.sub("-", text.lower()).strip("-_")
    return (name if name[:1].isalpha() else f"api-{name}".rstrip("-"))[:64]


def agent_of(folder: Path) -> tuple[str, str]:
    """How the agent of a repository is started, and how that was found out."""
    for name in _PROGRAMS:
        if (folder / name).is_file():
            return (
                f"command:{_STARTS[Path(name).suffix]} {name}",
                f"{name} is started for each turn",
            )
    try:
        package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        if "start" in package["scripts"]:
            return "command:npm run --silent start", "the start script of package.json"
    except (OSError, ValueError, LookupError, TypeError):
        pass
    return "oracle", f"none of {', '.join(_PROGRAMS)} is here: the oracle plays the references"


@dataclass(frozen=True, slots=True)
class Template:
    """What a package of one kind is made of.

    Attributes:
        group: The group of its entry point.
        name: The name of the plug-in in the template, which another one may take the place of.
    """

    group: str
    name: str


TEMPLATES: Mapping[str, Template] = {
    "check": Template("understudy.checks", "courtesy"),
    "driver": Template("understudy.drivers", "parrot"),
    "api": Template("understudy.apis", "parrots"),
    "cases": Template("understudy.cases", "quiz"),
    "report": Template("understudy.reports", "verdicts"),
    "recording": Template("understudy.recordings", "calllog"),
    "redaction": Template("understudy.redaction", "badges"),
}
"""What `--plugin` may be; the texts stand in `plugin_templates/`."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


def package_files(kind: str, name: str = "") -> Mapping[Path, str]:
    """The files of a package by their paths.

    Args:
        kind: One of `TEMPLATES`.
        name: What the plug-in is called; the name in the template when empty.

    Raises:
        MockServerError: There is no such kind, or the name is no good.
    """
    template = TEMPLATES.get(kind)
    if template is None:
        raise MockServerError(
            f"there is no kind {kind!r} of plug-ins", hint=did_you_mean(kind, TEMPLATES)
        )
    name = name or template.name
    if not _NAME.fullmatch(name) or iskeyword(name):
        raise MockServerError(f"{name!r} is no name of a plug-in", hint="small letters, digits, _")
    if name in table_of(template.group).own:
        raise MockServerError(f"Understudy itself has {name!r}", hint="--name names another")
    package = Path(f"understudy_{name}")
    project = _text("pyproject.toml").replace("NAME", name).replace("GROUP", template.group)
    return {
        Path("pyproject.toml"): project.replace("ABOUT", GROUPS[template.group].about),
        package / "__init__.py": _renamed(_text(f"{kind}.py"), template.name, name),
        Path("tests") / f"test_{name}.py": _renamed(_text(f"{kind}_test.py"), template.name, name),
    }


def _text(name: str) -> str:
    place = files("mockserver.cli") / "plugin_templates" / f"{name}.txt"
    return place.read_text(encoding="utf-8")


def _renamed(text: str, old: str, new: str) -> str:
    """A text with another name, and with the names of classes made of it."""
    words = "".join(word.capitalize() for word in new.split("_"))
    return text.replace(old, new).replace(old.capitalize(), words)
