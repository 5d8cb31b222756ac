"""Interactions as captures hold them, of many kinds, all invented; the same for the same seed."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from random import Random

from mockserver.model import Interaction, Json, RecordedRequest, RecordedResponse

_WORDS = """
the of and a to in is for that with as on by this be from are or an at it not have each will when
which time page value report system number between model answer question user access policy review
change request service network storage error result window order history team customer invoice
meeting project update release schedule account document message summary important different
available probably according together remember without building
""".split()  # noqa: SIM905
_OFTEN = [1 / (rank + 3) for rank in range(len(_WORDS))]
"""As in any language, the first ones are half of all."""

_TOKEN = "k7" * 20
_URL = "https://api.example.com/v1"


def mailbox(random: Random) -> Interaction:
    items: list[Json] = [
        {
            "id": f"{random.getrandbits(62):016x}",
            "threadId": f"{random.getrandbits(62):016x}",
            "labelIds": ["INBOX", "IMPORTANT", "CATEGORY_UPDATES"],
            "snippet": _prose(random, 24),
            "internalDate": str(1_760_000_000_000 + random.randrange(10**9)),
            "sizeEstimate": random.randrange(9000),
            "payload": {
                "mimeType": "text/plain",
                "headers": [
                    {"name": "Subject", "value": _prose(random, 6)},
                    {"name": "From", "value": f"Ann Berg <ann{number % 9}@corp.io>"},
                    {"name": "Date", "value": "Fri, 20 Nov 2026 09:12:44 +0000"},
                ],
            },
        }
        for number in range(60)
    ]
    return _json("/messages", {"messages": items, "resultSizeEstimate": 60})


def files(random: Random) -> Interaction:
    items: list[Json] = [
        {
            "kind": "drive#file",
            "id": "1" + _signs(random, 32),
            "name": _prose(random, 4) + ".pdf",
            "mimeType": "application/vnd.google-apps.document",
            "createdTime": "2026-11-20T09:12:44.123Z",
            "md5Checksum": f"{random.getrandbits(128):032x}",
            "size": str(random.randrange(10**7)),
            "owners": [{"displayName": "Ann Berg", "emailAddress": f"ann{number % 9}@corp.io"}],
            "webViewLink": f"https://docs.example.com/document/d/1{_signs(random, 32)}/edit",
        }
        for number in range(60)
    ]
    return _json("/files", {"kind": "drive#fileList", "files": items}, indent=2)


def people(random: Random) -> Interaction:
    items: list[Json] = [
        {
            "kind": "admin#directory#user",
            "id": f"10{random.randrange(10**19):019d}",
            "primaryEmail": f"person{number}@corp.io",
            "name": {"givenName": "Ann", "familyName": "Berg", "fullName": "Ann Berg"},
            "isAdmin": False,
            "lastLoginTime": "2026-11-19T08:00:00.000Z",
            "orgUnitPath": "/Engineering/Platform",
            "customerId": "C03xq7b2k",
            "languages": [{"languageCode": "en", "preference": "preferred"}],
        }
        for number in range(100)
    ]
    return _json("/users", {"kind": "admin#directory#users", "users": items})


def policies(random: Random) -> Interaction:
    items: list[Json] = [
        {
            "targetKey": {"targetResource": f"orgunits/03ph8a2z{random.randrange(99):07d}"},
            "value": {
                "policySchema": f"chrome.users.PolicySchema{number}",
                "value": {
                    f"policyField{number}Mode": f"POLICY_FIELD_{number}_MODE_ENUM_ALLOW",
                    "urls": [f"https://site{number}.example.com/path", "chrome://settings"],
                    "note": "How strictly this protects the people of an organization.",
                },
            },
        }
        for number in range(120)
    ]
    return _json("/policies:resolve", {"resolvedPolicies": items}, indent=2)


def completion(random: Random) -> Interaction:
    asked = {"model": "model-4", "messages": [{"role": "user", "content": _prose(random, 600)}]}
    answered = {
        "id": f"chatcmpl-{_signs(random, 29)}",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": _paragraphs(random, 40)},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 812, "completion_tokens": 4021},
    }
    return _json("/chat/completions", answered, asked=asked)


def web_page(random: Random) -> Interaction:
    rows = "\n".join(
        f'<div class="row item-{number}" id="n{number}"><a href="/docs/page-{number}.html?ref=list'
        f'&amp;sort=asc">{_prose(random, 5)}</a><p style="margin:0 auto">{_prose(random, 30)}</p>'
        f'<img src="/static/img/{_prose(random, 1)}-{number}.png" alt="{_prose(random, 2)}"></div>'
        for number in range(120)
    )
    page = f"<!DOCTYPE html>\n<html><head><title>List</title></head><body>\n{rows}\n</body></html>"
    return _made("/page", "text/html; charset=utf-8", page)


def log(random: Random) -> Interaction:
    lines = [
        f"2026-11-20T09:{number // 60 % 60:02d}:{number % 60:02d}.{random.randrange(999):03d}Z"
        f" {random.choice(('INFO', 'WARN', 'ERROR'))} worker-{number % 8} request"
        f" id=req-{random.getrandbits(40):010x} path=/v1/items/{number} status=200"
        f" took={random.randrange(900)}ms {_prose(random, 6)}"
        for number in range(400)
    ]
    return _made("/log", "text/plain", "\n".join(lines))


def packages(random: Random) -> Interaction:
    versions: dict[str, Json] = {}
    for number in range(80):
        integrity = b64encode(random.randbytes(64)).decode()
        versions[f"1.{number}.0"] = {
            "name": "left-align",
            "version": f"1.{number}.0",
            "description": _prose(random, 8),
            "dist": {
                "shasum": f"{random.getrandbits(160):040x}",
                "integrity": f"sha512-{integrity}",
                "tarball": f"https://registry.example.com/left-align/-/left-align-1.{number}.0.tgz",
                "fileCount": 12,
                "unpackedSize": 20481,
            },
            "dependencies": {"semver": "^7.0.0", "chalk": "~5.3.0"},
        }
    return _json("/left-align", {"name": "left-align", "versions": versions})


def embeddings(random: Random) -> Interaction:
    data: list[Json] = [
        {
            "object": "embedding",
            "index": number,
            "embedding": [random.uniform(-0.05, 0.05) for _ in range(768)],
        }
        for number in range(6)
    ]
    return _json("/embeddings", {"object": "list", "data": data, "model": "embedding-3"})


def pictures(random: Random) -> Interaction:
    head = b"\x89PNG\r\n\x1a\n"
    data: list[Json] = [
        {"b64_json": b64encode(head + random.randbytes(40_000)).decode(), "revised_prompt": "a cat"}
        for _ in range(2)
    ]
    return _json("/images/generations", {"created": 1_760_000_000, "data": data})


def stream(random: Random) -> Interaction:
    name = f"chatcmpl-{_signs(random, 29)}"
    events = [
        {
            "id": name,
            "object": "chat.completion.chunk",
            "created": 1_760_000_000,
            "model": "model-4",
            "choices": [{"index": 0, "delta": {"content": _prose(random, 1) + " "}}],
        }
        for _ in range(300)
    ]
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return _made("/chat/completions", "text/event-stream", text)


def small(random: Random) -> Interaction:
    item = {
        "id": random.randrange(10**5),
        "state": "open",
        "title": _prose(random, 7),
        "body": _prose(random, 70),
        "labels": ["bug", "docs"],
        "html_url": f"https://git.example.com/team/project/issues/{random.randrange(999)}",
    }
    return _json(f"/items/{item['id']}?view=full", item)


KINDS: Mapping[str, tuple[Callable[[Random], Interaction], int]] = {
    "mailbox": (mailbox, 8),
    "files": (files, 8),
    "people": (people, 8),
    "policies": (policies, 8),
    "chat with prose": (completion, 8),
    "web pages": (web_page, 8),
    "logs": (log, 8),
    "package metadata": (packages, 8),
    "embeddings": (embeddings, 4),
    "pictures in base64": (pictures, 4),
    "event streams": (stream, 6),
    "small answers": (small, 150),
}
"""How one is made of each kind, and how many of them are a capture."""


def captured(kind: str, seed: int = 7) -> list[Interaction]:
    """A capture of one kind of interaction."""
    make, count = KINDS[kind]
    random = Random(f"{kind} {seed}")
    return [make(random) for _ in range(count)]


def size(interaction: Interaction) -> int:
    """Bytes of its bodies, headers and URL."""
    request, response = interaction.request, interaction.response
    heads = (*request.headers, *response.headers)
    lines = sum(len(name) + len(value) + 4 for name, value in heads)
    return len(request.url) + len(request.body) + len(response.body) + lines


def _prose(random: Random, words: int) -> str:
    return " ".join(random.choices(_WORDS, _OFTEN, k=words))


def _paragraphs(random: Random, count: int) -> str:
    return "\n\n".join(_sentences(random) for _ in range(count))


def _sentences(random: Random) -> str:
    return " ".join(f"{_prose(random, 14).capitalize()}." for _ in range(4))


_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _signs(random: Random, count: int) -> str:
    return "".join(random.choices(_SIGNS, k=count))


def _headers(media: str, length: int) -> Iterator[tuple[str, str]]:
    yield "Content-Type", media
    yield "Content-Length", str(length)
    yield "Date", "Fri, 20 Nov 2026 09:12:44 GMT"
    yield "Cache-Control", "private, max-age=0, must-revalidate"
    yield "Server", "example/2.1"
    yield "X-Content-Type-Options", "nosniff"


def _made(path: str, media: str, text: str, asked: bytes = b"") -> Interaction:
    body = text.encode()
    heads = [("Accept", "*/*"), ("User-Agent", "client/1.4"), ("Authorization", "Bearer " + _TOKEN)]
    if asked:
        heads.append(("Content-Type", "application/json"))
    return Interaction(
        RecordedRequest("POST" if asked else "GET", _URL + path, tuple(heads), asked),
        RecordedResponse(200, "OK", tuple(_headers(media, len(body))), body),
    )


def _json(path: str, value: Json, *, indent: int | None = None, asked: Json = None) -> Interaction:
    text = json.dumps(value, indent=indent)
    return _made(
        path, "application/json; charset=utf-8", text, json.dumps(asked).encode() if asked else b""
    )
