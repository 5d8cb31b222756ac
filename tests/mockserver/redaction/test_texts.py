"""What a notation names is replaced in its place; the rest of the text stays to the character."""

import gzip
import re
import zlib
from base64 import b64encode, urlsafe_b64encode
from time import process_time

import pytest

from mockserver.model import Json
from mockserver.redaction import Redactor
from mockserver.redaction.match_checks import passes_check
from mockserver.redaction.readers.texts import (
    has_encoded_runs,
    is_word_of_prose,
    redact_broken_json,
    redact_compressed,
    redact_encoded_runs,
    redact_markup,
    redact_percent_words,
)
from mockserver.redaction.value_redactor import ValueRedactor

SHOWN = re.compile(r"redacted-secret-[0-9a-f]{16}")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("- name: DB_PASSWORD\n  value: 'it is 9'\n", "- name: DB_PASSWORD\n  value: '*'\n"),
        ("- value: x9 # y\n  name: DB_PASSWORD\n", "- value: * # y\n  name: DB_PASSWORD\n"),
        ("- name: DB_PASSWORD\n  value: $(REF)\n", "- name: DB_PASSWORD\n  value: $(REF)\n"),
        ('variable "pw" { default = "x-9" }', 'variable "pw" { default = "*" }'),
        (
            "INSERT INTO t (id, `password`, note) VALUES (1, 'a''b', 'x'), (2, NULL, 'y')",
            "INSERT INTO t (id, `password`, note) VALUES (1, '*', 'x'), (2, NULL, 'y')",
        ),
        (
            "BEGIN; INSERT INTO t (password) VALUES ('a1', 'x')",
            "BEGIN; INSERT INTO t (password) VALUES ('a1', 'x')",
        ),
        (
            "BEGIN; INSERT INTO t (password) VALUES ('a1')",
            "BEGIN; INSERT INTO t (password) VALUES ('*')",
        ),
        (
            "INSERT INTO t (password) VALUES ('a', 'b')",
            "INSERT INTO t (password) VALUES ('a', 'b')",
        ),
        ('a:1:{s:8:"password";s:3:"x-9";}', 'a:1:{s:8:"password";s:32:"*";}'),
        ('a:1:{s:4:"kind";s:3:"x-9";}', 'a:1:{s:4:"kind";s:3:"x-9";}'),
        (
            "| user | password |\n|---|---|\n| bob | tulip-9x |\n| a | b | c |\n| c | d |\n",
            "| user | password |\n|---|---|\n| bob | * |\n| a | b | c |\n| c | d |\n",
        ),
        ("password: sunflower # why", "password: * # why"),
        ("password = 'sunflower'", "password = '*'"),
        ("x --password sunflower --force", "x --password * --force"),
        ("x --password sunflower grows", "x --password sunflower grows"),
        ("the password is sunflower, Ann", "the password is *, Ann"),
        ("the password is required, Ann", "the password is required, Ann"),
        ("AuthLDAPBindPassword tulip9x\n", "AuthLDAPBindPassword *\n"),
        ("SSHPASS=tulip9x", "SSHPASS=*"),
        ("userPassword:: dHVsaXA5eA==", "userPassword:: *"),
        ("let t = Token::Ident4x", "let t = Token::Ident4x"),
        (
            "<RootPassword><Value>tulip</Value></RootPassword>",
            "<RootPassword><Value>*</Value></RootPassword>",
        ),
        ("<password><![CDATA[tulip]]></password>", "<password><![CDATA[*]]></password>"),
        ('<string name="api_key">tulip9x</string>', '<string name="api_key">*</string>'),
        ('<string name="api_key">API key</string>', '<string name="api_key">API key</string>'),
        ("kind: Secret\nstringData:\n  a: b#c # d\n", "kind: Secret\nstringData:\n  a: * # d\n"),
        (
            "kind: Secret\nstringData:\n  a: |\n    b c\n",
            "kind: Secret\nstringData:\n  a: |\n    *\n",
        ),
    ],
)
def test_a_value_is_replaced_where_it_stands(redactor: Redactor, text: str, left: str) -> None:
    made = redactor.redact_text(text)
    assert SHOWN.sub("*", made) == left
    assert redactor.redact_text(made) == made


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ([["user", "bob"], ["password", "x"]], [["user", "bob"], ["password", "*"]]),
        ([["user", "password"], ["bob", "x"], [1]], [["user", "password"], ["bob", "*"], [1]]),
        ([["theme", "dark"], ["a", "b"]], [["theme", "dark"], ["a", "b"]]),
        ([["password", "id"], ["x", "7"]], "x"),
        ([["id", "password"], ["7", "x"], ["token", "x"]], "x"),
        ([["password", "token"], ["x", "x"]], "x"),
        ([["password", "x"], ["user", "bob"]], "x"),
        ([["password", "x"], ["X-Api-Client3", "bob"]], "x"),
        ([["password", "name"], ["user", "bob"]], [["password", "*"], ["user", "bob"]]),
        ([["password", "size"], ["m4Tq8Zl2Vx0P", "43"]], [["password", "*"], ["*", "43"]]),
        ({"rawHeaders": ["A", "b", "X-Api-Key", "x"]}, "x"),
        ({"rawHeaders": ["A", "b"], "n: x": "n: 5 N: x"}, {"rawHeaders": ["A", "b"],
                                                           "n: x": "n: 5 N: x"}),
        ({"op": "add", "path": "/a/password", "value": "x"}, "x"),
        ({"op": "add", "path": "/a/name", "value": "y"}, {"op": "add", "path": "/a/name",
                                                          "value": "y"}),
        ({"columns": [{"name": "a"}, {"name": "token"}], "rows": [["b", "x"]]}, "x"),
        ({"query": "m($p: S){login(password: $p, n: $n)}", "variables": {"p": "x", "n": "y"}}, "x"),
        ({"db_password": {"value": "x", "sensitive": True}}, "x"),
        ({"args": ["docker", "login", "-p", "x"]}, "x"),
        ({"args": ["docker", "run", "-p", "8080"]}, {"args": ["docker", "run", "-p", "8080"]}),
        ({"args": ["smbclient", "-U", "bob%x"]}, {"args": ["smbclient", "-U", "bob%*"]}),
        ({"login.password": "Password"}, {"login.password": "Password"}),
        ({"errors": {"password": ["is too short"]}}, {"errors": {"password": ["is too short"]}}),
        ({"id": "https://v.vault.azure.net/secrets/db/1", "value": "x"}, "x"),
        ({"name": "projects/x/secrets/db/versions/1", "payload": {"data": "eA==",
          "dataCrc32c": "7"}}, None),
        ({"data": {"data": {"db": "x", "n": 1}, "metadata": {"version": 1}}}, "x"),
        ({"data": {"name": "y"}, "metadata": {"page": 1}}, {"data": {"name": "y"},
                                                            "metadata": {"page": 1}}),
        ({"macro": "{$PASSWORD}", "value": "x"}, "x"),
        ({"type": "password", "value": "x"}, "x"),
        ({"type": "password", "value": ""}, {"type": "password", "value": ""}),
        ({"secureJsonData": {"a": "x", "b": True}}, "x"),
        ({"secrets": ["a", "b"]}, {"secrets": ["a", "b"]}),
        ({"writeKey": "m4Tq8Zl2Vx0P"}, {"writeKey": "*"}),
        ({"routing_key": "orders.created.v2"}, {"routing_key": "orders.created.v2"}),
        ({"boardingPass": "yes", "pin": False}, {"boardingPass": "yes", "pin": False}),
    ],
)  # fmt: skip
def test_a_value_of_a_shape_is_replaced(redactor: Redactor, value: Json, left: Json) -> None:
    made = redactor.redact_json(value)
    shown = SHOWN.sub("*", repr(made))
    if left is None:
        assert "eA==" not in shown
        assert "'dataCrc32c': '7'" in shown
        return
    if left == "x":
        left = eval(repr(value).replace("'x'", "'*'"))
    assert shown == repr(left)
    assert redactor.redact_json(made) == made


@pytest.mark.parametrize(
    ("word", "told"),
    [("sunflower", True), ("Sunflower!", True), ("incorrect", False), ("encrypted", False),
     ("abc", False), ("PASSWORD", False), ("self.password", False), ("inputField", False)],
)  # fmt: skip
def test_a_word_is_told_or_said_of_passwords(word: str, told: bool) -> None:
    assert is_word_of_prose(word) is told


@pytest.mark.parametrize(
    ("check", "text", "fits"),
    [
        ("basic", "Ym9iOnR1bGlw", True), ("basic", "dHVsaXA=", False), ("basic", "b:b", False),
        ("phrase", "tulip 9 quarry", True), ("phrase", "must have 8 signs", False),
        ("assigned", "getToken9(", True), ("assigned", "getToken(", False),
        ("assigned", "client.getToken(", False), ("assigned", "Digest username=", False),
    ],
)  # fmt: skip
def test_checks_of_notations(check: str, text: str, fits: bool) -> None:
    assert passes_check(check, text) is fits


def _redact(text: str) -> str:
    return text.replace("hunter2", "a longer thing")


SAID = b"it is hunter2 ???>>>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b64encode(SAID).decode(), b64encode(_redact(SAID.decode()).encode()).decode()),
        (
            urlsafe_b64encode(SAID).decode().rstrip("="),
            urlsafe_b64encode(_redact(SAID.decode()).encode()).decode().rstrip("="),
        ),
        (
            b64encode(SAID).decode().rstrip("="),
            b64encode(_redact(SAID.decode()).encode()).decode().rstrip("="),
        ),
        (SAID.hex(), _redact(SAID.decode()).encode().hex()),
        (SAID.hex().upper(), _redact(SAID.decode()).encode().hex().upper()),
        (
            "files/" + SAID.hex() + "/x",
            "files/" + _redact(SAID.decode()).encode().hex() + "/x",
        ),
    ],
    ids=["base64", "url-safe", "unpadded", "hex", "HEX", "segment"],
)
def test_a_run_is_coded_again_as_it_was(text: str, expected: str) -> None:
    assert redact_encoded_runs(f"see {text}!", _redact) == f"see {expected}!"


@pytest.mark.parametrize("window", [zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS])
@pytest.mark.parametrize("level", [1, 6, 9])
def test_what_is_packed_is_opened_and_packed_again(window: int, level: int) -> None:
    coder = zlib.compressobj(level, wbits=window)
    made = redact_compressed(coder.compress(SAID * 9) + coder.flush(), _redact)
    assert made is not None
    assert zlib.decompress(made, window).decode() == _redact((SAID * 9).decode())


@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8bdamaged", gzip.compress(b"plain", mtime=0), b"\xff\xfe", b"a\x00b", b"plain"],
)
def test_what_holds_nothing_stays(content: bytes) -> None:
    assert redact_compressed(content, _redact) is None


@pytest.mark.parametrize("text", ["a/b/c", "aGVsbG8gd29ybGQ=", "abcdefghijklm", "-_-_-_+/+/+/"])
def test_runs_of_nothing_stay(text: str) -> None:
    assert redact_encoded_runs(text, _redact) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q=say%20hunter2&x", "q=say%20a%20longer%20thing&x"),
        ("100%", "100%"),
        ("%FF%FEhunter2", "%FF%FEhunter2"),
        ("a%20b", "a%20b"),
    ],
)
def test_percent_coded_words_are_coded_again(text: str, expected: str) -> None:
    assert redact_percent_words(text, _redact) == expected


def test_whether_anything_may_be_opened_is_cheap_to_say() -> None:
    assert has_encoded_runs("abcdefghijklmnop")
    assert has_encoded_runs("a%20b")
    assert not has_encoded_runs("just words")


@pytest.mark.parametrize(
    "text",
    ['{"password": "hunter2", "n": [', '{"password": "hunter2', 'x "client_secret" : "hunter2"',
     'log {\\"password\\": \\"hunter2\\"} end', '{"password":"hun\\u0074er2"'],
)  # fmt: skip
def test_pairs_are_redacted_by_their_names(values: ValueRedactor, text: str) -> None:
    made = redact_broken_json(values, text)
    assert "hunter2" not in made
    assert "hun\\u0074er2" not in made
    assert redact_broken_json(values, made) == made


def test_elements_are_redacted_by_their_names(values: ValueRedactor) -> None:
    made = redact_markup(values, '<a><ns:Password k="v">hunter2</ns:Password><b>kept</b></a>')
    assert "hunter2" not in made
    assert "<b>kept</b>" in made


@pytest.mark.parametrize("text", ['{"name": "kept"', '"a": "\\q"'])
def test_other_pairs_stay(values: ValueRedactor, text: str) -> None:
    assert redact_broken_json(values, text) == text


def test_a_long_word_is_gone_through_once(values: ValueRedactor) -> None:
    def cpu_seconds(text: str) -> float:
        began = process_time()
        assert redact_markup(values, text) == text
        return process_time() - began

    words = cpu_seconds("&" + "{ok:1},xx " * 30_000)
    assert cpu_seconds("&" + "{ok:1},xxx" * 30_000) < 50 * words + 0.5
