"""Logs of HTTP as golden tests write them: request, blank line, answer, `---` between exchanges.

```
POST https://compute.googleapis.com/compute/v1/projects/${projectId}/global/networks
Content-Type: application/json

{"name": "net-${uniqueId}"}

200 OK
Content-Type: application/json

{"id": "${networkID}"}
```

Values that differ from run to run stand as `${name}`. Each name gets one legal value in all of a
log, and values that are equal in the log stay equal.
"""

import re
from collections.abc import Iterator
from zlib import crc32

from mockserver.cassettes.files.values import MisplacedError
from mockserver.cassettes.foreign.common import ImportedRecording, Source, import_items
from mockserver.model import (
    Header,
    Interaction,
    Json,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.untrusted_json import Place

NAME = "HTTP log"

_REQUEST = re.compile(r"([A-Z]{3,8}) (\S+)")
_STATUS = re.compile(r"(\d{3}) ?([A-Za-z' -]*)")
_HEADER = re.compile(r"([A-Za-z0-9!#$&^_.+-]+): ?(.*)")
_BETWEEN = re.compile(r"(?m)^---$\n?")
_PLACEHOLDER = re.compile(r"\$\{([^{}\n]{1,100})\}")
_GRPC = "GRPC"
_NUMBERS = ("number", "creatorid")
_WORDS = ("project", "unique", "version", "name", "path")
"""Placeholders that stand for texts; others whose names end with ID are numbers."""
_FIRST_NUMBER = 10**11
_MOST_NUMBERS = 10**10
STANDS_FOR_ID = re.compile(r"10\d{10}")
"""What stands for an id in a log after it was read."""


def recognises(value: Json) -> bool:
    """Whether a text begins with the line of a request."""
    if not isinstance(value, str):
        return False
    line = value.lstrip()[:2048].partition("\n")[0]
    found = _REQUEST.fullmatch(line.strip())
    return found is not None and found[2].startswith(("http://", "https://", "/"))


def read(value: Json, source: Source) -> ImportedRecording:
    """The exchanges of a log; calls of gRPC, which have no URL, are left out with a note."""
    text = _PLACEHOLDER.sub(lambda hit: legal_value(hit[1]), str(value))
    parts = [each for each in _BETWEEN.split(text.replace("\r\n", "\n")) if each.strip()]
    items: Iterator[tuple[Place, Json]] = (((number,), part) for number, part in enumerate(parts))

    def interaction(part: Json, place: Place) -> Interaction:
        lines = str(part).strip("\n").split("\n")
        request = _REQUEST.fullmatch(lines[0].strip())
        if request is None:
            raise MisplacedError(place, "does not begin with a request, METHOD URL")
        method, url = request[1], request[2]
        if method == _GRPC:
            raise MisplacedError(place, "a call of gRPC, which is no exchange of HTTP")
        if url.startswith("/"):
            if not source.upstream:
                raise MisplacedError(place, "names only a path", hint="say --upstream https://HOST")
            url = f"{source.upstream.rstrip('/')}{url}"
        start = _answer_line(lines)
        if start is None:
            raise MisplacedError(place, "has no line with the status of an answer, 200 OK")
        sent, body = _message(lines[1:start])
        headers, answer = _message(lines[start + 1 :])
        status = _STATUS.fullmatch(lines[start])
        assert status is not None  # noqa: S101  (what was looked for)
        return Interaction(
            RecordedRequest(method, url, sent, body),
            RecordedResponse(int(status[1]), status[2].strip(), headers, answer),
        )

    return import_items(NAME, items, interaction)


def _answer_line(lines: list[str]) -> int | None:
    """Where the answer begins: the first line with a status after a blank one."""
    return next(
        (number for number, line in enumerate(lines)
         if number and not lines[number - 1].strip() and _STATUS.fullmatch(line)),
        None,
    )  # fmt: skip


def _message(lines: list[str]) -> tuple[tuple[Header, ...], bytes]:
    headers: list[Header] = []
    for number, line in enumerate(lines):
        found = _HEADER.fullmatch(line)
        if found is None:
            return tuple(headers), "\n".join(lines[number:]).strip("\n").encode()
        headers.append((found[1], found[2]))
    return tuple(headers), b""


def legal_value(name: str) -> str:
    """A value that may stand where a placeholder does: digits for numbers, else a word.

    >>> legal_value("projectNumber"), legal_value("uniqueId")
    ('100139591520', 'uniqueid6560')
    """
    low = name.lower()
    digest = crc32(name.encode())
    is_number = low.endswith(_NUMBERS) or (
        name.endswith(("ID", "Id")) and not low.startswith(_WORDS)
    )
    if is_number:
        return str(_FIRST_NUMBER + digest % _MOST_NUMBERS)
    if "ipv4" in low:
        return f"203.0.113.{1 + digest % 254}"
    return f"{re.sub('[^a-z0-9]', '', low) or 'value'}{digest % 10**4:04d}"


PROJECTS = {legal_value("projectId"): legal_value("projectNumber")}
"""The project that stands in logs for any, and its number."""
