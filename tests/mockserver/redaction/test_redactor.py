"""The one function on the road to disk: laws over near-secrets, joins, lengths."""

import gzip
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from urllib.parse import quote, unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.apis import APIS
from mockserver.model import Chunk, Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import Redactor, RuleSet

RULES = RuleSet.default().with_rules_before(rule for api in APIS for rule in api.redaction())
JSON = (("Content-Type", "application/json"),)


def _hex(length: int) -> st.SearchStrategy[str]:
    return st.text("0123456789abcdef", min_size=length, max_size=length)


def _letters(least: int, most: int) -> st.SearchStrategy[str]:
    return st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=least, max_size=most)


SECRETS = st.one_of(
    st.builds("{}.{}@{}.io".format, _letters(4, 8), _letters(2, 5), _letters(3, 9)),
    st.builds("10.{}.{}.{}".format, *[st.integers(0, 255)] * 3),
    st.builds("AIza{}".format, _letters(35, 35)),
    st.builds("ya29.{}".format, _letters(12, 40)),
    st.builds("ghp_{}".format, _letters(36, 36)),
    st.builds("C0{}{}".format, st.sampled_from("1234"), _letters(6, 6)),
    st.builds("03ph8{}".format, _letters(10, 10)),
    st.builds("10{}".format, st.text("0123456789", min_size=19, max_size=19)),
    st.builds("1{}-{}-4aaa-9bbb-{}".format, _hex(7), _hex(4), _hex(12)),
    st.builds("+49 170 {}".format, st.integers(1000000, 9999999)),
)
BY_FIELD = st.tuples(
    st.sampled_from(["password", "deviceId", "serialNumber", "sessionId", "nextPageToken", "hd"]),
    st.builds("{}7-{}".format, _letters(3, 9), _letters(3, 9)),
)

FORMS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "in a text": lambda secret: f"seen {secret}, then",
    "percent": lambda secret: quote(secret, safe=""),
    "base64": lambda secret: b64encode(f"at {secret} or so".encode()).decode(),
    "twice base64": lambda secret: b64encode(b64encode(f"a {secret}".encode())).decode(),
    "hex": lambda secret: f"it is {secret}".encode().hex(),
    "gzip": lambda secret: b64encode(gzip.compress(f"a {secret} b".encode())).decode(),
    "nested": lambda secret: json.dumps({"x": json.dumps([secret])}),
    "url": lambda secret: f"https://h.example.com/a/{quote(secret)}?q={quote(secret)}#f",
}
FORM = st.sampled_from(list(FORMS))


def _readings(text: str, depth: int = 0) -> Iterator[str]:
    yield text
    if depth > 3:
        return
    if "%" in text:
        yield from _readings(unquote(text), depth + 1)
    for run in re.findall(r"[A-Za-z0-9+/_-]{8,}={0,2}", text):
        for content in _decoded(run):
            yield from _readings(content, depth + 1)


def _decoded(run: str) -> Iterator[str]:
    for decode in (bytes.fromhex, lambda text: b64decode(text + "=" * (-len(text) % 4))):
        try:
            content = decode(run)
            yield (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
        except (ValueError, OSError, EOFError):
            continue


def _everything(interaction: Interaction) -> str:
    request, response = interaction.request, interaction.response
    headers = [f"{name}: {value}" for name, value in (*request.headers, *response.headers)]
    return "\n".join([request.url, *headers, request.body.decode(), response.body.decode()])


def _interaction(text: str, field: str, value: str) -> Interaction:
    body = json.dumps({"note": text, text: 1, field: value, "more": f"again {value}."}).encode()
    request = RecordedRequest(
        "POST", f"https://api.example.com/v1/{quote(text, safe='')}?a={quote(text, safe='')}",
        (*JSON, ("X-Said", quote(text)), ("Content-Length", str(len(body)))), body,
    )  # fmt: skip
    return Interaction(request, RecordedResponse(200, "OK", JSON, body))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(secret=SECRETS, form=FORM, named=BY_FIELD)
def test_nothing_leaks_and_twice_is_once(secret: str, form: str, named: tuple[str, str]) -> None:
    """CEP-65."""
    redactor = Redactor(RULES, b"k")
    made = redactor.redact_interaction(_interaction(FORMS[form](secret), *named))
    read = "\n".join(_readings(_everything(made)))
    assert secret not in read
    assert named[0] == "hd" or named[1] not in read
    assert redactor.redact_interaction(made) == made
    assert Redactor(RULES, b"k").redact_interaction(made) == made


@settings(max_examples=40, deadline=None)
@given(SECRETS)
def test_equal_secrets_stay_equal_wherever_they_are(secret: str) -> None:
    redactor, other = Redactor(RULES, b"k"), Redactor(RULES, b"k")
    alone = redactor.redact_text(secret)
    assert other.redact_json({"note": f"<{secret}>", secret: 1}) == {"note": f"<{alone}>", alone: 1}
    assert unquote(other.redact_target(f"/x?q={quote(secret, safe='')}")) == f"/x?q={alone}"
    assert Redactor(RULES, b"other key").redact_text(secret) != alone


def test_a_live_request_is_redacted_as_the_recorded_one() -> None:
    request = _interaction("ada@corp.io C03xq7b2k", "password", "hunter2x").request
    recorded = Redactor(RULES, b"k").redact_request(request)
    live = Redactor(RULES, b"k")
    assert live.redact_request(request) == recorded
    assert live.redact_request(recorded) == recorded


def test_what_a_field_told_is_found_in_free_text_and_in_the_request(redactor: Redactor) -> None:
    made = redactor.redact_interaction(
        Interaction(
            RecordedRequest("GET", "https://h.io/v1/things/dev-77x", ()),
            RecordedResponse(200, "", JSON, b'{"deviceId": "dev-77x", "t": "dev-77x is old"}'),
        )
    )
    assert "dev-77x" not in _everything(made)


def test_what_the_request_told_is_found_in_the_response(redactor: Redactor) -> None:
    made = redactor.redact_interaction(
        Interaction(
            RecordedRequest("POST", "https://h.io/x", JSON, b'{"password": "hunter2x"}'),
            RecordedResponse(200, "", JSON, b'{"echo": "you said hunter2x"}'),
        )
    )
    assert "hunter2x" not in _everything(made)
    assert {secret.value for secret in redactor.seen.secrets()} == {"hunter2x"}


def test_lengths_are_right(redactor: Redactor) -> None:
    body = b'{"password": "hunter2x"}'
    headers = (*JSON, ("Content-Length", str(len(body))))
    request = redactor.redact_request(RecordedRequest("POST", "https://h.io/x", headers, body))
    assert request.headers[1] == ("Content-Length", str(len(request.body)))


def test_a_length_that_was_a_lie_stays_one_by_as_much(redactor: Redactor) -> None:
    body = b'{"password": "hunter2x"'
    response = RecordedResponse(
        200, "", (*JSON, ("Content-Length", "100")), body, ended="short", chunks=(Chunk(0, 23),)
    )
    made = redactor.redact_response(response)
    assert made.headers[1] == ("Content-Length", str(100 + len(made.body) - len(body)))
    assert made.chunks == (Chunk(0, len(made.body)),)


def test_bodies_that_hold_nothing_are_the_same_to_the_byte(redactor: Redactor) -> None:
    body = b'{ "a" : [1.0, 2e3], "b":"\\u00e9" }\n'
    response = RecordedResponse(200, "", JSON, body, chunks=(Chunk(0, 5), Chunk(1, len(body) - 5)))
    assert redactor.redact_response(response) == response


@pytest.mark.parametrize(
    ("params", "gone"),
    [({"key": "abcd1234", "userKey": "ada@corp.io"}, "abcd1234"),
     ({"password": ["hunter2x"]}, "hunter2x"), ({"body": {"token": "t-1234"}}, "t-1234")],
)  # fmt: skip
def test_parameters(redactor: Redactor, params: dict[str, object], gone: str) -> None:
    made = redactor.redact_params(params)
    assert gone not in str(made)
    assert list(made) == list(params)
    assert redactor.redact_params({"maxResults": 10, "all": True}) == {
        "maxResults": 10,
        "all": True,
    }


def test_a_value_that_json_cannot_write_is_redacted_as_well(redactor: Redactor) -> None:
    assert redactor.redact_json({"n": 2**80, "t": "ada@corp.io"}) != {
        "n": 2**80,
        "t": "ada@corp.io",
    }


def test_the_key_is_told_by_its_id_alone(redactor: Redactor) -> None:
    assert re.fullmatch(r"[0-9a-f]{8}", redactor.key_id)
    assert redactor.key_id != Redactor(RULES, b"other").key_id
