import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cli.main import app
from mockserver.declared.files import parsed_declaration, read_declarations
from mockserver.declared.openapi.document import OpenApiDocument
from mockserver.declared.openapi.drafts import draft_of
from mockserver.declared.openapi.export import openapi_of
from mockserver.errors import MockServerError
from tests.mockserver.declared.openapi.documents import BOOKS, SHOP
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
    assert "not served: GET /v2/health (get /v2/health)" in said
    (file,) = read_declarations(suite)
    assert file.declaration.api == "pet-shop"
    assert ("collections", "pets") in file.schemas
    base = json.loads((suite / "base" / "pet-shop.json").read_text())
    assert base["pet-shop"]["pets"][0]["name"] == "Rex"


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
        (("--openapi", "DOCUMENT", "--name", "a b"), "#/api: String should match pattern"),
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
    assert not again.unserved


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
