"""`understudy init`: writes a first suite, the declaration of an API, or a package of a plug-in."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.errors import MockServerError

if TYPE_CHECKING:
    from mockserver.declared.documents.document import OpenApiDocument
    from mockserver.declared.openapi.drafts import Draft
    from mockserver.model import JsonObject

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
    ] = "",
    suite: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the suite. (default: this folder with --openapi, else evals)",
            show_default=False,
        ),
    ] = None,
    plugin: Annotated[
        str,
        typer.Option(
            help="Write a package with a plug-in: check, driver, api, cases, report, recording or"
            " redaction."
        ),
    ] = "",
    name: Annotated[
        str,
        typer.Option(help="The name of the API or plug-in. (default: made from the file's name)"),
    ] = "",
    force: Annotated[bool, typer.Option("--replace", help="Replace existing files.")] = False,
    every: Annotated[
        bool,
        typer.Option("--all", help="List every operation that no collection serves."),
    ] = False,
    collections_only: Annotated[
        bool,
        typer.Option(
            "--collections-only",
            help="Do not copy the document: the API then has no route for operations that no "
            "collection serves.",
        ),
    ] = False,
) -> None:
    """Write a first suite, a declared API, or a plug-in.

    Without --openapi: a suite with one case, understudy.yaml, which `understudy run` reads, and a
    workflow for GitHub. It detects how the agent is started, and which hosts, models and variables
    its source names: each host gets a declared API to fill in. Existing files are kept.

    With --openapi: a declared API, with its schemas and base data. Comments in the declaration mark
    what the document leaves unclear, for you to correct. The document is copied beside it;
    operations that no collection serves get answers synthesized from the document.

    With --plugin: a package in this folder, with a module, an entry point and tests.

    Example: understudy init --suite evals

    Example: understudy init --openapi travel.yaml --suite fixtures/travel

    Example: understudy init --plugin check --name tone
    """
    if plugin:
        if openapi or suite or every or collections_only:
            raise MockServerError("--plugin goes with --name and --replace alone")
        _write_plugin(plugin, name, force=force)
        return
    if not openapi:
        if name or force or every or collections_only:
            raise MockServerError(
                "--name, --replace, --all and --collections-only are for an OpenAPI document",
                hint="name it with --openapi",
            )
        _write_project(suite or Path("evals"))
        return
    from mockserver.declared.openapi.drafts import draft_of

    suite = suite or Path()
    document = _document(openapi)
    api = name or name_of(openapi)
    draft = draft_of(document, api)
    check_draft(draft)
    if not collections_only:
        draft.declaration = _with_document(draft.declaration, _copy_of(document, api))
    files = files_of(draft, api)
    if not collections_only:
        files |= {f"apis/{_copy_of(document, api)}": document.text}
    _write({suite / path: text for path, text in files.items()}, force=force)
    for line in _summary(document, draft, suite, None if every else _SHOWN):
        typer.echo(line)


def _write(files: Mapping[Path, str], *, force: bool) -> None:
    """Write files, all or none.

    Raises:
        MockServerError: One is there.
    """
    there = [path for path in files if path.exists()]
    if there and not force:
        raise MockServerError(
            f"{there[0]} is there already", hint="--replace replaces it; --name names another"
        )
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _write_plugin(kind: str, name: str, *, force: bool) -> None:
    from mockserver.cli.starter_files import package_files

    files = package_files(kind, name)
    _write(files, force=force)
    for path in files:
        typer.echo(f"wrote {path}")
    typer.echo("next, with the Python that has understudy:")
    typer.echo("  python -m pip install -e '.[test]'")
    typer.echo("  python -m pytest")
    typer.echo("  understudy plugins")


def _write_project(suite: Path) -> None:
    """Write what a project begins with, but for what is there.

    Raises:
        MockServerError: The suite is outside this folder.
    """
    from mockserver.cli.starter_files import read_sources, starter_files

    if suite.is_absolute() or ".." in suite.parts:
        raise MockServerError(f"{suite} is not below this folder", hint="--suite evals")
    source = read_sources(Path())
    for path, text in starter_files(Path(), suite, source).items():
        if path.exists():
            typer.echo(f"kept {path}, which was there")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        typer.echo(f"wrote {path}")
    for host, where in source.apis.items():
        typer.echo(f"{where} asks {host}: say in {suite / 'apis'} what it answers")
    for host, where in source.models.items():
        typer.echo(f"{where} asks the model at {host}, which is reached live")
    typer.echo("next: understudy run")


def _copy_of(document: "OpenApiDocument", api: str) -> str:
    """The copy of a document beside the declaration; not where declarations are looked for."""
    is_json = document.text.lstrip()[:1] == "{"
    return f"openapi/{api}.{'json' if is_json else 'yaml'}"


def _with_document(declaration: "JsonObject", file: str) -> "JsonObject":
    api = {"api": declaration["api"], "openapi": file}
    return {**api, **{name: each for name, each in declaration.items() if name != "api"}}


def files_of(draft: "Draft", api: str) -> dict[str, str]:
    """The files of a draft: path below the suite's folder to text."""
    import orjson

    from mockserver.declared.openapi.drafts import declaration_text

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
    from mockserver.declared.documents.document import OpenApiDocument, read_openapi
    from mockserver.storage.documents import parsed_document

    if "://" not in given:
        return read_openapi(Path(given))
    text = _fetch(given)
    is_json = text.lstrip()[:1] == "{"
    path = Path("openapi.json" if is_json else "openapi.yaml")
    return OpenApiDocument(parsed_document(text, path), Path(given), text)


def _fetch(url: str) -> str:
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


def name_of(given: str) -> str:
    """A name for the API of the name of a document.

    >>> name_of("specs/Travel API.v2.yaml"), name_of("http://localhost:80/openapi.json")
    ('travel-api', 'openapi')
    """
    from mockserver.cli.starter_files import file_name_of

    return file_name_of(given.rstrip("/").rpartition("/")[2].partition(".")[0])


def check_draft(draft: "Draft") -> None:
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
    made_up = "openapi" in draft.declaration
    if made_up and draft.unserved:
        yield "the others are answered of the document; `understudy snapshot lint` says what is not"
    word = "made up" if made_up else "not served"
    shown = draft.unserved[:most]
    for each in shown:
        yield f"{word}: {each.verb} {each.path} ({each.id})"
    if len(draft.unserved) > len(shown):
        yield f"{word}: {len(draft.unserved) - len(shown)} more, which --all lists"
