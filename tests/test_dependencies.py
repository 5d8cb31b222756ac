"""What is declared is imported, and what is imported is declared."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import distribution, requires
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
AGENTS = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("fixtures/*/agent"))]
"""Folders of the bundled agents, whose modules import each other by name."""
OURS = {"mockserver", "harness", "tests"} | {
    path.stem for agent in AGENTS for path in (ROOT / agent).glob("*.py")
}

NOT_IMPORTED = {
    "brotli": "imported by the name of its coding",
    "pysocks": "httplib2 imports it, and asks the real hosts without it",
    "detect-secrets": "its plugins are imported by their names",
    "psycopg": "SQLAlchemy imports it for the URL of a PostgreSQL database",
    "respx": "users of the transports route requests with it",
    "websockets": "uvicorn speaks WebSockets with it",
}
"""What is declared though no module imports it, and why."""

CARRIED = {
    "anyio": "starlette",
    "certifi": "httpx",
    "google-api-core": "google-api-python-client",
    "google-auth": "google-api-python-client",
    "google-auth-httplib2": "google-api-python-client",
    "google-genai": "pydantic-ai-slim",
    "anthropic": "pydantic-ai-slim",
    "openai": "pydantic-ai-slim",
    "httplib2": "google-api-python-client",
    "httpx2": "mcp",
    "jsonpointer": "jsonpatch",
    "markupsafe": "jinja2",
    "mcp-types": "mcp",
    "sse-starlette": "mcp",
    "pydantic-core": "pydantic",
    "jsonschema-specifications": "jsonschema",
    "referencing": "jsonschema",
}
"""What is imported and comes with something that is declared."""

OF_ITS_USER = {
    "google-cloud-error-reporting": "the clients that are installed, for what they ask",
    "google-cloud-logging": "the same",
    "google-cloud-resource-manager": "the same",
    "google-cloud-trace": "the same",
}
"""What a bundled agent imports and nothing of ours needs."""


NOT_HERE = {
    "fsspec": "slow tests install it with the clients of stores, which want its version",
    "gcsfs": "a client of a store: fsspec looks for it",
    "ray": "80 MB packed: slow tests install it for themselves",
    "s3fs": "a client of a store: fsspec looks for it",
}
"""Extras of users that are no part of the environment of developers."""


FRAMEWORKS = (
    "agents",
    "claude_agent_sdk",
    "crewai",
    "google.adk",
    "langchain_core",
    "langchain_mcp_adapters",
    "langchain_openai",
    "langgraph",
    "smolagents",
)
"""What agents of users are made with: their adapters import it where such an agent runs."""


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return found[0].lower().replace("_", "-")


def _names(requirements: Iterable[str]) -> set[str]:
    return {_name(each) for each in requirements} - {"understudy"}


EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OF_USERS = _names(PROJECT["dependencies"]).union(
    *(_names(EXTRAS[extra]) for extra in EXTRAS if extra != "dev")
)
HERE = OF_USERS - NOT_HERE.keys()


@cache
@cache
def _imported(*folders: str) -> frozenset[str]:
    """Every name that modules import from elsewhere, with what they take from it."""
    found: set[str] = set()
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            found.update(_imports(ast.parse(path.read_text(encoding="utf-8"))))
    known = OURS | sys.stdlib_module_names
    return frozenset(name for name in found if name.partition(".")[0] not in known)


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def _modules(name: str) -> frozenset[str]:
    """The modules that a distribution brings."""
    files = distribution(name).files or ()
    found = set()
    for file in files:
        if file.suffix in {".py", ".so", ".pyi"} and ".dist-info" not in str(file):
            parts = (*file.parts[:-1], file.name.partition(".")[0])
            found.add(".".join(parts).removesuffix(".__init__"))
    return frozenset(found)


def _uses(imported: Iterable[str], name: str) -> bool:
    return not _modules(name).isdisjoint(imported)


@pytest.mark.slow
def test_what_is_declared_for_users_is_imported() -> None:
    imported = _imported("mockserver", "harness", *AGENTS)
    unused = {name for name in HERE if not _uses(imported, name)}
    # the build takes the messages of clients, and imports them by what is written in them
    assert unused - _names(EXTRAS["clients"]) == set(NOT_IMPORTED)


@pytest.mark.slow
def test_what_is_imported_is_declared_or_comes_with_what_is() -> None:
    known = [*HERE, *CARRIED, *OF_ITS_USER]
    brought = frozenset().union(*(_modules(name) for name in known))
    tops = {name.partition(".")[0] for name in brought}
    missing = {
        name
        for name in _imported("mockserver", "harness", *AGENTS)
        if not f"{name}.".startswith(tuple(f"{each}." for each in (*FRAMEWORKS, *NOT_HERE)))
        and (
            name.partition(".")[0] not in tops
            or (name.startswith("google.") and not _within(name, brought))
        )
    }
    assert missing == set()


def _within(name: str, brought: frozenset[str]) -> bool:
    """Whether a module is brought, or a part of it, or what it is a name in."""
    return (
        name in brought
        or name.rpartition(".")[0] in brought
        or any(module.startswith(f"{name}.") for module in brought)
    )


def test_what_comes_with_something_does() -> None:
    for name, carrier in CARRIED.items():
        assert carrier in OF_USERS, name
        assert name in _names(requires(carrier) or ()), f"{carrier} no longer brings {name}"
        assert name not in OF_USERS


def test_each_exception_is_one() -> None:
    imported = _imported("mockserver", "harness", *AGENTS)
    for name in (*CARRIED, *OF_ITS_USER):
        assert _uses(imported, name), f"{name} is imported no longer"


def test_what_only_tests_import_is_declared_for_them() -> None:
    """Nothing of what users install is there for our tests alone."""
    mine = _names(EXTRAS["dev"])
    assert {"hypothesis", "trustme"} <= mine
    assert "lark" not in OF_USERS | mine


def test_what_is_declared_has_one_version() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pinned = {_name(line) for line in text.splitlines() if "==" in line}
    declared = OF_USERS | _names(EXTRAS["dev"])
    assert declared <= pinned
