"""The stub that would answer a request, as JSON to add to a session or to write into a suite."""

import contextlib
import re
from collections.abc import Mapping

import orjson

from mockserver.apis.generic.synthesis import synthesize
from mockserver.errors import FormatError, InvalidFilesError, SessionError
from mockserver.googleapi import Call, Catalog, Method
from mockserver.model import FEW, Json, JsonObject, first_few
from mockserver.redaction.journal_redaction import REDACTED
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Session
from mockserver.snapshots.importer import Stub
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.stubs import stub_problems

_SHALLOW = 2
_NO_NAME = re.compile(r"[^A-Za-z0-9]+")
_SYSTEM = frozenset({"fields", "alt", "key", "prettyPrint", "quotaUser", "callback"})


def propose_stub(
    session: Session, worlds: SnapshotResolver, catalog: Catalog, entry: Entry
) -> JsonObject:
    """What would answer a request as a literal answer.

    Args:
        session: The session that it was asked in.
        worlds: Where the suite of the session is.
        catalog: The Discovery documents, which may have its method.
        entry: The request.

    Returns:
        `stub` (an item of a snapshot's `http`), `file` (where in the suite to write it, or an
        empty string without one), `patch` (what to write there, RFC 6902), and `fixture` (a part of
        a snapshot that answers as well, where the server said one).
    """
    method = catalog.method(entry.method_id) if entry.method_id else None
    stub: JsonObject = {"method": entry.http_method, "url": _url(entry, catalog)}
    parts: JsonObject = {"query": _query(entry, method), "body": _fields(entry.body or {})}
    match: JsonObject = {part: asked for part, asked in parts.items() if asked}
    if match:
        stub["match"] = match
    stub |= {"status": 200, "body": _sample(session, entry, method)}
    return {
        "stub": stub,
        "file": _file(session, worlds, entry),
        "patch": _patch(session, worlds, stub),
        "fixture": _said_fixture(entry),
    }


def check_stub(stub: Stub) -> JsonObject:
    """A stub in full, as a base has it.

    Raises:
        SessionError: 400: it cannot be served; every reason at once.
    """
    problems = [f"{each.pointer}: {each.message}" for each in stub_problems(stub)]
    if problems:
        raise SessionError(first_few(problems[:FEW], len(problems)))
    return stub.model_dump()


def _url(entry: Entry, catalog: Catalog) -> str:
    """The address of a request as stubs write it; the host may be the first part of its path."""
    first, _, rest = entry.path[1:].partition("/")
    if catalog.is_host(first):
        return f"{entry.host or first}/{rest}"
    if entry.host:
        return f"{entry.host}{entry.path}"
    return entry.path[1:] if "." in first else entry.path


def _query(entry: Entry, method: Method | None) -> JsonObject:
    """What a request has in its query, as texts."""
    found: JsonObject = {}
    for name, value in entry.params.items():
        known = None if method is None else method.parameters.get(name)
        if name in _SYSTEM or (known is not None and known.location == "path"):
            continue
        if value == REDACTED:
            found[name] = {"present": True}
        else:
            found[name] = [_text(each) for each in value] if isinstance(value, list) else (
                _text(value)
            )  # fmt: skip
    return found


def _fields(body: Mapping[str, Json]) -> JsonObject:
    """What a request has in its body: plain values as they are, others by their presence."""
    return {
        name: value
        if isinstance(value, str | int | float) and value != REDACTED
        else {"present": True}
        for name, value in body.items()
    }


def _text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sample(session: Session, entry: Entry, method: Method | None) -> Json:
    """An answer in the form of the method's schema; an empty object where there is none."""
    if method is None:
        return {}
    call = Call(method.id, dict(entry.params), dict(entry.body or {}), session.world)
    return synthesize(method, call, deepest=_SHALLOW) or {}


def _file(session: Session, worlds: SnapshotResolver, entry: Entry) -> str:
    if worlds.suite is None:
        return ""
    words = _NO_NAME.sub("-", entry.method_id or f"{entry.http_method}-{entry.path}").strip("-")
    name = f"zz-stub-{words.lower()[:60]}.patch.json"
    case = session.spec.case
    folder = case if case and worlds.suite.has_override(case) else "base"
    return f"{(worlds.suite.fixtures / folder / name).relative_to(worlds.suite.folder.parent)}"


def _patch(session: Session, worlds: SnapshotResolver, stub: JsonObject) -> list[JsonObject]:
    raw: Mapping[str, Json] = {}
    with contextlib.suppress(FormatError, InvalidFilesError, SessionError, FileNotFoundError):
        raw = worlds.resolve(session.spec).raw
    if isinstance(raw.get("http"), list):
        return [{"op": "add", "path": "/http/-", "value": stub}]
    return [{"op": "add", "path": "/http", "value": [stub]}]


def _said_fixture(entry: Entry) -> str:
    """The part of a snapshot that the answer itself names as one that would serve the call."""
    try:
        details = orjson.loads(entry.response)["error"]["details"]
        return str(next(each["metadata"]["fixture"] for each in details))
    except (orjson.JSONDecodeError, LookupError, TypeError, StopIteration):
        return ""
