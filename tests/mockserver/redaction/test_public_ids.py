"""The table of public ids on both sides: real kinds of ids, and secrets of the same looks."""

import base64
import random
import string
import struct

import pytest

from mockserver.redaction import RuleSet, find_leaks
from mockserver.redaction.public_ids import PUBLIC_IDS, shape_of_id
from mockserver.redaction.unknown_secrets import find_random_texts

DICE = random.Random(20260302)
B62 = string.ascii_letters + string.digits
B64URL = B62 + "-_"
B36 = string.ascii_lowercase + string.digits


def made(signs: str, size: int) -> str:
    return "".join(DICE.choice(signs) for _ in range(size))


def base64_of(size: int) -> str:
    return base64.b64encode(DICE.randbytes(size)).decode()


JPEG = bytes.fromhex("ffd8ffe0")
B58 = B62.translate({ord(sign): None for sign in "0OIl"})
FLOATS = base64.b64encode(struct.pack("<1536f", *(DICE.gauss(0, 1) for _ in range(1536)))).decode()
BOUNDARY = made(B36, 32)
HARMLESS = {
    "chat completion": f'{{"id": "chatcmpl-{made(B62, 29)}"}}',
    "response": f'{{"id": "resp_{made("0123456789abcdef", 48)}", "item": "msg_{made(B62, 48)}"}}',
    "message": f'{{"id": "msg_01{made(B62, 22)}", "tool": "toolu_01{made(B62, 22)}"}}',
    "batch": f'{{"id": "batch_{made(B62, 24)}", "file": "file-{made(B62, 24)}"}}',
    "payment": f'{{"id": "pi_3{made(B62, 23)}", "charge": "ch_3{made(B62, 23)}"}}',
    "spreadsheet": f'{{"spreadsheetId": "1{made(B64URL, 43)}"}}',
    "spreadsheet in a path": f"https://docs.google.com/spreadsheets/d/1{made(B64URL, 43)}/edit",
    "file in a path": f"/drive/v3/files/1{made(B64URL, 32)}?alt=media",
    "video": f'{{"videoId": "{made(B64URL, 11)}", "channelId": "UC{made(B64URL, 22)}"}}',
    "playlist": f"https://www.youtube.com/playlist?list=PL{made(B64URL, 32)}",
    "npm integrity": f'{{"integrity": "sha512-{base64_of(64)}"}}',
    "subresource integrity": f'<script integrity="sha384-{base64_of(48)}" src="/a.js">',
    "module checksum": f"golang.org/x/net v0.30.0 h1:{base64_of(32)}",
    "digest header": f"Digest: sha-256={base64_of(32)}",
    "content-md5": f"Content-MD5: {base64_of(16)}",
    "goog hash": f"x-goog-hash: crc32c=AAAAAA==,md5={base64_of(16)}",
    "etag": f'ETag: "{made(B64URL, 27)}/{made(B64URL, 27)}"',
    "etag in json": f'{{"etag": "\\"{made(B64URL, 57)}\\""}}',
    "request id": f"x-amz-id-2: {base64_of(57)}",
    "upload id": f"x-guploader-uploadid: {made(B64URL, 92)}",
    "cloudfront id": f"x-amz-cf-id: {made(B64URL, 54)}==",
    "report-to": '{"endpoints":[{"url":"https://a.nel.cloudflare.com/report/v4?s=' + made(B62, 120),
    "csp nonce": f"Content-Security-Policy: script-src 'nonce-{base64_of(16)}'",
    "picture": base64.b64encode(b"\x89PNG\r\n\x1a\n" + DICE.randbytes(150)).decode(),
    "jpeg": f'{{"data": "{base64.b64encode(JPEG + DICE.randbytes(99)).decode()}"}}',
    "large picture": f'{{"data": "{base64_of(9000)}"}}',
    "data url": f'<img src="data:image/webp;base64,{base64_of(120)}">',
    "embedding of floats": str([DICE.gauss(0, 1) for _ in range(768)]),
    "embedding in base64": f'{{"embedding": "{FLOATS}"}}',
    "short embedding": f'{{"embedding": "{base64_of(96)}"}}',
    "boundary": f"type: multipart/mixed; boundary={BOUNDARY}\n\n--{BOUNDARY}\n--{BOUNDARY}--",
    "webkit boundary": f"------WebKitFormBoundary{made(B62, 16)}\r\n",
    "prose": "This API accepts Basic authentication, Bearer authentication and token exchange.",
    "public key": f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{made(B62, 43)} build@ci",
    "jwk": f'{{"kty": "RSA", "kid": "{made(B36, 40)}", "n": "{made(B64URL, 342)}", "e": "AQAB"}}',
    "ulid": f'{{"id": "01JB{made("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 22)}"}}',
    "cuid": f'{{"id": "c{made(B36, 24)}"}}',
    "content address": f"ipfs://Qm{made(B58, 44)}",
    "did": f"did:plc:{made('abcdefghijklmnopqrstuvwxyz234567', 24)}",
    "graph node": f'{{"node_id": "PR_kwDOA{made(B62, 11)}"}}',
    "model": "us.anthropic.claude-3-5-sonnet-20241022-v2:0 gemini-2.0-flash-thinking-exp-01-21",
    "image": "gcr.io/cloud-builders/docker:v20240515-7f8d9e0a1b",
    "pod": "checkout-service-deployment-7d9f8b6c5d-x2k9p",
    "trace": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "thought": f'{{"thoughtSignature": "{base64_of(200)}"}}',
    "words": "OrganizationalUnitsListResponseV1Beta2 FIELD_BEHAVIOR_UNSPECIFIED_20240515",
}
RULES = RuleSet.default()


@pytest.mark.parametrize("name", HARMLESS, ids=str)
def test_ordinary_traffic_is_no_finding(name: str) -> None:
    assert [
        leak for leak in find_leaks(HARMLESS[name].encode(), rules=RULES) if leak.kind == "random"
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        f'{{"note": "{made(B64URL, 44)}"}}',
        f'{{"value": "1{made(B62, 43)}"}}',
        f'{{"id": "{made(B62, 40)}"}}',
        f"the code of the vault is {made(B62, 32)}",
        f"/v1/things/{made(B62, 30)}/parts",
        f'{{"data": "pi_3{made(B62, 23)}_secret_{made(B62, 25)}"}}',
        f'{{"blob": "{base64_of(48)}"}}',
    ],
)
def test_what_looks_alike_elsewhere_is_a_finding(text: str) -> None:
    assert [leak for leak in find_leaks(text.encode(), rules=RULES) if leak.kind == "random"]


@pytest.mark.parametrize(
    ("signs", "size", "least"),
    [(B62, 24, 0.98), (B62, 32, 0.99), (B62, 48, 0.999), (B36, 24, 0.98), (B36, 40, 0.995),
     (string.ascii_uppercase + "234567", 32, 0.98), (B64URL, 43, 0.98)],
)  # fmt: skip
def test_nearly_every_random_text_is_found(signs: str, size: int, least: float) -> None:
    """The other side of the bound: with changes of class alone one in five was missed."""
    dice = random.Random(7)
    texts = ["".join(dice.choice(signs) for _ in range(size)).encode() for _ in range(2000)]
    assert sum(bool(list(find_random_texts(text))) for text in texts) / len(texts) >= least


def test_no_name_of_an_api_is_random() -> None:
    names = [
        f"{verb}{adjective}{noun}{version}"
        for verb in ("List", "BatchGet", "create", "get_iam_")
        for adjective in (
            "Organizational",
            "ServiceAttachment",
            "Vpn",
            "chromeos_",
            "KMS",
            "maxQps",
        )
        for noun in ("UnitsResponse", "PolicySchemas", "DownloadUrlBandwidthGbps", "Floodlight")
        for version in ("", "V1Beta2", "_2024", "Sha256")
    ]
    assert [name for name in names if list(find_random_texts(name.encode()))] == []


def test_every_shape_of_the_table_can_be_read_and_is_named() -> None:
    import re2

    for each in PUBLIC_IDS:
        assert each.name
        assert re2.compile(each.shape).search("") is None or not re2.compile(each.shape).fullmatch(
            ""
        )


@pytest.mark.parametrize("text", ["chatcmpl-9Xk2mQ7Lw4Rt8Np5", made(B64URL, 44), made(B36, 32)])
def test_a_shape_holds_for_its_text_and_tells_nothing_of_it(text: str) -> None:
    import re2

    shape = shape_of_id(text)
    assert re2.fullmatch(shape, text)
    assert text[10:] not in shape
