import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from mockserver.cli.main import app
from mockserver.declared.documents.document import OpenApiDocument
from mockserver.declared.files import parsed_declaration, read_declarations
from mockserver.declared.openapi.drafts import draft_of
from mockserver.declared.openapi.export import openapi_of
from mockserver.errors import MockServerError
from tests.mockserver.declared.documents.examples import BOOKS, SHOP
from tests.mockserver.declared.worlds import declared


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, ["init", *map(str, arguments)], catch_exceptions=False)
    if isinstance(result.exception, MockServerError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "Pet Shop.json"
    path.write_text(json.dumps(SHOP))
    return path


def test_declaration_schemas_and_base_are_written_and_load(tmp_path: Path, document: Path) -> None:
    suite = tmp_path / "suite"
    said = run("--openapi", document, "--suite", suite)
    assert "2 collections" in said
    assert "10 of 11 operations are served" in said
    assert "made up: GET /v2/health (get /v2/health)" in said
    (file,) = read_declarations(suite)
    assert file.declaration.api == "pet-shop"
    assert ("collections", "pets") in file.schemas
    base = json.loads((suite / "base" / "pet-shop.json").read_text())
    assert base["pet-shop"]["pets"][0]["name"] == "Rex"


async def test_the_document_is_copied_and_answers_what_no_collection_serves(
    tmp_path: Path, document: Path
) -> None:
    suite = tmp_path / "suite"
    run("--openapi", document, "--suite", suite)
    assert json.loads((suite / "apis" / "openapi" / "pet-shop.json").read_text()) == SHOP
    async with declared(suite, url="/eu.shop.example.com/api/v2") as world:
        answered = await world.ask("GET", "/health", headers={"X-Key": world.session.token})
    assert (answered.status_code, world.journal[0]["source"]) == (200, "synthesis")


async def test_the_document_may_be_left_out(tmp_path: Path, document: Path) -> None:
    suite = tmp_path / "suite"
    said = run("--openapi", document, "--suite", suite, "--collections-only")
    assert "not served: GET /v2/health (get /v2/health)" in said
    assert not (suite / "apis" / "openapi").exists()
    async with declared(suite, url="/eu.shop.example.com/api/v2") as world:
        answered = await world.ask("GET", "/health", headers={"X-Key": world.session.token})
    assert answered.status_code == 404


def test_nothing_is_replaced_without_force(tmp_path: Path, document: Path) -> None:
    run("--openapi", document, "--suite", tmp_path)
    (tmp_path / "apis" / "pet-shop.yaml").write_text("mine")
    with pytest.raises(MockServerError, match="is there already"):
        run("--openapi", document, "--suite", tmp_path)
    run("--openapi", document, "--suite", tmp_path, "--force")
    assert read_declarations(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--openapi", "https://example.com/x.json"), "example.com is another machine"),
        (("--openapi", "http://127.0.0.1:1/x.json"), "cannot be read"),
        (("--openapi", "nowhere.yaml"), "cannot be read"),
        (("--openapi", "DOCUMENT", "--name", "tools"), "the name 'tools' is taken"),
        (("--openapi", "DOCUMENT", "--name", "a b"), "#/api: must match pattern"),
    ],
)
def test_what_cannot_be_made_is_an_error(
    tmp_path: Path, document: Path, arguments: tuple[str, ...], expected: str
) -> None:
    given = [str(document) if each == "DOCUMENT" else each for each in arguments]
    with pytest.raises(MockServerError) as caught:
        run(*given, "--suite", tmp_path)
    assert expected in str(caught.value)
    assert not (tmp_path / "apis").exists()


def test_a_declaration_goes_out_as_the_document_that_it_comes_from(
    tmp_path: Path, document: Path
) -> None:
    run("--openapi", document, "--suite", tmp_path)
    said = CliRunner().invoke(app, ["apis", "--openapi", "--fixtures", str(tmp_path)]).stdout
    again = draft_of(OpenApiDocument(json.loads(said), Path("again.json")), "pet-shop")
    (file,) = read_declarations(tmp_path)
    pets, visits = (again.collections[name] for name in ("pets", "visits"))
    assert again.declaration["base_path"] == file.declaration.base_path
    assert again.declaration["auth"] == {"header": "X-Key"}
    assert visits["parent"] == {"collection": "pets", "field": "petId"}
    assert pets["operations"] == list(file.declaration.collections["pets"].verbs)
    assert (pets["search"], pets["list_in"]) == ("q", "data")
    assert [each.path for each in again.unserved] == ["/health"]


@pytest.mark.parametrize("name", ["pets", None])
def test_an_api_that_is_not_declared_is_an_error(tmp_path: Path, name: str | None) -> None:
    result = CliRunner().invoke(
        app, ["apis", *filter(None, [name]), "--openapi", "--fixtures", str(tmp_path)]
    )
    assert isinstance(result.exception, MockServerError)
    assert "declares no API" in str(result.exception)


async def test_what_is_written_is_served(tmp_path: Path) -> None:
    (tmp_path / "books.json").write_text(json.dumps(BOOKS))
    run("--openapi", tmp_path / "books.json", "--suite", tmp_path / "suite")
    async with declared(tmp_path / "suite") as world:
        listed = await world.ask("GET", "/books?author=Ann")
        put = await world.ask("PUT", "/books/7", json={"book": {"author": "Bo"}})
        read = await world.ask("GET", "/books/7")
        refused = await world.ask("PUT", "/books/8", json={"book": {"author": 8}})
    assert [each["isbn"] for each in listed.json()["books"]] == ["111"]
    assert (put.status_code, read.json()["book"]["author"], refused.status_code) == (201, "Bo", 422)


def test_every_way_to_be_asked_goes_out() -> None:
    collection = {
        "operations": ["list", "get", "create", "replace", "patch", "delete"],
        "delete_status": 200, "sort": {"param": "by", "order": "way"}, "paging": "cursor",
        "filters": {"colour": "colour", "*": "*"}, "fields": "only",
        "actions": {"paint": {"path": "POST /cars/{id}/paint", "status": 204}},
    }  # fmt: skip
    for auth, scheme in (
        ({"bearer": True}, {"type": "http", "scheme": "bearer"}),
        ({"basic": True}, {"type": "http", "scheme": "basic"}),
        ({"query": "k"}, {"type": "apiKey", "in": "query", "name": "k"}),
        (None, None),
    ):
        value = {"api": "garage", "auth": auth, "collections": {"cars": collection}}
        file, _ = parsed_declaration(value, Path("x.yaml"))
        assert file
        made = openapi_of(file)
        schemes = made["components"].get("securitySchemes", {})
        assert schemes.get("key") == scheme
        params = [each["name"] for each in made["paths"]["/cars"]["get"]["parameters"]]
        assert params == ["colour", "by", "way", "only", "cursor", "per_page"]
        assert list(made["paths"]["/cars/{id}"]) == ["get", "put", "patch", "delete"]
        assert "content" not in made["paths"]["/cars/{id}/paint"]["post"]["responses"]["204"]


@pytest.mark.parametrize(
    ("files", "agent"),
    [
        ({}, "oracle"),
        ({"agent.py": "print('I count.', len(input()))"}, "command:python agent.py"),
        ({"package.json": '{"scripts": {"start": "node x.js"}}'},
         "command:npm run --silent start"),
        ({"package.json": "{"}, "oracle"),
    ],
)  # fmt: skip
def test_a_project_is_written_once_and_its_agent_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], agent: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    assert run().count("wrote ") == 4
    project = tmp_path / "understudy.yaml"
    led = {"intercept": True} if agent.startswith("command:") else {}
    assert yaml.safe_load(project.read_text()) == {"suite": "evals", "agent": agent} | led
    workflow = yaml.safe_load((tmp_path / ".github/workflows/understudy.yml").read_text())
    assert "understudy lint evals" in str(workflow["jobs"]["cases"]["steps"])
    project.write_text("suite: mine")
    assert run().count("kept ") == 4
    assert project.read_text() == "suite: mine"


_SOURCE = """\
import os, urllib.request
from openai import OpenAI
KEY = os.environ["WEATHER_KEY"], os.getenv("HOME"), os.environ.get('OPENAI_API_KEY')
urllib.request.urlopen(f"https://API.weather.example.com/v1/cities/{city}?day=1")
TOKENS = 'https://oauth2.googleapis.com/token', "http://127.0.0.1:80/x", "http://localhost/x"
MORE = "https://api.directory.example.com", "https://api.weather.example.com/v2"  # https://c.example
"""


def test_hosts_models_and_variables_are_found_in_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    skipped = ("test_agent.py", "tests/x.py", "node_modules/x.js", ".x/x.py", "venv/x.py", "x.txt")
    for name in skipped:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('"https://unwanted.example.com/"')
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    (tmp_path / "large.py").write_text(" " * 600_000 + '"https://unwanted.example.com/"')
    (tmp_path / "binary.py").write_bytes(b"\xff")
    (tmp_path / "agent.py").write_text(_SOURCE)
    (tmp_path / "other.ts").write_text(
        'import Anthropic from "@anthropic-ai/sdk";\nprocess.env.OTHER_KEY'
    )
    said = run()
    assert "agent.py:4 asks api.weather.example.com: say in evals/apis what it answers" in said
    assert "agent.py:2 asks the model at api.openai.com, which is reached live" in said
    project = yaml.safe_load((tmp_path / "understudy.yaml").read_text())
    assert project["tunnel"] == ["api.openai.com", "api.anthropic.com"]
    assert project["env"] == ["OPENAI_API_KEY", "WEATHER_KEY", "ANTHROPIC_API_KEY", "OTHER_KEY"]
    files = read_declarations(tmp_path / "evals")
    assert [(each.declaration.api, each.declaration.hosts) for each in files] == [
        ("directory-2", ("api.directory.example.com",)),
        ("weather", ("api.weather.example.com",)),
    ]
    text = (tmp_path / "evals" / "apis" / "weather.yaml").read_text()
    assert '- {route: "GET /v1/cities/{id}", body: {status: ok}}' in text
    assert "unwanted" not in said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--name", "x"), "--openapi"),
        (("--suite", "../x"), "not below this folder"),
        (("--suite", "/tmp/x"), "not below this folder"),
    ],
)
def test_what_a_project_cannot_be_made_of_is_refused(options: tuple[str, ...], says: str) -> None:
    with pytest.raises(MockServerError, match=says):
        run(*options)
