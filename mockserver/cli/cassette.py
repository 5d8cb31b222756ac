"""`understudy cassette`: shows, compares, checks, completes, imports and exports recordings."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.capture_output import SealOption, show_questions, write_sealed_map
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.model import Cassette, Interaction, RecordedResponse
    from mockserver.redaction import RuleSet


Rules = Annotated[
    Path | None,
    typer.Option("--redaction", help="Your own redaction rules; ./redaction.yaml by default."),
]


def redact(
    file: Annotated[Path, typer.Argument(help="A recording in any format that can be imported.")],
    to: Annotated[Path, typer.Argument(help="The cassette to write: a .yaml or .json file.")],
    *,
    redaction: Rules = None,
    seal: SealOption = None,
) -> None:
    """Replace secrets and personal data in a recording; refuse to write if a secret is left.

    Example: understudy cassette redact recorded-by-vcrpy.yaml safe.yaml
    """
    _import_recording(file, to, redaction, seal=seal)


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="HAR (of a browser, of Playwright with its ZIP archive, of polly.js), a cassette"
            " of vcrpy, betamax or Ruby's VCR, WireMock mappings (a file or the root folder), a"
            " simulation of Hoverfly, fixtures of nock, an HTTP log, or a Postman collection with"
            " responses."
        ),
    ],
    *,
    to: Annotated[Path, typer.Option(help="The cassette to write: a .yaml or .json file.")],
    upstream: Annotated[
        str, typer.Option(help="https://HOST, for formats that record only paths.")
    ] = "",
    redaction: Rules = None,
    seal: SealOption = None,
) -> None:
    """Convert a recording of another tool into a redacted cassette, whatever its format.

    Example: understudy cassette import session.har --to session.yaml
    """
    if upstream and not upstream.startswith(("http://", "https://")):
        from mockserver.errors import MockServerError

        hint = "such as https://api.example.com"
        raise MockServerError(f"--upstream {upstream!r} is no URL", hint=hint)
    _import_recording(file, to, redaction, upstream=upstream, seal=seal)


def _import_recording(
    file: Path, to: Path, rules: Path | None, *, upstream: str = "", seal: Path | None
) -> None:
    from mockserver.capture.recordings import write_redacted
    from mockserver.capture.setup import capture_redactor, check_seal
    from mockserver.cassettes.foreign import read_foreign

    check_seal(seal)
    cassette, imported = read_foreign(file, upstream=upstream)
    for note in imported.notes:
        typer.echo(f"understudy: {file}: {note}", err=True)
    redactor = capture_redactor(rules)
    made = write_redacted(cassette, to, redactor)
    for line in made.dropped:
        typer.echo(f"understudy: left out: {line}", err=True)
    held = len(cassette.interactions) - made.questioned - len(made.dropped)
    typer.echo(f"{to}: {held} interactions from {imported.format}, {made.replaced} values replaced")
    write_sealed_map(seal, redactor)
    if made.questioned:
        show_questions(to, made.questioned, made.asked)
        raise typer.Exit(1)


def export(
    file: Annotated[Path, typer.Argument(help="A cassette.")],
    *,
    to: Annotated[Path, typer.Option(help="The file to write: .har, .json or .yaml.")],
) -> None:
    """Write a cassette as HAR, YAML or JSON.

    Example: understudy cassette export orgunits.yaml --to orgunits.har
    """
    from mockserver.cassettes.files import read_cassette, write_cassette
    from mockserver.cassettes.files.body_files import copy_bodies_beside
    from mockserver.cassettes.files.writer import write_whole
    from mockserver.cassettes.foreign import har_of
    from mockserver.errors import MockServerError

    cassette = read_cassette(file)
    if to.suffix.lower() == ".har":
        write_whole(to, [har_of(copy_bodies_beside(cassette, to))])
    elif to.suffix.lower() in {".json", ".yaml", ".yml"}:
        write_cassette(cassette, to)
    else:
        raise MockServerError(f"{to}: no format of that name", hint="use .har, .json or .yaml")
    typer.echo(f"{to}: {len(cassette.interactions)} interactions")


_JSON = "application/json"


def stub(  # noqa: PLR0913  (one parameter an option)
    file: Annotated[Path, typer.Argument(help="The cassette; created if it does not exist.")],
    method: Annotated[str, typer.Argument(help="The HTTP method.")],
    url: Annotated[str, typer.Argument(help="The full URL.")],
    *,
    data: Annotated[str, typer.Option(help="The body of the request.")] = "",
    media: Annotated[str, typer.Option("--type", help="The media type of that body.")] = _JSON,
    header: Annotated[
        list[str] | None,
        typer.Option(help="A header that counts, 'Range: bytes=0-9'; may be repeated."),
    ] = None,
    like: Annotated[
        int | None,
        typer.Option(min=1, help="Copy the answer of this recording, by its number."),
    ] = None,
    before: Annotated[
        int | None,
        typer.Option(min=1, help="Put it before this recording, such as a write that comes later."),
    ] = None,
    status: Annotated[
        int | None, typer.Option(min=100, max=599, help="The status of the answer.")
    ] = None,
    body: Annotated[
        str | None, typer.Option(help="The body of the answer, or @FILE to read it from a file.")
    ] = None,
    redaction: Annotated[
        Path | None,
        typer.Option(help="Your own redaction rules, in addition to the built-in ones."),
    ] = None,
) -> None:
    """Add a recording to a cassette, for example after a replay miss.

    Check the copied answer, and edit it where it should differ. The recording is redacted. A server
    that replays the cassette has to be started anew.

    Example: understudy cassette stub orgs.yaml GET https://api.example.com/v1/orgs/7 --like 3
    """
    from mockserver.model import Interaction, RecordedRequest

    cassette = _read(file)
    headers = [("Content-Type", media)] if data else []
    headers += map(_read_header, header or ())
    request = RecordedRequest(method.upper(), _check_url(url), tuple(headers), data.encode())
    response = _answer(cassette, like, status, None if body is None else _read_body(body))
    count = len(cassette.interactions)
    if before is not None and before > count:
        raise _no_recording(cassette, before)
    number = before or count + 1
    _write(cassette, Interaction(request, response), number, file, redaction)
    typer.echo(f"{file}: added #{number} {request.method} {url}, answered with {response.status}")


def _read(file: Path) -> "Cassette":
    from mockserver import __version__
    from mockserver.cassettes.files import read_cassette
    from mockserver.model import Cassette, CassetteInfo

    if file.exists():
        return read_cassette(file)
    return Cassette(file.name, (), CassetteInfo(recorded_by=f"mockserver {__version__}"))


def _check_url(url: str) -> str:
    from mockserver.errors import MockServerError
    from mockserver.messages import split_url
    from mockserver.messages.mcp_calls import MCP_SCHEME

    parts = split_url(url)
    if parts.scheme not in {"http://", "https://", MCP_SCHEME} or not parts.host:
        raise MockServerError(f"{url!r} is no whole URL", hint="such as https://api.example.com/v1")
    return url


def _read_body(body: str) -> bytes:
    from mockserver.errors import MockServerError

    if not body.startswith("@"):
        return body.encode()
    try:
        return Path(body[1:]).read_bytes()
    except OSError as error:
        raise MockServerError(f"--body {body}: {error.strerror or error}") from error


def _answer(
    cassette: "Cassette", like: int | None, status: int | None, body: bytes | None
) -> "RecordedResponse":
    from mockserver.messages import with_header
    from mockserver.model import RecordedResponse

    if like is not None and like > len(cassette.interactions):
        raise _no_recording(cassette, like)
    if like is None:
        found = RecordedResponse(200, headers=(("Content-Type", _JSON),), body=body or b"{}")
    else:
        found = cassette.interactions[like - 1].response
    if body is not None:
        headers = with_header(found.headers, "Content-Length", str(len(body)))
        found = replace(found, body=body, headers=headers, chunks=(), ended="complete", file=None)
    return found if status is None else replace(found, status=status, reason="")


def _no_recording(cassette: "Cassette", number: int) -> Exception:
    from mockserver.errors import MockServerError

    return MockServerError(
        f"{cassette.name} has no recording {number}",
        hint=f"it has {len(cassette.interactions)}; `understudy cassette show` lists them",
    )


def _read_header(text: str) -> tuple[str, str]:
    from mockserver.errors import MockServerError

    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise MockServerError(f"--header {text!r} is no header", hint="'Name: value'")
    return name.strip(), value.strip()


def _write(
    cassette: "Cassette",
    interaction: "Interaction",
    number: int,
    file: Path,
    redaction: Path | None,
) -> None:
    from mockserver.apis import APIS
    from mockserver.cassettes.files import interaction_block, write_cassette
    from mockserver.errors import LeakError
    from mockserver.redaction import find_leaks, require_plugin_rules
    from mockserver.sessions.cassette_library import make_redactor
    from mockserver.settings import Settings

    require_plugin_rules()
    redactor = make_redactor(Settings(redaction=redaction), APIS)
    redacted = redactor.redact_interaction(interaction)
    _check_key(cassette, redactor.key_id, changed=redacted != interaction)
    leaks = find_leaks(interaction_block(redacted), redactor.seen.secrets(), rules=redactor.rules)
    if leaks:
        raise LeakError(
            f"{file} is left as it was: secrets are left in the recording",
            [str(leak) for leak in leaks],
        )
    held = [*cassette.interactions]
    held.insert(number - 1, redacted)
    write_cassette(replace(cassette, interactions=tuple(held)), file)


def _check_key(cassette: "Cassette", key_id: str, *, changed: bool) -> None:
    from mockserver.errors import MockServerError

    its = cassette.info.key_id
    if changed and its and its != key_id:
        raise MockServerError(
            f"the recording holds secrets, and {cassette.name} was redacted with key {its}",
            hint="set MOCKSERVER_REDACTION_KEY to it, or give the request as the miss tells it",
        )


_KINDS = frozenset({".yaml", ".yml", ".json", ".har", ".txt", ".log", ".ndjson", ".jsonl"})


def lint(
    files: Annotated[
        list[Path], typer.Argument(help="Cassettes of any tool, snapshots, logs, or folders.")
    ],
    *,
    redaction: Rules = None,
    as_json: AsJson = False,
) -> None:
    """Find secrets that were not redacted, and print their places and kinds, but never the values.

    The exit code is 1 if there are any.

    Example: understudy cassette lint cassettes
    """
    from mockserver.cassettes.leaks import file_leaks
    from mockserver.errors import LeakError, MockServerError

    rules = rules_of(redaction)
    found = {path: file_leaks(path, rules) for path in _expand_folders(files)}
    if not found:
        folders = ", ".join(map(str, files))
        endings = ", ".join(sorted(_KINDS))
        raise MockServerError(f"{folders}: no file there ends with {endings}")
    places = [f"{path}: {leak}" for path, leaks in found.items() for leak in leaks]
    if as_json:
        print_json([{"file": path, "leaks": leaks} for path, leaks in found.items()])
    if places:
        raise LeakError("secrets are left", places, hint="understudy cassette redact FILE NEW")
    if not as_json:
        typer.echo(f"no secrets in {len(found)} files")


def rules_of(file: Path | None) -> "RuleSet":
    """The common rules, the user's and those of the emulated APIs."""
    from mockserver.apis import APIS
    from mockserver.storage.redaction_settings import redaction_rules

    return redaction_rules(file).with_rules_before(rule for api in APIS for rule in api.redaction())


def _expand_folders(paths: list[Path]) -> list[Path]:
    """The files named, and those of the folders named whose names say that they are text."""
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found.update(
            (file, None)
            for file in inside
            if file == path or (file.suffix in _KINDS and file.is_file())
        )
    return list(found)


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Cassettes: show, diff, lint, stub, redact, import and export.",
)
RecordingPath = Annotated[Path, typer.Argument(help="A cassette written by mockserver or vcrpy.")]


@app.command()
def show(
    file: RecordingPath,
    number: Annotated[
        int | None,
        typer.Argument(min=1, help="The number of one interaction; without it, all are listed."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List the interactions of a cassette, or show one in full.

    Example: understudy cassette show cassettes/directory/orgunits.yaml 2
    """
    from mockserver.cassettes.files import read_cassette
    from mockserver.cli.cassette_pages import (
        cassette_json,
        cassette_lines,
        interaction_json,
        interaction_lines,
    )
    from mockserver.errors import MockServerError

    cassette = read_cassette(file)
    held = len(cassette.interactions)
    if number is not None and number > held:
        raise MockServerError(f"{file} has {held} interactions, there is no {number}")
    if as_json:
        print_json(interaction_json(cassette, number) if number else cassette_json(cassette))
        return
    lines = (
        interaction_lines(cassette.interactions[number - 1]) if number else cassette_lines(cassette)
    )
    for line in lines:
        typer.echo(line)


@app.command()
def diff(
    before: RecordingPath,
    after: Annotated[Path, typer.Argument(help="A cassette that was recorded later.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Compare two cassettes: requests that only one of them has, and responses that differ.

    The exit code is 1 if they differ. Dates, lengths and entity tags are not compared.

    Example: understudy cassette diff before.yaml after.yaml
    """
    from mockserver.cassettes.files import read_cassette
    from mockserver.cassettes.files.comparison import compare_cassettes
    from mockserver.cassettes.matching import canonical_key
    from mockserver.cli.cassette_pages import comparison_json, comparison_lines

    found = compare_cassettes(read_cassette(before), read_cassette(after), key=canonical_key)
    if as_json:
        print_json(comparison_json(found))
    for line in () if as_json else comparison_lines(found):
        typer.echo(line)
    if found.differs:
        raise typer.Exit(1)


app.command()(redact)
app.command("import")(import_)
app.command()(export)
app.command()(lint)
app.command()(stub)
