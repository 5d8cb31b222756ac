"""What a notation names is replaced in its place; the rest of the text stays to the character."""

import re

import pytest

from mockserver.model import Json
from mockserver.redaction import Redactor
from mockserver.redaction.match_checks import passes_check
from mockserver.redaction.readers.texts import is_word_of_prose

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
