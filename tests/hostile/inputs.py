"""Requests that are made to stop a server: for each, how it may be answered.

Each is a whole request, so that the same table can be put to every way into the server.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from gzip import compress
from typing import Any

import orjson

ADMIN = "/admin.googleapis.com"
DIRECTORY = f"{ADMIN}/admin/directory/v1"
UNITS = f"{DIRECTORY}/customer/my_customer/orgunits"
LOGGING = "/logging.googleapis.com/v2/entries"
MONITORING = "/monitoring.googleapis.com"
PROMETHEUS = f"{MONITORING}/v1/projects/p/location/global/prometheus/api/v1"
SERIES = f"{MONITORING}/v3/projects/p/timeSeries"
TOKEN = "/oauth2.googleapis.com/token"
SESSIONS = "/_mock/sessions"
UPLOAD = "/www.googleapis.com/upload/drive/v3/files?uploadType=multipart"

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MIXED = "multipart/mixed; boundary=x"
MANY = 200_000
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Hostile:
    """One request.

    Attributes:
        name: What is wrong with it.
        verb: The HTTP method.
        path: Path and query.
        content: Makes the body.
        kind: Its content type.
        statuses: How it may be answered.
        headers: Further headers.
    """

    name: str
    verb: str
    path: str
    content: Callable[[], bytes] = bytes
    kind: str = JSON
    statuses: tuple[int, ...] = (400,)
    headers: tuple[tuple[str, str], ...] = field(default=())


def _json(value: Any) -> Callable[[], bytes]:
    return lambda: orjson.dumps(value() if callable(value) else value)


def _log(text: str) -> Callable[[], bytes]:
    return _json({"resourceNames": ["projects/p"], "filter": text})


def _query(text: str) -> Callable[[], bytes]:
    return lambda: b"query=" + text.encode().replace(b"+", b"%2B").replace(b"&", b"%26")


@cache
def names(count: int) -> bytes:
    return b"&".join(b"n%d=1" % number for number in range(count))


def _parts(count: int) -> bytes:
    one = b"--x\r\nContent-Type: application/http\r\n\r\nGET /admin/directory/v1/x HTTP/1.1\r\n\r\n"
    return one * count + b"--x--"


def _lists(count: int) -> bytes:
    call = f"GET {UNITS.removeprefix(ADMIN)}?type=all HTTP/1.1\r\n\r\n".encode()
    return (b"--x\r\nContent-Type: application/http\r\n\r\n" + call) * count + b"--x--"


def bodies() -> Iterator[Hostile]:
    for name, path, statuses in (
        ("token", TOKEN, (400, 404)),
        ("prometheus", f"{PROMETHEUS}/query", (400,)),
        ("list", f"{UNITS}", (400,)),
    ):
        for count in (8_000, 1_000_000):
            yield Hostile(
                f"form of {count} names, {name}",
                "POST",
                path,
                lambda count=count: names(count),  # type: ignore[misc]
                FORM,
                (*statuses, 200, 401),
            )
    for name, path in (
        ("units", UNITS),
        ("logs", f"{LOGGING}:write"),
        ("control", SESSIONS),
        ("tool", "/tools/listOrgUnits"),
    ):
        yield Hostile(
            f"48 MB of lists, {name}",
            "POST",
            path,
            lambda: b"[" + b"[]," * 16_000_000 + b"[]]",
            statuses=(400, 404, 413),
        )
        yield Hostile(
            f"as many values as may be, {name}",
            "POST",
            path,
            lambda: b'{"a":[' + b"{}," * 124_000 + b"{}]}",
            statuses=(200, 400, 404),
        )
        yield Hostile(
            f"unknown keys, {name}",
            "POST",
            path,
            lambda: orjson.dumps({f"k{number}": 1 for number in range(MANY)}),
            statuses=(200, 400, 404),
        )
        yield Hostile(
            f"one long key, {name}",
            "POST",
            path,
            lambda: orjson.dumps({"k" * 10 * MEGABYTE: 1}),
            statuses=(200, 400, 404),
        )
        yield Hostile(
            f"quotes, {name}",
            "POST",
            path,
            lambda: b'{"name": "' + b'\\"' * 5 * MEGABYTE + b'"}',
            statuses=(200, 400, 404),
        )
        yield Hostile(
            f"gzip of zeros, {name}",
            "POST",
            path,
            lambda: compress(bytes(50 * MEGABYTE)),
            statuses=(400, 404, 413),
            headers=(("content-encoding", "gzip"),),
        )
    yield Hostile(
        "faults without fields",
        "POST",
        SESSIONS,
        lambda: b'{"faults":[' + b"{}," * 100_000 + b"{}]}",
    )
    yield Hostile(
        "unknown keys of a fault",
        "POST",
        SESSIONS,
        _json(lambda: {"faults": [{"method": "x", **{f"k{number}": 1 for number in range(MANY)}}]}),
    )
    yield Hostile(
        "unknown collections",
        "POST",
        SESSIONS,
        _json(lambda: {"overrides": [{f"k{number}": 1 for number in range(100_000)}]}),
    )
    yield Hostile(
        "unknown error names",
        "POST",
        SESSIONS,
        _json(
            lambda: {"overrides": [{"errors": {f"k{number}": "X" for number in range(100_000)}}]}
        ),
    )
    yield Hostile(
        "wrong rows",
        "POST",
        SESSIONS,
        _json(lambda: {"overrides": [{"orgUnits": [{} for number in range(100_000)]}]}),
    )


def batches() -> Iterator[Hostile]:
    batch = f"{ADMIN}/batch/admin/directory_v1"
    yield Hostile(
        "a batch of 42 MB of boundaries",
        "POST",
        batch,
        lambda: b"--x\r\n" * 8_400_000 + b"--x--",
        MIXED,
    )
    yield Hostile(
        "a batch of lines that begin like boundaries",
        "POST",
        batch,
        lambda: b"--xy\n" * 8_400_000,
        MIXED,
    )
    yield Hostile("a batch of line breaks", "POST", batch, lambda: b"\r\n" * 21_000_000, MIXED)
    yield Hostile(
        "a batch of one endless head",
        "POST",
        batch,
        lambda: b"--x\r\n" + b"A: b\r\n" * 7_000_000 + b"--x--",
        MIXED,
    )
    yield Hostile("a batch of too many calls", "POST", batch, lambda: _parts(1001), MIXED)
    yield Hostile("a batch of 1,000 lists", "POST", batch, lambda: _lists(1000), MIXED, (200,))
    yield Hostile(
        "an upload of 42 MB of boundaries",
        "POST",
        UPLOAD,
        lambda: b"--x\r\n" * 8_400_000 + b"--x--",
        "multipart/related; boundary=x",
        (400, 404, 501),
    )


def expressions() -> Iterator[Hostile]:
    prom = f"{PROMETHEUS}/query"
    for name, text in {
        "a chain of a*a": "*".join(["a"] * 12_000),
        "a chain of 1+1": "+".join(["1"] * 12_000),
        "powers": "^".join(["2"] * 12_000),
        "signs": "-" * 20_000 + "1",
        "parentheses": "(" * 20_000 + "1",
        "calls": "abs(" * 8_000 + "a" + ")" * 8_000,
        "a long regular expression": 'a{b=~"' + "(x{1,1000}){1,1000}" * 100 + '"}',
        "an endless name": "a" * 49_000,
        "labels": "a{" + ",".join(f'l{number}="x"' for number in range(3000)) + "}",
        "comments": "#\n" * 20_000 + "1",
        "spaces": " " * 49_000 + "1 1",
        "a subquery of seconds": "max_over_time(a[52w:1s])[52w:1s]",
        "nested subqueries": "sum_over_time(" * 8 + "a" + "[1y:1s])" * 8,
    }.items():
        yield Hostile(f"PromQL: {name}", "POST", prom, _query(text), FORM, (200, 400, 422))
    for name, text in {
        "a chain of OR": " OR ".join(f'textPayload:"x{number}"' for number in range(900)),
        "parentheses": "(" * 9_000 + "a" + ")" * 9_000,
        "NOT": "NOT " * 4_000 + "a",
        "signs": "-" * 15_000 + "a",
        "a long regular expression": 'textPayload=~"' + "(x{1,1000}){1,1000}" * 100 + '"',
        "a long path": ".".join(["a"] * 9_000) + "=1",
        "an endless text": '"' + "a" * 19_000,
        "backslashes": '"' + "\\" * 19_001,
    }.items():
        yield Hostile(
            f"logging filter: {name}", "POST", f"{LOGGING}:list", _log(text), JSON, (200, 400)
        )
        yield Hostile(
            f"long logging filter: {name}",
            "POST",
            f"{LOGGING}:list",
            _log(text * 40),
            JSON,
            (200, 400),
        )
        short = text[:9000].replace(" ", "+").replace("#", "%23").replace("&", "%26")
        yield Hostile(
            f"monitoring filter: {name}", "GET", f"{SERIES}?filter={short}", bytes, JSON, (200, 400)
        )
        for place in (
            f"{DIRECTORY}/users?customer=my_customer&query=",
            "/cloudresourcemanager.googleapis.com/v3/projects:search?query=",
            "/cloudidentity.googleapis.com/v1/policies?filter=",
            "/gmail.googleapis.com/gmail/v1/users/me/messages?q=",
            "/cloudtrace.googleapis.com/v1/projects/p/traces?filter=",
            f"{ADMIN}/admin/reports/v1/activity/users/all/applications/login?filters=",
            "/chromemanagement.googleapis.com/v1/customers/my_customer/reports:"
            "countChromeVersions?filter=",
            "/cloudasset.googleapis.com/v1/projects/p:searchAllResources?query=",
        ):
            api = "/".join(place.partition("?")[0].split("/")[1::3])
            yield Hostile(
                f"filter of {api}: {name}",
                "GET",
                place + short,
                bytes,
                JSON,
                (200, 400, 403, 404, 501),
            )


def searches() -> Iterator[Hostile]:
    """Searches of mails, files, events and contacts that are long, deep, or ask for one of many."""
    named = "name contains 'plan'"
    mails = "/gmail.googleapis.com/gmail/v1/users/me/messages?q="
    files = "/www.googleapis.com/drive/v3/files?q="
    events = "/www.googleapis.com/calendar/v3/calendars/primary/events?q="
    people = "/people.googleapis.com/v1/people:searchContacts?readMask=names&query="
    asked = {
        f"{mails}{text}": name
        for name, text in {
            "many OR": " OR ".join(f"word{number % 9}" for number in range(700)),
            "deep groups": "{a (b " * 700 + "})" * 700,
            "many signs": "-word1 " * 1000,
            "many phrases": '"a plan" ' * 800,
            "many labels": "label:inbox -in:trash " * 400,
            "an open phrase": '"a ' * 2000,
            "many letters": "e " * 4000,
        }.items()
    } | {
        f"{files}{text}": name
        for name, text in {
            "many or": " or ".join([named] * 350),
            "many and": " and ".join([f"not {named}"] * 300),
            "deep parentheses": "(" * 4000 + named + ")" * 4000,
            "many not": "not " * 2000 + named,
            "many words": f"fullText contains '{'plan a ' * 1100}'",
            "a long phrase": f"fullText contains '\"{'plan ' * 1500}\"'",
            "an open text": "name contains '" + "\\'" * 3000,
        }.items()
    }
    asked |= {f"{events}{text}": name for name, text in _MANY_WORDS.items()}
    asked |= {f"{people}{text}": name for name, text in _MANY_WORDS.items()}
    for path, name in asked.items():
        host = path.split("/")[1].partition(".")[0] + "/" + path.partition("?")[0].split("/")[-1]
        sent = path.replace(" ", "+")
        yield Hostile(f"search of {host}: {name}", "GET", sent, statuses=(200, 400, 403, 501))


_MANY_WORDS = {
    "many words": "plan a " * 1200,
    "many phrases": '"a plan" ' * 900,
    "one letter": "e",
    "a long word": "e" * 8000,
}


def heads() -> Iterator[Hostile]:
    deep = "a(" * 7000
    for name, query in {
        "deep fields": f"fields={deep}",
        "wide fields": "fields=" + ",".join(["organizationUnits(name)"] * 2000),
        "slashes in fields": "fields=" + "/".join(["organizationUnits"] * 2000),
        "names": names(6000).decode(),
        "one name": "&".join(["orgUnitPath=x"] * 4000),
        "percent signs": "orgUnitPath=" + "%" * 50_000,
        "a large page": "maxResults=999999999999999999999999",
        "a page token": "pageToken=" + "A" * 50_000,
    }.items():
        yield Hostile(f"query: {name}", "GET", f"{UNITS}?{query}", statuses=(200, 400, 404))
    for header, value in {
        "if-none-match": '"x",' * 15_000,
        "accept-encoding": "gzip," * 12_000,
        "accept-language": "de;q=0.1," * 7_000,
        "range": "bytes=" + "0-1," * 15_000,
        "cookie": "a=b; " * 12_000,
        "authorization": "Bearer " + "x.y." * 15_000,
        "x-http-method-override": "G" * 60_000,
        "x-mock-session": "s" * 60_000,
        "content-range": "bytes " + "9" * 60_000 + "-1/2",
        "x-goog-user-project": "p" * 60_000,
        "baggage": "mock.session=x," * 4_000,
    }.items():
        yield Hostile(
            f"header {header}",
            "GET",
            f"{UNITS}?type=all",
            headers=((header, value),),
            statuses=(200, 304, 400, 401, 404, 409),
        )
    long = "a" * 60_000
    for name, path, statuses in (
        ("a long path", f"{UNITS}/{long}", (404,)),
        ("a path of slashes", "/" * 60_000, (404,)),
        ("a path of segments", DIRECTORY + "/a" * 25_000, (404,)),
        ("a long session", f"/s/{long}/x", (404,)),
        ("a long control path", f"/_mock/{long}", (404,)),
        ("a long control session", f"{SESSIONS}/{long}", (404,)),
        ("many collections", f"{SESSIONS}/default/state?collections=" + "a," * 25_000, (400,)),
        ("a long kind", f"{SESSIONS}/default/credentials?kind={long}", (400,)),
    ):
        yield Hostile(name, "GET", path, statuses=statuses)


def sessions() -> Iterator[Hostile]:
    for name, spec in {
        "NUL in a case": {"case": "a\0b"},
        "a long case": {"case": "a" * 5000},
        "a very long case": {"case": "a" * MEGABYTE},
        "NUL in an override": {"overrides": ["a\0b.json"]},
        "a long override": {"overrides": ["a" * 5000 + ".json"]},
        "many overrides": {"overrides": ["x"] * 20_000},
        "NUL in a cassette": {"cassettes": ["a\0b"]},
        "a long cassette": {"cassettes": ["a" * 5000]},
        "the first year": {"clock": "frozen:0001-01-01T00:00:00Z"},
        "before the first year": {"clock": "frozen:0001-01-01T00:00:00+14:00"},
        "the last year": {"clock": "frozen:9999-12-31T23:59:59Z"},
        "no clock": {"clock": "frozen:" + "9" * 5000},
        "captured in the first year": {"overrides": [{"capturedAt": "0001-01-01T00:00:00Z"}]},
        "captured in the last year": {"overrides": [{"capturedAt": "9999-12-31T23:59:59Z"}]},
        "a long id": {"id": "a" * 5000},
    }.items():
        yield Hostile(f"session: {name}", "POST", SESSIONS, _json(spec), statuses=(400, 404))
    for name, text in {
        "integers over 64 bits": b'{"overrides":[{"orgUnits":[{"name":99999999999999999999}]}]}',
        "a seed over 64 bits": b'{"seed":99999999999999999999999}',
        "a long integer": b'{"overrides":[{"tools":{"x":' + b"9" * 100_000 + b"}}]}",
        "a pace without end": b'{"pace":1e999}',
        "a surrogate": b'{"case":"\\ud800"}',
    }.items():
        yield Hostile(
            f"session: {name}",
            "POST",
            SESSIONS,
            lambda text=text: text,  # type: ignore[misc]
            statuses=(400, 404),
        )


HOSTILE: tuple[Hostile, ...] = (
    *bodies(),
    *batches(),
    *expressions(),
    *searches(),
    *heads(),
    *sessions(),
)
