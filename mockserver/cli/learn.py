"""`understudy learn`: writes a declared API, with its rows, from recordings of one."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode, urlsplit

import typer

from mockserver.errors import MockServerError

if TYPE_CHECKING:
    from mockserver.declared.openapi.learning import Learned
    from mockserver.declared.openapi.recordings import Recorded
    from mockserver.model import Interaction, Json, JsonObject
    from mockserver.verify import Recording

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_SHOWN = 20
_MOST_READS = 500


def learn(
    *,
    from_: Annotated[
        list[Path],
        typer.Option(
            "--cassette",
            help="A recording of the API in any format, or a folder of them; may be repeated,"
            " with the oldest first.",
        ),
    ],
    output: Annotated[Path, typer.Option("--suite", help="The folder of the suite to write into.")],
    name: Annotated[
        str, typer.Option(help="The name of the API. (default: made from its host)")
    ] = "",
    host: Annotated[
        str, typer.Option(help="The host whose API to learn, if several hosts were recorded.")
    ] = "",
    force: Annotated[bool, typer.Option("--replace", help="Replace existing files.")] = False,
) -> None:
    """Write a declared API and its data from recordings of an API.

    The command serves the new API and repeats the recorded reads. Comments in the declaration mark
    what is unsure, and which reads get other answers than the recorded ones, for you to correct.

    Of MCP servers, it writes the state behind their tools: what is created is listed, and calls are
    answered that nobody recorded. What does not hold together is left to the recordings.

    Of Google's APIs, which are served already, it writes facts: what a service adds to what
    it is asked, how its operations and errors are said.

    Nothing is written that redaction would replace.

    Example: understudy learn --cassette orders.yaml --suite fixtures/orders
    """
    from mockserver.cli.init import check_draft
    from mockserver.cli.starter_files import api_name_of
    from mockserver.declared.openapi.learning import learned_api
    from mockserver.declared.openapi.recordings import recorded_calls
    from mockserver.messages.mcp_calls import is_mcp
    from mockserver.verify import redacted

    recordings = _read_recordings(from_)
    google = _recordings_of_google(recordings, host)
    if google:
        _learn_facts(google, output, replace=force)
        return
    recordings = list(redacted(recordings))
    interactions = [call for each in recordings for call in each.interactions]
    if not host and sum(map(is_mcp, interactions)) * 2 > len(interactions):
        _learn_tools(recordings, output, name or "learned", from_, replace=force)
        return
    chosen = host or _host_of(interactions, from_)
    calls = list(recorded_calls(interactions, chosen))
    if not any(call.is_good and call.answer is not None for call in calls):
        raise MockServerError(
            f"{', '.join(map(str, from_))}: no answer of {chosen} is JSON",
            hint="record the API's own calls, or name another host with --host",
        )
    api = name or api_name_of(chosen)
    if not _NAME.fullmatch(api):
        raise MockServerError(
            f"{api!r} is no name of an API", hint="a letter, then letters, digits, - and _"
        )
    learned = learned_api(calls, chosen, api)
    check_draft(learned.draft)
    at = next((each.recorded_at for each in interactions if each.recorded_at), "")
    reads = learned.reads[:_MOST_READS]
    otherwise = _reads_answered_otherwise(learned, reads, chosen, api, at)
    doubts = learned.draft.unsure.setdefault("", [])
    doubts += [f"answered otherwise than recorded: {each}" for each in otherwise[:_SHOWN]]
    if learned.unserved:
        doubts.append(f"not served: {', '.join(learned.unserved[:_SHOWN])}")
    _write_new(_files_of(learned, api, at), output, replace=force)
    for line in _summary(learned, calls, reads, otherwise, output, len(interactions)):
        typer.echo(line)


def _read_recordings(files: Sequence[Path]) -> "list[Recording]":
    """Read recordings in any format.

    Raises:
        MockServerError: None of them can be read, or one that is named cannot.
    """
    from mockserver.verify import find_recordings

    found = []
    for each in find_recordings(files):
        if each.problem:
            problem = f"{each.name}: {each.problem}"
            if Path(each.name) in files:
                raise MockServerError(problem)
            typer.echo(f"left out: {problem}", err=True)
            continue
        found.append(each)
    if not found:
        raise MockServerError(f"{', '.join(map(str, files))}: no recording there can be read")
    return found


def _recordings_of_google(several: "Sequence[Recording]", host: str) -> "list[Recording]":
    """The calls for APIs of Google, where most calls are."""
    from dataclasses import replace

    from mockserver.googleapi import Catalog

    hosts = Counter(
        urlsplit(call.request.url).hostname or "" for each in several for call in each.interactions
    )
    catalog = Catalog(preferred=(), supplements=())
    served = {name for name in hosts if catalog.is_host(name) and host in {"", name}}
    if sum(hosts[name] for name in served) * 2 <= (hosts[host] if host else hosts.total()):
        return []

    def is_served(call: "Interaction") -> bool:
        return urlsplit(call.request.url).hostname in served

    return [
        replace(each, interactions=tuple(filter(is_served, each.interactions))) for each in several
    ]


def _learn_facts(recordings: "Sequence[Recording]", suite: Path, *, replace: bool) -> None:
    """Write what recordings tell of Google's services beside a suite.

    Ids and people are templates there, and what redaction would change is left out: a recording
    that is redacted before would not tell which of its texts are the same.

    Raises:
        MockServerError: There are facts already, and they are not to be replaced.
    """
    from mockserver.apis.generic.learning import Learner, exchanges_of, facts_text
    from mockserver.capture.setup import capture_redactor
    from mockserver.cassettes.foreign import http_log
    from mockserver.http.application import Application
    from mockserver.http.server import real_time
    from mockserver.model import SessionSpec
    from mockserver.settings import Settings
    from mockserver.verify.tool_state import write_files

    file = suite / "base" / "facts.json"
    if file.exists() and not replace:
        raise MockServerError(f"{file} is there already", hint="--replace replaces it")
    application = Application(Settings(), real=real_time)
    session = application.sessions.open(SessionSpec(id="learned"))
    redact = capture_redactor(None).redact_json
    catalog = application.dispatcher.routes.catalog
    learner = Learner(catalog, session.world, redact, http_log.PROJECTS)
    for each in recordings:
        learner.add(each.name, exchanges_of(each.interactions))
    facts = learner.facts()
    text = ",\n".join(f'"{api}": {facts_text(each)}' for api, each in facts.items())
    write_files({"base/facts.json": f'{{"facts": {{\n{text}}}}}\n'}, suite)
    for api, known in facts.items():
        typer.echo(
            f"{api}: {len(known['resources'])} resources, {len(known['operations'])} operations, "
            f"{len(known['errors'])} errors, of {known['recordings']} recordings; "
            f"{known['unsure']} values contradict each other and were left out"
        )
    typer.echo(f"wrote {file}")


def _host_of(interactions: Sequence["Interaction"], files: Sequence[Path]) -> str:
    """The host that most calls are for.

    Raises:
        MockServerError: Nothing was recorded.
    """
    hosts = Counter(urlsplit(each.request.url).hostname or "" for each in interactions)
    hosts.pop("", None)
    if not hosts:
        raise MockServerError(f"{', '.join(map(str, files))}: nothing of an HTTP API was recorded")
    return hosts.most_common(1)[0][0]


def _files_of(learned: "Learned", api: str, at: str) -> Mapping[str, str]:
    import orjson

    from mockserver.declared.openapi.drafts import declaration_text

    world = {**({"capturedAt": at} if at else {}), api: learned.draft.data}
    text = orjson.dumps(world, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    return {f"apis/{api}.yaml": declaration_text(learned.draft), f"base/{api}.json": text}


def _learn_tools(
    recordings: "Sequence[Recording]", suite: Path, api: str, files: Sequence[Path], *,
    replace: bool,
) -> None:  # fmt: skip
    """Write the state behind the tools of recorded MCP servers; each recording is a world.

    Raises:
        MockServerError: There are files already that are not to be replaced, or no tool's calls
            hold together.
    """
    from mockserver.verify.tool_state import learn_tools

    found = learn_tools([each.interactions for each in recordings], api)
    named = ", ".join(map(str, files))
    if found is None:
        raise MockServerError(
            f"{named}: no tool there has calls that tell of a state",
            hint=f"understudy mcp --cassette {files[0]} answers what was recorded",
        )
    _write_new(found.files, suite, replace=replace)
    for path in found.files:
        typer.echo(f"wrote {suite / path}")
    typer.echo(f"answered from state: {', '.join(sorted(set().union(*found.served)))}")
    for name, why in sorted(found.left.items()):
        typer.echo(f"left to its recordings: {name}: {why}")
    for each, why, own in zip(recordings, found.recorded, found.overrides, strict=True):
        if why:
            typer.echo(f"answered otherwise: {each.name}: {why}")
        elif own:
            typer.echo(f"saw other rows or ids, which the base has of others: {each.name}")
    typer.echo(f"next: understudy serve {suite} --cassette {named.replace(', ', ' --cassette ')}")


def _write_new(files: Mapping[str, str], folder: Path, *, replace: bool) -> None:
    """Write files that are not there yet, or replace them.

    Raises:
        MockServerError: One is there, and they are not to be replaced.
    """
    from mockserver.verify.tool_state import write_files

    there = [path for path in files if (folder / path).exists()]
    if there and not replace:
        raise MockServerError(
            f"{folder / there[0]} is there already",
            hint="--replace replaces it; --name names another",
        )
    write_files(files, folder)


def _reads_answered_otherwise(
    learned: "Learned", reads: Sequence["Recorded"], host: str, api: str, at: str
) -> list[str]:
    """The reads that what was learned answers otherwise than was recorded, with the difference."""
    import asyncio
    from tempfile import TemporaryDirectory

    from mockserver.verify.tool_state import write_files

    with TemporaryDirectory() as folder:
        write_files(_files_of(learned, api, at), Path(folder))
        lists = [each.get("paging") for each in learned.draft.collections.values()]
        paging = [each for each in lists if isinstance(each, dict)]
        return asyncio.run(_ask(Path(folder), reads, host, at, paging))


async def _ask(
    suite: Path, reads: Sequence["Recorded"], host: str, at: str, paging: Sequence["JsonObject"]
) -> list[str]:
    import httpx

    from mockserver.http.application import Application
    from mockserver.model import SessionSpec
    from mockserver.settings import Settings
    from mockserver.state import parse_clock_time

    moment = at or "2026-01-01T00:00:00Z"
    real = parse_clock_time(moment)
    application = Application(Settings(fixtures=suite), real=lambda: real)
    session = application.sessions.open(SessionSpec(id="learned", clock=f"frozen:{moment}"))
    key = session.token
    headers = {"X-Mock-Session": "learned", "Authorization": f"Bearer {key}"}
    found, tokens = [], _Tokens(paging)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(application), base_url=f"http://{host}", headers=headers
    ) as client:
        for read in reads:
            own = {name: key for kind, name in read.keys.items() if kind == "header"}
            pairs = [(name, tokens.own(value)) for name, values in read.query.items()
                     for value in values]  # fmt: skip
            pairs += [(each, key) for each in read.keys.get("query", ())]
            query = urlencode(pairs)
            answer = await client.get(read.path, params=query, headers=own)
            told = _difference(read, answer.status_code, answer.content, host, tokens)
            if told:
                sent = urlencode([(name, value) for name, values in read.query.items()
                                  for value in values])  # fmt: skip
                found.append(f"GET {read.path}{'?' if sent else ''}{sent}: {told}")
    return found


class _Tokens:
    """Names of next pages: each API makes its own, so those of the recording stand for ours.

    Args:
        paging: The `paging` of each collection, as the declaration has it.
    """

    def __init__(self, paging: Sequence["JsonObject"]) -> None:
        places = {str(each.get("next", "none")) for each in paging}
        self._places = places - {"link_header", "none"}
        self._own: dict[str, str] = {}

    def own(self, value: str) -> str:
        """Our token for a recorded one; any other value as it is."""
        return self._own.get(value, value)

    def without(self, answer: "Json", recorded: "Json") -> "tuple[Json, Json]":
        """Two answers without the tokens that both have, or that neither has."""
        from mockserver.collections.places import place_of, value_at, without_field
        from mockserver.declared.keywords import as_object

        for each in self._places:
            place = place_of(each)
            ours, theirs = value_at(answer, place), value_at(recorded, place)
            if ours and theirs:
                self._own[str(theirs)] = str(ours)
            are_alike = isinstance(answer, dict) and isinstance(recorded, dict)
            if are_alike and bool(ours) == bool(theirs):
                answer = without_field(as_object(answer), place)
                recorded = without_field(as_object(recorded), place)
        return answer, recorded


def _difference(read: "Recorded", status: int, content: bytes, host: str, tokens: _Tokens) -> str:
    """How an answer differs from the recorded one; empty where it does not."""
    import orjson

    if status != read.status:
        return f"{status} rather than {read.status}"
    if not read.is_good:
        return ""
    text = content.replace(f"http://{host}".encode(), f"https://{host}".encode())
    try:
        answer: Json = orjson.loads(text) if text else None
    except orjson.JSONDecodeError:
        return "no JSON"
    answer, recorded = tokens.without(answer, read.answer)
    return "" if answer == recorded else f"{_short(answer)} rather than {_short(recorded)}"


def _short(value: "Json") -> str:
    import orjson

    from mockserver.model import shortened

    return shortened(orjson.dumps(value).decode())


def _summary(
    learned: "Learned", calls: Sequence["Recorded"], reads: Sequence["Recorded"],
    otherwise: Sequence[str], output: Path, total: int,
) -> Iterator[str]:  # fmt: skip
    draft = learned.draft
    api = draft.declaration["api"]
    rows = sum(map(len, draft.data.values()))
    doubts = sum(map(len, draft.unsure.values()))
    yield (
        f"{output / 'apis' / f'{api}.yaml'}: {len(draft.collections)} collections, {doubts}"
        " comments on what is unsure"
    )
    yield f"{output / 'base' / f'{api}.json'}: {rows} rows"
    yield f"{len(calls)} of {total} recorded calls are of this API and JSON"
    yield (
        f"{len(reads) - len(otherwise)} of {len(reads)} recorded reads before the first write are"
        " answered as recorded"
    )
    for each in otherwise[:_SHOWN]:
        yield f"answered otherwise: {each}"
    for each in learned.unserved[:_SHOWN]:
        yield f"not served: {each}"
