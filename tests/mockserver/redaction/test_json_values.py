"""JSON texts keep every sign that is no secret."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from mockserver.model import Json, JsonObject
from mockserver.redaction import Redactor, RuleSet, value_redactor
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.readers import json_values
from mockserver.redaction.readers.json_values import (
    JsonWalk,
    ObjectShape,
    parse_json,
    redact_json_text,
)
from mockserver.redaction.value_redactor import ValueRedactor


def _shout(value: Json) -> Json:
    if isinstance(value, dict):
        return {_shout(key): _shout(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shout(item) for item in value]
    return "LOUD" if value == "quiet" else value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a":"quiet","n":1}', b'{"a":"LOUD","n":1}'),
        (b'{"a": "quiet", "n": 1.0}', b'{"a": "LOUD", "n": 1.0}'),
        (b'{\n  "a": "quiet"\n}\n', b'{\n  "a": "LOUD"\n}\n'),
        (b'{\n    "a":  "quiet" , "e": 1e5}', b'{\n    "a":  "LOUD" , "e": 1e5}'),
        (b'{"b":"\\u00e9\\/","a" :"quiet"}', b'{"b":"\\u00e9\\/","a" :"LOUD"}'),
        (b'{"n":123456789012345678901234567890,"a":"quiet"}',
         b'{"n":123456789012345678901234567890,"a":"LOUD"}'),
        (b'{"quiet":NaN,"n":-0}', b'{"LOUD":NaN,"n":-0}'),
        ('{"b": "é", "a":"quiet"}'.encode(), '{"b": "é", "a":"LOUD"}'.encode()),
        (b'{"a":"\\ud800","b":"quiet"}', b'{"a":"\\ud800","b":"LOUD"}'),
    ],
    ids=["compact", "spaced", "pretty", "odd", "escaped", "big", "nan", "utf8", "surrogate"],
)  # fmt: skip
def test_only_what_is_replaced_changes(text: bytes, expected: bytes) -> None:
    assert redact_json_text(text, _shout) == expected


@pytest.mark.parametrize("text", [b'{"a":1}', b'[ "x" ]', b'{"a": 1.50}', b"null"])
def test_nothing_replaced_is_none(text: bytes) -> None:
    assert redact_json_text(text, _shout) is None


def test_a_hidden_value_of_a_key_that_comes_twice_is_gone() -> None:
    assert redact_json_text(b'{"a":"hidden","a":"seen"}', _shout) == b'{"a": "seen"}'


@pytest.mark.parametrize("text", [b"{", b"", b"[" * 100_000, b'{ "a":' * 3000])
def test_what_is_no_json_is_told(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        redact_json_text(text, _shout)


def test_deep_texts_of_odd_writing_are_told() -> None:
    deep = b"[ " * 5000 + b"NaN" + b"]" * 5000
    with pytest.raises(ValueError, match="deep"):
        parse_json(deep)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(value=JSON, indent=st.sampled_from([None, 1, 2, 4]), plain=st.booleans())
def test_any_text_means_what_the_redacted_value_means(
    value: Json, indent: int | None, *, plain: bool
) -> None:
    text = json.dumps({"q": "quiet", "v": value}, indent=indent, ensure_ascii=plain)
    made = redact_json_text(text.encode("utf-8", "surrogatepass"), _shout)
    assert made is not None
    assert json.loads(made) == _shout(json.loads(text))


@pytest.mark.parametrize(
    ("value", "gone"),
    [
        ({"password": "hunter2"}, "hunter2"),
        ({"password": ["hunter2", {"x": 1}]}, "hunter2"),
        ({"password": {"stringValue": "hunter2"}}, "hunter2"),
        ({"phones": [{"value": "030 12345678", "type": "work"}]}, "12345678"),
        ({"ada@corp.io": 1}, "ada@"),
        ({"parameters": [{"name": "DEVICE_ID", "value": "zz9-x1"}]}, "zz9-x1"),
        ({"key": "client_secret", "value": "s-12345"}, "s-12345"),
        ({"name": "Ada Berg", "email": "ada@corp.io"}, "Ada"),
        ({"id": "0a1b2c", "email": "ada@corp.io"}, "0a1b2c"),
        ({"projectNumber": 123456789012}, "123456789012"),
        ({"locality": "Canaryville", "streetAddress": "1 X"}, "Canaryville"),
        ({"password": ["hunter2", {"note": "ann@corp.io"}]}, "ann@corp.io"),
        ({"x": [["password", "hunter2"], ["n", "1"]]}, "hunter2"),
        ({"x": [["password", "hunter2"]]}, "hunter2"),
        ({"x": [["n", "password"], ["1", "hunter2"]]}, "hunter2"),
        ({"command": ["smbclient", "-U", "bob%hunter2", "//h/s"]}, "hunter2"),
        ({"command": ["curl", "-u", "bob:hunter2", "https://h"]}, "hunter2"),
        ({"command": ["mysql", "-phunter2", "db"]}, "hunter2"),
        ({"password": [{"note": "ann@corp.io"}, "hunter2"]}, "hunter2"),
    ],
)  # fmt: skip
def test_secrets_by_place(redactor: Redactor, value: JsonObject, gone: str) -> None:
    made = redactor.redact_json(value)
    assert gone not in str(made)
    assert redactor.redact_json(made) == made


@pytest.mark.parametrize(
    "value",
    [
        {"name": "Engineering", "orgUnitPath": "/Engineering"},
        {"name": "All staff", "email": "all@example.com", "directMembersCount": "9"},
        {"count": 123456789, "totalTokens": 123456, "token": 123456, "passwordEnabled": True},
        {"creationTime": "2026-11-20T09:00:00.000Z", "expiry": "1551686400000"},
        {"policySchema": "chrome.users.SafeBrowsingProtectionLevel", "value": "STANDARD"},
        {"customer": "my_customer", "projectId": "-", "deviceId": "DEVICE_ID_UNSPECIFIED"},
        {"locality": "Berlin", "countryCode": "DE"},
        {"ip": "198.51.100.7", "mail": "ada@example.org", "local": "127.0.0.1"},
        {"deviceId": {"nested": "kept"}, "serialNumber": None, "password": ""},
        {"kind": "admin#directory#user", "version": "120.0.6099.109", "isAdmin": False},
    ],
)  # fmt: skip
def test_the_structure_that_an_agent_needs_stays(redactor: Redactor, value: JsonObject) -> None:
    """CEP-66."""
    assert redactor.redact_json(value) == value


V = "tulip-42-Q"
LOGIN = "mutation($a:String,$b:String){login(user:$b,password:$a)}"


@pytest.mark.parametrize(
    ("value", "replaced"),
    [
        ({"kind": "Secret", "data": {"a": "aHVudGVyMi0x", "n": 1}, "stringData": {"b": V}},
         ["/data/a", "/stringData/b"]),
        ({"kind": "ConfigMap", "data": {"a": "aHVudGVyMi0x"}}, []),
        ({"name": "projects/p/secrets/s/versions/1", "payload": {"data": V, "dataCrc32c": "12345"}},
         ["/payload/data"]),
        ({"name": "projects/p/topics/s", "payload": {"data": V}}, []),
        ({"id": "https://v.test/secrets/db", "value": V}, ["/value"]),
        ({"id": "https://v.test/keys/db", "value": V}, []),
        ({"data": {"k": V, "none": "required"}, "metadata": {"version": 3}}, ["/data/k"]),
        ({"data": {"k": V}, "metadata": {"age": 3}}, []),
        ({"data": {"k": V}, "metadata": "version"}, []),
        ({"type": "password", "value": V}, ["/value"]),
        ({"type": "text", "value": V}, []),
        ({"Type": "SecureString", "Value": V}, ["/Value"]),
        ({"type": "password", "value": "required"}, []),
        ({"op": "replace", "path": "/user/password", "value": V}, ["/value"]),
        ({"op": "replace", "path": "/user/colour", "value": V}, []),
        ({"op": "add", "path": 7, "value": V}, []),
        ({"query": LOGIN, "variables": {"a": V, "b": "x"}}, ["/variables/a"]),
        ({"query": "{login}", "variables": {"a": V}}, []),
        ({"columns": ["id", "password"], "rows": [["1", V], ["2", "rose-17-R"]]},
         ["/rows/0/1", "/rows/1/1"]),
        ({"columns": [{"name": "id"}, {"name": "password"}], "rows": [["1", V]]}, ["/rows/0/1"]),
        ({"columns": ["id", "colour"], "rows": [["1", V]]}, []),
        ({"name": "password", "value": V}, ["/value"]),
        ({"label": "password", "value": "tulip"}, []),
        ({"label": "password", "value": V}, ["/value"]),
        ({"name": "{$password}", "value": "tulip"}, ["/value"]),
        ({"key": "colour", "value": V}, []),
        ({"name": 7, "key": "password", "value": V}, ["/value"]),
        ({"errors": {"password": "must be long and odd"}}, []),
        ({"errors": {"password": ["is far too short", "needs a digit too"]}}, []),
        ({"errors": {"password": "one two"}}, ["/errors/password"]),
        ({"password": "Password"}, []),
        ({"login.password": "Password"}, []),
        ({"password": "Tulips"}, ["/password"]),
        ({"password": {"value": V, "type": "x"}}, ["/password/value"]),
        ({"password": {"colour": V}}, []),
        ({"password": [V, "rose-17-R", None]}, ["/password/0", "/password/1"]),
        ({"pin": 123456}, ["/pin"]),
        ({"pin": -123456}, []),
        ({"token": 123456789, "session": 123456789}, []),
        ({"secureJsonData": {"a": "tulips", "n": 1, "e": "", "k": "required"}},
         ["/secureJsonData/a"]),
    ],
    ids=str,
)  # fmt: skip
def test_the_shape_of_an_object_tells_which_values_are_replaced(
    redactor: Redactor, value: JsonObject, replaced: list[str]
) -> None:
    made = redactor.redact_json(value)
    assert list(_changed(value, made)) == replaced


def _changed(old: Json, new: Json, at: str = "") -> Iterator[str]:
    """The pointers of what is another value; everything else is the same."""
    if isinstance(old, dict) and isinstance(new, dict):
        assert list(old) == list(new)
        for name, each in old.items():
            yield from _changed(each, new[name], f"{at}/{name}")
    elif isinstance(old, list) and isinstance(new, list):
        for number, pair in enumerate(zip(old, new, strict=True)):
            yield from _changed(*pair, f"{at}/{number}")
    elif old != new:
        assert type(old) is type(new)
        yield at


def _shape(value: Json) -> object:
    if isinstance(value, dict):
        return [_shape(item) for item in value.values()]
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return type(value)


NAMES = st.sampled_from(
    ["password", "token", "name", "email", "id", "customerId", "deviceId", "value", "key", "note",
     "phone", "projectId", "pageToken", "fullName", "emails", "parameters"]
)  # fmt: skip
TEXTS = st.sampled_from(
    ["ada@corp.io", "Ada Berg", "10.2.3.4", "C03xq7b2k", "dev-77x", "4111111111111111", "",
     '{"password": "x1"}', "YWRhQGNvcnAuaW8gc2F5cw==", "me", "projects/my-proj/x", "ENUM_VALUE"]
)  # fmt: skip
VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)
RULES = RuleSet.default()


@settings(max_examples=40)
@given(VALUES)
def test_structure_and_types_stay_and_twice_is_once(value: Json) -> None:
    """CEP-66."""
    redactor = Redactor(RULES, b"k")
    made = redactor.redact_json(value)
    assert _shape(made) == _shape(value)
    assert redactor.redact_json(made) == made


class _PlainWalk(JsonWalk):
    """Looks at each object by itself: it remembers nothing, and copies everything."""

    @override
    def _object(self, value: JsonObject, parent: str = "") -> JsonObject:
        made: JsonObject = {}
        for name, item in value.items():
            if rules := RULES.rules_for_field(name):
                new = self._field(rules, name, item, value, parent)
            else:
                new = self._value(item, name)
                if name == "secrets" and isinstance(new, dict):
                    new = self._redact_secrets_object("object_of_secrets", new)
            made[self._text(name)] = new
        if len(made) == len(value):
            self._redact_by_shape(value, made)
        return self._redact_pair(value, made, parent, ObjectShape(tuple(value), RULES, 0))


FIELDS = st.sampled_from(
    ["password", "name", "value", "key", "id", "kind", "type", "data", "metadata", "version", "op",
     "path", "variables", "query", "columns", "rows", "secrets", "errors", "email", "customerId",
     "deviceId", "givenName", "address", "emails", "note", "label", "ada@corp.io", "stringData"]
)  # fmt: skip
WORDS = st.sampled_from(
    ["ada@corp.io", "Ada Berg", "hunter2xY9", "Password", "Secret", "secretstring", "password",
     "/password", "replace", "p($a: In){ f(password: $note) }", "projects/p-1/secrets/db", "u_81",
     "DEVICE_ID", "C03xq7b2k", "plain words of a sentence", "me"]
)  # fmt: skip
OBJECTS = st.recursive(
    WORDS | st.integers(0, 10**12) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=14,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=3))
def test_what_is_remembered_of_objects_changes_nothing(values: list[Json]) -> None:
    fast, plain = (ValueRedactor(RULES, Pseudonyms(b"k")) for _ in range(2))
    for value in values:
        before = json.dumps(value)
        made = fast.redact_json(value)
        plain.judged_fields.clear()
        assert json.dumps(made) == json.dumps(_PlainWalk(plain).redact(value))
        assert json.dumps(value) == before
    assert sorted(fast.seen.rows()) == sorted(plain.seen.rows())


@pytest.mark.parametrize(
    "value",
    [
        {"op": "replace", "path": "/owner", "value": {"mail": "ada@corp.io"}},
        {"query": "mutation($i: I) { add(in: $i) }", "variables": {"i": ["Mail ada@corp.io"]}},
    ],
)
def test_values_that_a_path_or_a_query_names_may_be_objects(
    redactor: Redactor, value: JsonObject
) -> None:
    assert "ada" not in str(redactor.redact_json(value))


def test_however_little_is_remembered_the_same_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = [{"password": "hunter2xY9", "n": 1}, {"email": "ada@corp.io"}, {"password": "x7-y8z"}]
    monkeypatch.setattr(json_values, "_MOST_SHAPES", 1)
    monkeypatch.setattr(value_redactor, "_MOST_VALUES", 0)
    forgetful = ValueRedactor(RULES, Pseudonyms(b"k"))
    assert [forgetful.redact_json(value) for value in values * 2] == [
        Redactor(RULES, b"k").redact_json(value) for value in values * 2
    ]
    assert len(forgetful.shapes) == 1
