"""A live API full of planted secrets, and a client that sends it more; both are invented."""

import base64
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

import httpx
from typing_extensions import override


def _jwt(name: str, **claims: str) -> str:
    parts = ({"alg": "RS256", "typ": "JWT", "kid": "k1"}, {"iat": 1700000000, **claims})
    coded = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts
    ]
    return ".".join([*coded, base64.urlsafe_b64encode(name.encode() * 6).rstrip(b"=").decode()])


CUSTOMER = "C04xk9q2z"
SECRETS: dict[str, str] = {
    # in URLs
    "query_api_key": "AIza" + "SyD3kq9Xw7VbZt2LmR8nPcYh5GfJ1sUo4E6",
    "query_access_token": "ya29." + "a0AfB_byQuerySideR7x2Kq9LmN4pZ8vT",
    "path_email": "dana.whitlock@quillbrook.io",
    "path_customer": CUSTOMER,
    "query_page_token": "CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA1ZWQ",
    "signed_url_signature": "7f3a9c1e5b8d2046a1c3e5f7098b6d4c2a1f3e5d7c9b0a86",
    "query_code": "4/0AeaYSHBq7VtKx93LmPzR2wNcJfHd",
    # in headers
    "bearer": "ya29." + "c0ASRK0GbHeaderSideM3v8Xq5Wz7Tn1Jp",
    "basic_password": "tr0mbone-Quarry-81",
    "x_api_key": "qb_live_9f8e7d6c5b4a39281706",
    "goog_api_key": "AIza" + "SyA9mW4tKx2QvLp7Zr3NcBh8Yj5Fg1Ds6Ue",
    "cookie_sid": "s3ss10n-Kx9vQm2LtZ7wRp4N",
    "cookie_csrf": "csrf-h7Jq2Xw9Vb4Tn6Mz",
    "auth_token_header": "tok_5kQz8WvX2mRn7LpT4yBc",
    "security_token": "IQoJb3JpZ2luX2VjEDkaCXVzLWVhc3QtMSJHMEUC",
    "csrf_header": "xcsrf-8Rt3Vk6Lq1Zw9Pn",
    "forwarded_for": "81.23.117.44",
    "set_cookie_session": "sc-Zq8Wn3Xv6Lk1Rt5Mb",
    "set_cookie_refresh": "scr-Tp4Jm9Qx2Vw7Zk",
    "location_token": "loc-Yb6Rn1Kv8Xq3Wt5",
    "link_page_token": "EhQKDExpbmtQYWdlVG9rZW4QmZkX",
    # in forms
    "client_secret": "GOCSPX-" + "w7Rk2Vn9Xq4Lm8Tz1PbJc6Yh3Fd",
    "form_password": "plover#Lattice9",
    "form_refresh_token": "1//" + "0gFormRefreshK3x9Vq7Lm2Zt8Rn5Wp",
    "assertion_email": "svc-export@quill-prod-4471.iam.gserviceaccount.com",
    # in JSON
    "email": "marcus.oyelaran@quillbrook.io",
    "full_name": "Marcus Oyelaran",
    "recovery_email": "oyelaran.m@fernhollow.net",
    "phone": "+1 415-867-3902",
    "street": "1847 Larkmoor Crescent",
    "ipv4": "93.184.77.19",
    "ipv6": "2a02:c7f:8e31:4d00:91aa:3c5e:7f02:b6d8",
    "mac": "3c:5a:b4:7e:91:d2",
    "serial": "5CD9417QXR",
    "device_id": "d7a1c5f2-48be-4c3a-9e60-2b81f7d3a94c",
    "profile_id": "109384756102938475610",
    "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
    "card": "4539578763621486",
    "iban": "DE44500105175407324931",
    "private_key": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7q9VkX3Zt",
    "json_password": "Wisteria!Dock42",
    "oauth_access": "ya29." + "JsonAnswerA7k2Xv9Qm4Lz8Rt1Wn6Pb",
    "oauth_refresh": "1//" + "0hJsonRefreshB8m3Yw0Rn5Mz9Su2Xp",
    "id_token_email": "priya.raghunathan@quillbrook.io",
    "id_token_sub": "116483920571648392057",
    "nested_email": "ines.calderon@quillbrook.io",
    "nested_secret": "nst-Lw5Xq8Vn2Rk7Tz3M",
    "next_page_token": "CjQKLmFub3RoZXItcGFnZS10b2tlbi1mb3ItdGVzdA",
    "key_email": "tomasz.wilk@quillbrook.io",
    "github": "ghp_" + "R7x2Kq9LmN4pZ8vTc1Wb6Yj3Hf5Gd0Sa2Ue",
    "slack": "xoxb-" + "718293645102-847362910475-Kq9LmN4pZ8vTc1Wb6Yj3Hf5G",
    "aws_id": "AKIA" + "QX7WV3LK9RTZ2MNB",
    "aws_secret": "vK8x2Qm7Lz4Rt9Wn1Pb6Yc3Jf5Hd0Gs8Ua2Ei7To",
    "stripe": "sk_live_" + "51H8xKqLmN4pZ8vTc1Wb6Yj3H",
    "dsn_password": "gannet-Thrush-77",
    # coded and packed
    "gzip_email": "leonie.hartmann@quillbrook.io",
    "gzip_token": "ya29." + "GzipSideX4n8Vq2Lm7Zr1Kt9Wp5Yb",
    "base64_email": "kofi.mensah@quillbrook.io",
    "base64_password": "Pomelo^Harbor3",
    "multipart_password": "Sextant-Olive-58",
    "multipart_email": "yuki.tanabe@quillbrook.io",
    "multipart_key": "AIza" + "SyM5pL8tRx1QvWk7Zn4HcDb9Yj2Fg6Es3Ua",
    # in streams, errors and text
    "sse_email": "noor.elamrani@quillbrook.io",
    "sse_token": "ya29." + "StreamSideP6w3Xz9Kq1Vm8Ln4Rt7Yb",
    "ndjson_email": "aleks.dvorak@quillbrook.io",
    "error_token": "ya29." + "ErrorSideT2b7Nq5Xw9Lk3Vm8Zr1Pj",
    "error_email": "gwen.ashdown@quillbrook.io",
    "text_password": "heron=Basalt=64",
    "text_bearer": "ya29." + "TextLogV8k1Zm6Qx3Wn9Lr4Tb7Pc",
}
S = SECRETS
"""What is planted, by where it is."""

_ID_TOKEN = _jwt("idsig", email=S["id_token_email"], sub=S["id_token_sub"])
_ASSERTION = _jwt("assertsig", iss=S["assertion_email"])


@dataclass
class Reply:
    """What the API answers."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    chunks: tuple[bytes, ...] = ()


def _json(value: Any, *headers: tuple[str, str], status: int = 200) -> Reply:
    body = json.dumps(value, indent=2).encode() + b"\n"
    return Reply(body, status, (("Content-Type", "application/json"), *headers))


def _user(_: "Handler") -> Reply:
    return _json({
        "kind": "directory#user", "primaryEmail": S["email"], "fullName": S["full_name"],
        "recoveryEmail": S["recovery_email"], "phones": [{"value": S["phone"], "type": "work"}],
        "addresses": [{"streetAddress": S["street"], "locality": "Springfield"}],
        "lastLoginIp": S["ipv4"], "ipv6Address": S["ipv6"], "customerId": CUSTOMER,
        "suspended": False, "loginCount": 4217,
    })  # fmt: skip


def _device(_: "Handler") -> Reply:
    return _json({
        "deviceId": S["device_id"], "serialNumber": S["serial"], "macAddress": S["mac"],
        "profileId": S["profile_id"], "sha256": S["sha256"], "osVersion": "15.2", "ports": [443],
    })  # fmt: skip


def _billing(_: "Handler") -> Reply:
    return _json({"cardNumber": S["card"], "iban": S["iban"], "amount": 1250, "currency": "EUR"})


def _keys(_: "Handler") -> Reply:
    pem = f"-----BEGIN PRIVATE KEY-----\n{S['private_key']}\n-----END PRIVATE KEY-----\n"
    return _json({
        "private_key": pem, "password": S["json_password"], "github": S["github"],
        "notes": f"slack {S['slack']} stripe {S['stripe']}",
        "aws": {"accessKeyId": S["aws_id"], "secretAccessKey": S["aws_secret"]},
        "dsn": f"postgresql://reporting:{S['dsn_password']}@db.quillbrook.io:5432/reports",
    })  # fmt: skip


def _token(_: "Handler") -> Reply:
    return _json({
        "access_token": S["oauth_access"], "refresh_token": S["oauth_refresh"],
        "id_token": _ID_TOKEN, "expires_in": 3599, "token_type": "Bearer",
    })  # fmt: skip


def _page(handler: "Handler") -> Reply:
    if "pageToken" in handler.path:
        return _json({"items": [{"id": 3}]})
    link = f'<{handler.origin}/v1/items?pageToken={S["link_page_token"]}>; rel="next"'
    return _json(
        {
            "items": [{"id": 1}, {"id": 2}],
            "nextPageToken": S["next_page_token"],
            "selfLink": f"{handler.origin}/v1/items",
            "nextLink": f"{handler.origin}/v1/items?pageToken={S['next_page_token']}",
        },
        ("Link", link),
    )


def _nested(_: "Handler") -> Reply:
    payload = json.dumps({"who": S["nested_email"], "secret": S["nested_secret"]})
    return _json({"payload": payload, "byUser": {S["key_email"]: {"role": "OWNER"}}})


def _gzip(_: "Handler") -> Reply:
    body = json.dumps({"email": S["gzip_email"], "access_token": S["gzip_token"], "n": 1}).encode()
    headers = (("Content-Type", "application/json"), ("Content-Encoding", "gzip"))
    return Reply(gzip.compress(body, 6, mtime=0), headers=headers)


def _base64(_: "Handler") -> Reply:
    inner = json.dumps({"email": S["base64_email"], "password": S["base64_password"]})
    return _json({"data": base64.b64encode(inner.encode()).decode(), "encoding": "base64"})


def _cookies(_: "Handler") -> Reply:
    return _json(
        {"ok": True},
        ("Set-Cookie", f"session={S['set_cookie_session']}; Path=/; HttpOnly"),
        ("Set-Cookie", f"refresh={S['set_cookie_refresh']}; Path=/; Max-Age=3600"),
    )


def _redirect(handler: "Handler") -> Reply:
    target = f"{handler.origin}/v1/landing?access_token={S['location_token']}"
    return Reply(b"", 302, (("Location", target), ("Content-Type", "text/plain")))


def _error(_: "Handler") -> Reply:
    text = f"Invalid token {S['error_token']} for {S['error_email']}"
    return _json({"error": {"code": 401, "message": text}}, status=401)


def _log(_: "Handler") -> Reply:
    lines = f"login password={S['text_password']}\nAuthorization: Bearer {S['text_bearer']}\nok\n"
    return Reply(lines.encode(), headers=(("Content-Type", "text/plain"),))


def _events(_: "Handler") -> Reply:
    text = "".join(
        f"id: {number}\ndata: {json.dumps(data)}\n\n"
        for number, data in enumerate(
            [{"delta": "hello"}, {"email": S["sse_email"]}, {"access_token": S["sse_token"]}, {}]
        )
    ).encode()
    cut = text.index(S["sse_email"].encode()) + 6
    later = text.index(S["sse_token"].encode()) + 11
    chunks = (text[:cut], text[cut:later], text[later:])
    return Reply(headers=(("Content-Type", "text/event-stream"),), chunks=chunks)


def _lines(_: "Handler") -> Reply:
    lines = [json.dumps({"n": 1}), json.dumps({"email": S["ndjson_email"]}), json.dumps({"n": 3})]
    return Reply(
        headers=(("Content-Type", "application/x-ndjson"),),
        chunks=tuple(line.encode() + b"\n" for line in lines),
    )


RECEIPT = "Zk3Vx9Qm7Lw2Rt8Np5Yb1Hd6"
"""What looks like a secret, and may be an id."""


def _receipt(_: "Handler") -> Reply:
    return _json({"receipt": RECEIPT})


def _echo_count(_: "Handler") -> Reply:
    return _json({"stored": True})


REPLIES: dict[str, Callable[["Handler"], Reply]] = {
    "user": _user, "device": _device, "billing": _billing, "keys": _keys, "token": _token,
    "items": _page, "nested": _nested, "gzip": _gzip, "base64": _base64, "cookies": _cookies,
    "redirect": _redirect, "error": _error, "log": _log, "events": _events, "lines": _lines,
    "receipt": _receipt,
}  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """Answers by the last segment of the path; whatever else is stored."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    origin: ClassVar[str] = ""
    asked: ClassVar[list[str]] = []

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self.rfile.read(length)
        name = urlsplit(self.path).path.rpartition("/")[2]
        self.asked.append(f"{self.command} {self.path}")
        reply = REPLIES.get(name, _echo_count)(self)
        self.send_response(reply.status)
        for header in reply.headers:
            self.send_header(*header)
        if reply.chunks:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for chunk in reply.chunks:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                self.wfile.flush()
                sleep(0.03)
            self.wfile.write(b"0\r\n\r\n")
            return
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  (the base class's names)

    @override
    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Canary:
    """The API, on a port of its own."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Handler.origin = self.url
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> "Canary":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


Step = Callable[[httpx.Client], httpx.Response]
BEARER = {"Authorization": f"Bearer {S['bearer']}"}


def _multipart(client: httpx.Client) -> httpx.Response:
    return client.post(
        "/v1/uploads",
        data={"password": S["multipart_password"]},
        files={
            "file": (
                "people.csv",
                f"mail,key\n{S['multipart_email']},{S['multipart_key']}\n".encode(),
                "text/csv",
            )
        },
        headers=BEARER,
    )


def _form(client: httpx.Client) -> httpx.Response:
    return client.post(
        "/oauth2/token",
        data={
            "grant_type": "refresh_token", "client_secret": S["client_secret"],
            "password": S["form_password"], "refresh_token": S["form_refresh_token"],
            "assertion": _ASSERTION, "code": S["query_code"],
        },
    )  # fmt: skip


STEPS: dict[str, Step] = {
    "key": lambda c: c.get(f"/v1/user?key={S['query_api_key']}", headers=BEARER),
    "path": lambda c: c.get(
        f"/v1/customers/{CUSTOMER}/users/{quote(S['path_email'])}/user", headers=BEARER
    ),
    "device": lambda c: c.get(f"/v1/device?access_token={S['query_access_token']}"),
    "billing": lambda c: c.get("/v1/billing", headers={"X-Api-Key": S["x_api_key"]}),
    "keys": lambda c: c.get("/v1/keys", headers={"X-Goog-Api-Key": S["goog_api_key"]}),
    "token": _form,
    "page": lambda c: c.get("/v1/items", headers={"X-Auth-Token": S["auth_token_header"]}),
    "next_page": lambda c: c.get(f"/v1/items?pageToken={S['next_page_token']}"),
    "other_page": lambda c: c.get(f"/v1/items?pageToken={S['query_page_token']}&size=2"),
    "nested": lambda c: c.get("/v1/nested", headers={"X-CSRF-Token": S["csrf_header"]}),
    "gzip": lambda c: c.get("/v1/gzip", headers={"X-Forwarded-For": S["forwarded_for"]}),
    "base64": lambda c: c.get("/v1/base64", headers={"X-Amz-Security-Token": S["security_token"]}),
    "cookies": lambda c: c.get(
        "/v1/cookies", headers={"Cookie": f"SID={S['cookie_sid']}; csrf={S['cookie_csrf']}"}
    ),
    "redirect": lambda c: c.get("/v1/redirect", auth=("reporting", S["basic_password"])),
    "error": lambda c: c.get("/v1/error", headers=BEARER),
    "log": lambda c: c.get(f"/v1/log?X-Goog-Signature={S['signed_url_signature']}"),
    "events": lambda c: c.get("/v1/events", headers=BEARER),
    "lines": lambda c: c.get("/v1/lines"),
    "upload": _multipart,
    "write": lambda c: c.post(
        "/v1/notes", json={"to": S["email"], "text": "see you", "password": S["json_password"]}
    ),
}
"""What the client asks, in order; each goes to a resource of its own, but for pages."""


@dataclass
class Got:
    """What a client got."""

    status: int
    headers: list[tuple[str, str]]
    raw: bytes
    body: bytes
    pieces: int


def converse(url: str, names: "list[str] | None" = None, **options: Any) -> dict[str, Got]:
    """Ask everything, or the named steps in their order."""
    got = {}
    with httpx.Client(base_url=url, trust_env=False, **options) as client:
        for name in names or list(STEPS):
            client.cookies.clear()
            got[name] = _got(STEPS[name](client))
    return got


def _got(response: httpx.Response) -> Got:
    headers = [(name.lower(), value) for name, value in response.headers.multi_items()]
    return Got(response.status_code, headers, response.content, response.content, 1)


def forms(value: str) -> Iterator[bytes]:
    """A secret as it may be written down."""
    raw = value.encode()
    yield raw
    yield quote(value, safe="").encode()
    yield json.dumps(value)[1:-1].encode()
    yield raw.hex().encode()
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw)
        inner = coded[4 if shift else 0 : len(coded) // 4 * 4 - 4]
        if len(inner) > 7:
            yield inner
            yield inner.translate(bytes.maketrans(b"+/", b"-_"))
