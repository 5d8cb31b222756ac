import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cli.main import app
from mockserver.declared.files import read_declarations
from mockserver.errors import MockServerError
from tests.mockserver.declared.openapi.documents import SHOP


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
