"""Asks one checkout of this project everything, and prints each request with its answer.

`tests.acceptance.equality` runs this once with the packages of each checkout, and compares what
they print. Nothing is imported of the product but its application and its harness's readers.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import re
import shutil
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import yaml

from tests.acceptance.corpus import Answer, Ask, Flow, document_of, flow, listings, nodes_of
from tests.acceptance.declared_corpus import declared_flow

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
EMULATED = frozenset({
    "admin", "apphub", "calendar", "chromemanagement", "chromepolicy", "cloudasset",
    "cloudidentity",
    "cloudresourcemanager", "cloudtrace", "clouderrorreporting", "container", "drive", "gmail",
    "iamcredentials", "logging", "monitoring", "observability", "sheets", "sts", "oauth2",
})  # fmt: skip
"""Documents that have rules of their own here: they are asked everything, others a selection."""
_DURATION = re.compile(r'"duration_ms": ?[\d.e-]+,?')
PROJECT = "shop-prod"
"""The project of the bundled suites."""


class Server:
    """The application of a suite, asked in process.

    Args:
        suite: The folder of the suite, or None for an empty world.
        more: Further settings.
    """

    def __init__(self, suite: Path | None, **more: Any) -> None:
        from mockserver.http.application import Application
        from mockserver.settings import Settings

        secrets = iter(range(1, 1 << 30))
        self._application = Application(
            Settings(fixtures=suite, **more),
            real=lambda: NOW,
            secret=lambda: f"{next(secrets):032x}",
        )

    async def ask(self, ask: Ask) -> Answer:
        """Send a request, print it with its answer."""
        status, headers, content = await self.answer(ask)
        text = (
            ""
            if ask.body is None
            else f" {orjson.dumps(ask.body).decode()}"
            if not isinstance(ask.body, bytes)
            else f" {ask.body!r}"
        )
        headed = "".join(f" [{name}: {value}]" for name, value in ask.headers)
        emit(f"{ask.verb} {ask.path}{headed}{text}", status, headers, content)
        return Answer(status, content)

    async def answer(self, ask: Ask) -> tuple[int, list[tuple[str, str]], bytes]:
        """Send a request."""
        path, _, query = ask.path.partition("?")
        content = ask.body if isinstance(ask.body, bytes) else b""
        if ask.body is not None and not content:
            content = orjson.dumps(ask.body)
        headers = [(b"host", b"127.0.0.1:8765")]
        headers += [(n.encode(), v.encode("latin-1", "replace")) for n, v in ask.headers]
        if content:
            headers.append((b"content-length", b"%d" % len(content)))
            if not any(name == b"content-type" for name, _ in headers):
                headers.append((b"content-type", b"application/json"))
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
            "method": ask.verb, "path": path, "raw_path": path.encode("latin-1", "replace"),
            "query_string": query.encode("latin-1", "replace"), "headers": headers, "root_path": "",
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765), "state": {},
        }  # fmt: skip
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        with suppress(ConnectionResetError):  # as recorded: the answer breaks off
            await self._application(scope, receive, send)
        if not sent:
            return 0, [], b""
        found = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in sent[0].get("headers", ())]
        return sent[0]["status"], found, b"".join(each.get("body", b"") for each in sent)

    @asynccontextmanager
    async def session(self, name: str, **spec: Any) -> AsyncIterator[Mapping[str, Any]]:
        """A session with what it holds at its end: state, changes and journal.

        Yields:
            What the server says of it.
        """
        control = "/_mock/sessions"
        spec = {"id": name, "clock": "frozen:2026-11-21T09:00:00Z", "seed": 7, **spec}
        opened = await self.ask(Ask("POST", control, spec))
        if opened.status != 201:
            yield {}
            return
        yield opened.json
        for part in ("state", "collections"):
            await self.ask(Ask("GET", f"{control}/{name}/{part}"))
        await self.ask(Ask("DELETE", f"{control}/{name}"))  # answers journal and changes


def emit(request: str, status: int, headers: Iterable[tuple[str, str]], content: bytes) -> None:
    """Print one answer."""
    try:
        body = _DURATION.sub("", content.decode())
    except UnicodeDecodeError:
        body = base64.b85encode(content).decode()
    true = ("content-length", str(len(content)))  # says nothing that the body does not
    line = orjson.dumps([request, status, sorted(each for each in headers if each != true), body])
    sys.stdout.buffer.write(line + b"\n")


def documents() -> list[Path]:
    """Every Discovery document of the client library, those with rules of their own first."""
    spec = find_spec("googleapiclient")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "discovery_cache/documents"
    found = sorted(each for each in folder.glob("*.json") if each.name != "index.json")
    return sorted(found, key=lambda path: not _is_emulated(path))


async def answer_methods(data: Path, work: Path, chosen: "Chosen") -> None:
    """All methods of all documents, and those that the server adds to them."""
    server = Server(work / "world")
    for path in chosen([None, *documents()]):
        if path is None:
            await _answer_added(server)
            continue
        document = orjson.loads(path.read_bytes())
        emulated = _is_emulated(path)
        async with server.session(path.stem, base=emulated) as session:
            if session:
                requests = flow(document, PROJECT, dense=emulated)
                await follow(server, requests, f"/s/{path.stem}")


async def _answer_added(server: Server) -> None:
    """The methods of emulated APIs that are in no document."""
    listed = await server.ask(Ask("GET", "/_mock/apis"))
    names = EMULATED | {api["name"] for api in listed.json["apis"]}
    documented = {
        method.value["id"]
        for path in documents()
        if path.name.partition(".")[0] in names
        for node in nodes_of(orjson.loads(path.read_bytes()))
        for method in node.methods.values()
    }
    for api in listed.json["apis"]:
        if api["kind"] != "emulated":
            continue
        methods = await server.ask(Ask("GET", f"/_mock/apis/{api['name']}"))
        added = [each for each in methods.json["methods"] if each["id"] not in documented]
        if not added:
            continue
        async with server.session(f"added-{api['name']}") as session:
            if session:
                requests = flow(document_of(added), PROJECT, dense=True)
                await follow(server, requests, f"/s/added-{api['name']}")


async def answer_suites(data: Path, work: Path, chosen: "Chosen") -> None:
    """The reference of every case of every suite, and every list in a world that a case changes."""
    from harness.cases import load_suite

    folders = [each for each in (data / "fixtures").iterdir() if each.is_dir()]
    folders += (data / "tests/harness/cases/earlier").glob("*/*/")
    cases = [(folder, case) for folder in sorted(folders) for case in load_suite(folder).cases]
    servers: dict[Path, Server] = {}
    documents_asked = [
        orjson.loads(path.read_bytes()) for path in documents() if _is_emulated(path)
    ]
    for folder, case in chosen(cases):
        if folder not in servers:
            servers[folder] = Server(folder)
        server, fixtures = servers[folder], case.fixtures
        spec = {
            "overrides": fixtures.overrides,
            "base": fixtures.base,
            "seed": fixtures.seed,
            "faults": [
                each.model_dump(mode="json", exclude_defaults=True) for each in fixtures.faults
            ],
        }
        async with server.session(f"{folder.name}.{case.id}", **spec) as session:
            if not session:
                continue
            env, token = session["env"], (("authorization", f"Bearer {session['token']}"),)
            tools, google = (
                env[name].removeprefix("http://127.0.0.1:8765").rstrip("/")
                for name in ("TOOLS_BASE_URL", "GOOGLE_API_BASE_URL")
            )
            for turn in case.reference:
                for call in turn.calls:
                    await server.ask(Ask("POST", f"{tools}/{call.name}", call.args, token))
                for each in turn.requests:
                    url = f"{google}/{each.url.lstrip('/')}"
                    await server.ask(Ask(each.http_method, url, each.body, token))
            if fixtures.overrides:
                for document in documents_asked:
                    for ask in listings(document, PROJECT):
                        await server.ask(ask._replace(path=f"{google}{ask.path}"))


def _is_emulated(path: Path) -> bool:
    return path.name.partition(".")[0] in EMULATED


async def answer_declared(data: Path, work: Path, chosen: "Chosen") -> None:
    """Every declared API: what tests asked of it, and requests by its own routes."""
    folders = [each.parent for each in sorted((data / "fixtures").glob("*/apis"))]
    folders += [each.parent for each in sorted((work / "harvest").glob("*/suite"))]
    seen = set()
    for folder in chosen(folders):
        events = folder / "events.jsonl"
        recorded = [orjson.loads(line) for line in events.open("rb")] if events.exists() else []
        suite = folder / "suite" if events.exists() else folder
        trusted = bool(recorded and recorded[0].get("trusted"))
        try:
            server = Server(suite, trusted=trusted)
        except Exception as error:  # noqa: BLE001 - a suite that a test knows to be wrong
            emit(f"suite {folder.name}", 0, (), f"{error!r}".replace(str(work), "").encode())
            continue
        for event in recorded[1:]:
            if "open" in event:
                spec = {"seed": 7, "secret": "0" * 32, **event["open"]}
                await server.ask(Ask("POST", "/_mock/sessions", spec))
                continue
            headers = tuple((name, value) for name, value in event["headers"])
            body = event["body"].encode("latin-1") or None
            await server.ask(Ask(event["verb"], event["path"], body, headers))
        digest = hashlib.sha256(
            b"".join(p.read_bytes() for p in sorted(suite.rglob("*")) if p.is_file())
        )
        if digest.digest() in seen:
            continue
        seen.add(digest.digest())
        for name in _declared_names(suite):
            async with server.session(f"all-{name}") as session:
                document = await server.ask(Ask("GET", f"/_mock/apis/{name}/openapi.json"))
                if session and document.status == 200:
                    requests = declared_flow(document.json, session["token"])
                    await follow(server, requests, f"/s/all-{name}")


def _declared_names(suite: Path) -> Iterator[str]:
    """The APIs that a suite declares; files that its tests know to be wrong are passed over."""
    for path in sorted((suite / "apis").iterdir()):
        if path.suffix in {".yaml", ".yml", ".json"}:
            declaration = yaml.safe_load(path.read_bytes())
            if isinstance(declaration, dict) and isinstance(declaration.get("api"), str):
                yield declaration["api"]


async def answer_runs(data: Path, work: Path, chosen: "Chosen") -> None:
    """Runs, cases and cassettes of earlier versions: read, decided and replayed."""
    from harness.cases import case_hash, load_suite
    from harness.runner import decide
    from harness.storage import RunFolder
    from harness.verdicts import Limits
    from mockserver.cassettes.foreign import read_foreign

    tests = data / "tests"
    runs = sorted((tests / "harness/storage/earlier").iterdir())
    suites = sorted((tests / "harness/cases/earlier").glob("*/*/"))
    cassettes = sorted(
        path
        for folder in (data / "cassettes", tests / "mockserver", tests / "clients")
        for path in folder.rglob("*")
        if path.suffix in {".yaml", ".yml", ".json", ".har"}
        and path.is_file()
        and "plans" not in path.parts
    )
    things = [*((decide, each) for each in runs), *((load_suite, each) for each in suites)]
    things += [(read_foreign, each) for each in cassettes]
    for read, path in chosen(things):
        name = f"{read.__name__} {path.relative_to(data)}"
        if read is load_suite:
            suite = load_suite(path)
            for case in suite.cases:
                text = case.model_dump_json(exclude_defaults=True)
                emit(
                    f"{name} {case.id}",
                    0,
                    (),
                    f'{{"hash": "{case_hash(case)}", "case": {text}}}'.encode(),
                )
        elif read is decide:
            with TemporaryDirectory() as copy:
                folder = RunFolder(Path(shutil.copytree(path / "run", Path(copy) / "run")))
                result = decide(folder, Limits())
                emit(name, 0, (), _as_json(result, copy))
                for record in folder.records():
                    emit(f"{name} {record.case} {record.number}", 0, (), _as_json(record, copy))
        else:
            try:
                cassette, imported = read_foreign(path, upstream="https://nowhere.example.com")
            except Exception as error:  # noqa: BLE001 - most files are no recordings
                emit(name, 0, (), str(error).replace(str(data), "").encode())
                continue
            emit(name, 0, (), orjson.dumps([imported.format, len(cassette.interactions)]))
            server = Server(None, cassettes=(path,))
            spec = {"cassettes": [path.stem], "sources": ["cassette"], "pace": 0}
            async with server.session("replay", **spec) as session:
                for each in cassette.interactions if session else ():
                    url = each.request.url.partition("://")[2]
                    body = each.request.body or None
                    sent = tuple(
                        h
                        for h in each.request.headers
                        if h[0].lower() in {"content-type", "accept"}
                    )
                    await server.ask(Ask(each.request.method, f"/s/replay/{url}", body, sent))


def _as_json(value: Any, folder: str) -> bytes:
    """A record as JSON, without the place of its files."""

    def plain(each: Any) -> Any:
        if hasattr(each, "model_fields"):
            return {name: getattr(each, name) for name in type(each).model_fields}
        if is_dataclass(each) and not isinstance(each, type):
            return {one.name: getattr(each, one.name) for one in fields_of(each)}
        return list(each) if isinstance(each, Iterable) else str(each)

    return json.dumps(value, default=plain).replace(folder, "").encode()


async def follow(server: Server, requests: Flow, prefix: str) -> None:
    """Send a flow's requests below a prefix, and tell it the answers."""
    try:
        ask = next(requests)
        while True:
            ask = requests.send(await server.ask(ask._replace(path=prefix + ask.path)))
    except StopIteration:
        pass


class Chosen:
    """Which of several things are asked here: those of a shard, up to a limit."""

    def __init__(self, shard: int, shards: int, limit: int) -> None:
        self._shard, self._shards, self._limit = shard, shards, limit

    def __call__(self, things: Iterable[Any]) -> list[Any]:
        every = list(things)
        return every[: self._limit or None][self._shard :: self._shards]


PARTS = {
    "methods": answer_methods,
    "suites": answer_suites,
    "declared": answer_declared,
    "runs": answer_runs,
}


def main() -> None:
    """Ask for one part."""
    from mockserver.googleapi.signing import share_signing_key

    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("shard", type=int)
    parser.add_argument("shards", type=int)
    parser.add_argument("limit", type=int)
    given = parser.parse_args()
    share_signing_key((given.work / "key.pem").read_bytes())
    asyncio.run(
        PARTS[given.part](given.data, given.work, Chosen(given.shard, given.shards, given.limit))
    )
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
