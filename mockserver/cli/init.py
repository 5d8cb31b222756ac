"""`mockserver init`: writes the declaration of an API from its OpenAPI document."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.errors import MockServerError

if TYPE_CHECKING:
    from mockserver.declared.openapi.document import OpenApiDocument
    from mockserver.declared.openapi.drafts import Draft

_NO_NAME = re.compile(r"[^a-z0-9_-]+")
_SHOWN = 20
_LARGEST = 32 * 1024 * 1024


def init(
    *,
    openapi: Annotated[
        str,
        typer.Option(
            help="The OpenAPI 3.0, 3.1 or Swagger 2 document, JSON or YAML: a file, or a URL on"
            " this machine."
        ),
    ],
    suite: Annotated[Path, typer.Option(help="The folder of the suite.")] = Path(),
    name: Annotated[
        str, typer.Option(help="What the API is called; made of the file's name when not given.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    all_unserved: Annotated[
        bool, typer.Option("--all", help="List every operation that is not served.")
    ] = False,
) -> None:
    """Write a declared API, with its schemas and its base data, from an OpenAPI document.

    Comments in the declaration say what could not be told: the author corrects it there.

    Example: mockserver init --openapi travel.yaml --suite fixtures/travel
    """
    from mockserver.declared.openapi.drafts import draft_of

    document = _document(openapi)
    api = name or _name_of(openapi)
    draft = draft_of(document, api)
    _check(draft)
    files = files_of(draft, api)
    there = [path for path in files if (suite / path).exists()]
    if there and not force:
        raise MockServerError(
            f"{suite / there[0]} is there already", hint="--force replaces it; --name names another"
        )
    for path, text in files.items():
        (suite / path).parent.mkdir(parents=True, exist_ok=True)
        (suite / path).write_text(text, encoding="utf-8")
    for line in _summary(document, draft, suite, None if all_unserved else _SHOWN):
        typer.echo(line)


def files_of(draft: "Draft", api: str) -> Mapping[str, str]:
    """The files of a draft: path below the suite's folder to text."""
    import orjson

    from mockserver.declared.openapi.writing import declaration_text

    def as_json(value: object) -> str:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()

    files = {f"apis/{api}.yaml": declaration_text(draft)}
    files |= {f"apis/{path}": as_json(schema) for path, schema in draft.schemas.items()}
    if draft.data:
        files[f"base/{api}.json"] = as_json({api: draft.data})
    return files


def _document(given: str) -> "OpenApiDocument":
    """The document of a file or of a URL on this machine.

    Raises:
        MockServerError: It cannot be read, or the URL leads to another machine.
    """
    from mockserver.declared.openapi.document import OpenApiDocument, read_openapi
    from mockserver.storage.documents import parsed_document

    if "://" not in given:
        return read_openapi(Path(given))
    text = _fetched(given)
    is_json = text.lstrip()[:1] == "{"
    path = Path("openapi.json" if is_json else "openapi.yaml")
    return OpenApiDocument(parsed_document(text, path), Path(given), text)


def _fetched(url: str) -> str:
    """The text at a URL on this machine.

    Raises:
        MockServerError: It is on another machine, is not there, or is too large.
    """
    import httpx

    try:
        address = httpx.URL(url)
        if address.host not in {"localhost", "127.0.0.1", "::1"}:
            text = f"{address.host} is another machine: only documents on this one are fetched"
            raise MockServerError(text, hint="save the document as a file")
        with httpx.stream("GET", address, trust_env=False, timeout=30) as answer:
            answer.raise_for_status()
            content = bytearray()
            for chunk in answer.iter_bytes():
                content += chunk
                if len(content) > _LARGEST:
                    raise MockServerError(f"{url} is larger than {_LARGEST >> 20} MiB")
        return content.decode()
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeDecodeError) as error:
        raise MockServerError(f"{url} cannot be read: {error}") from error


def _name_of(given: str) -> str:
    """A name for the API of the name of a document.

    >>> _name_of("specs/Travel API.v2.yaml"), _name_of("http://localhost:80/openapi.json")
    ('travel-api', 'openapi')
    """
    stem = given.rstrip("/").rpartition("/")[2].lower().partition(".")[0]
    name = _NO_NAME.sub("-", stem).strip("-_")
    return (name if name[:1].isalpha() else f"api-{name}".rstrip("-"))[:64]


def _check(draft: "Draft") -> None:
    """Refuse to write what could not be read again.

    Raises:
        MockServerError: The name is no good, or is taken.
    """
    from mockserver.apis import APIS
    from mockserver.declared.checks import findings
    from mockserver.declared.files import parsed_declaration
    from mockserver.errors import InvalidFilesError

    path = Path("apis") / f"{draft.declaration['api']}.yaml"
    file, problems = parsed_declaration(draft.whole, path)
    if file is None:
        raise InvalidFilesError(problems)
    taken = {each.name for each in APIS}
    for _, found in findings([file.declaration], taken=taken, trusted=False):
        raise MockServerError(found[0].message, hint="--name names the API otherwise")


def _summary(
    document: "OpenApiDocument", draft: "Draft", suite: Path, most: int | None
) -> Iterator[str]:
    api = draft.declaration["api"]
    for problem in document.problems:
        yield f"warning: {problem}"
    rows = sum(map(len, draft.data.values()))
    doubts = sum(map(len, draft.unsure.values()))
    yield (
        f"{suite / 'apis' / f'{api}.yaml'}: {len(draft.collections)} collections, {doubts} comments"
        " on what is unsure"
    )
    if rows:
        yield f"{suite / 'base' / f'{api}.json'}: {rows} rows of the document's examples"
    total = len(document.operations)
    yield f"{total - len(draft.unserved)} of {total} operations are served by collections"
    shown = draft.unserved[:most]
    for each in shown:
        yield f"not served: {each.verb} {each.path} ({each.id})"
    if len(draft.unserved) > len(shown):
        yield f"not served: {len(draft.unserved) - len(shown)} more, which --all lists"
