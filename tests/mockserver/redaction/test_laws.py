"""Laws over texts of the words of rules, pieces of secrets, pieces of pseudonyms, and signs."""

import json
from collections.abc import Iterator
from itertools import chain

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mockserver.apis import APIS
from mockserver.model import Interaction, Json, RecordedRequest, RecordedResponse
from mockserver.redaction import Redactor, Rule, RuleSet
from mockserver.redaction.pattern_search import PatternSearch

RULES = RuleSet.default().with_rules_before(rule for api in APIS for rule in api.redaction())
HEADERS = (("Content-Type", "application/json"),)

WORDS = (
    "token", "password", "passwd:", "Bearer", "Basic", "key=", "secret:", "the password is",
    "Authorization:", "api_key=", "cookie: sid=", "your code is", "curl -u", "--password", "Token",
    "version", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "seed phrase:",
    "set-cookie:", "Pwd=", "passport", "tel.", "projects/", "customers", "AccountKey=", "nonce=",
)  # fmt: skip
SECRETS = (
    "abcd1234", "hunter2x", "ada@corp.io", "@corp.io", "10.4.2.1", "4111111111111111", "+49 170",
    "ya29.", "a1B2c3D4e5F6", "ghp" + "_" + "a1" * 18, "eyJhbGciOiJIUzI1NiJ9", "C03xq7b2k",
    "usr_8Ye", "12 Main Street",
    "aa:bb:cc:dd:ee:ff", "482913", "://ann:pw1@db", "%40", "&#64;", "$2b$12$",
)  # fmt: skip
PSEUDONYMS = (
    "redacted-secret-", "redacted-id-0123456789abcdef", "0123456789abcdef", "user-1a2b3c4d",
    "@d01234567.example.com", "Qxbadegikolu", "C0z1a2b3c", "198.18.7.9", "9000", "AIzaRedacted",
    "project-1a2b3c4d", "03ph0000", "+1-212-555-0123", "00000000", "ya29.redacted-",
)  # fmt: skip
SIGNS = (" ", "=", ":", ": ", '"', "'", "\\", "/", ",", ";", "&", "\n", "-", "_", ".", "{", "}",
         "[", "]", "<", ">", "@", "%", "\0", "$", "(", ")", "é", "|", "?", "#")  # fmt: skip
TEXTS = st.lists(st.sampled_from([*WORDS, *SECRETS, *PSEUDONYMS, *SIGNS, *SIGNS]), max_size=7).map(
    "".join
)
NAMES = st.one_of(TEXTS, st.sampled_from(["note", "hint", "request", "items", "name", "value"]))


def _jsons(names: st.SearchStrategy[str]) -> st.SearchStrategy[Json]:
    return st.recursive(
        st.one_of(TEXTS, st.integers(-9, 10**9), st.booleans(), st.none()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)
        ),
        max_leaves=10,
    )


JSONS = _jsons(NAMES)
UNRULED = _jsons(
    NAMES.filter(lambda name: not RULES.rules_for_field(name) and name not in {"name", "key"})
)
REJECTED: Json = {
    "error_description": "Rejected token=abcd1234",
    "hint": "Bearer auth is required",
    "request": "Token service v2",
}


def _response(value: Json) -> RecordedResponse:
    return RecordedResponse(200, "", HEADERS, json.dumps(value).encode())


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        yield from chain.from_iterable(map(_strings, value.values()))
    elif isinstance(value, list):
        yield from chain.from_iterable(map(_strings, value))
    elif isinstance(value, str):
        yield value


def _shape(value: Json) -> object:
    if isinstance(value, dict):
        return [_shape(item) for item in value.values()]
    if isinstance(value, list):
        return ["list", *map(_shape, value)]
    return type(value)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(UNRULED)
@example(REJECTED)
@example({"a": "x token=", "b": "y", "c": "password:", "d": "Bearer", "e": "abcd1234"})
@example({"a": "-----BEGIN PRIVATE KEY-----", "b": "harmless", "c": "-----END PRIVATE KEY-----"})
def test_structure_and_what_holds_no_finding_stay(value: Json) -> None:
    redactor = Redactor(RULES, b"k")
    made = json.loads(redactor.redact_response(_response(value)).body)
    secrets = [secret.value for secret in redactor.seen.secrets()]
    if len(set(_strings(value))) == len(set(_strings(made))):
        assert _shape(made) == _shape(value)
    for old, new in zip(_strings(value), _strings(made), strict=False):
        if not any(secret in old for secret in secrets):
            plain = Redactor(RULES, b"k").redact_json({"": old})
            assert new == old or plain != {"": old}


def test_a_rule_does_not_see_the_border_of_two_strings() -> None:
    made = json.loads(Redactor(RULES, b"k").redact_response(_response(REJECTED)).body)
    assert list(made) == ["error_description", "hint", "request"]
    assert made["error_description"].startswith("Rejected token=redacted-")
    assert (made["hint"], made["request"]) == ("Bearer auth is required", "Token service v2")


def test_a_learned_value_is_not_found_across_two_strings() -> None:
    value: Json = {
        "password": 'ax", "yb',
        "list": ["ax", "yb"],
        "text": 'said ax", "yb',
        "n": [1, 2],
    }
    made = json.loads(Redactor(RULES, b"k").redact_response(_response(value)).body)
    assert made["list"] == ["ax", "yb"]
    assert made["text"] == f"said {made['password']}" != value["text"]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, max_size=8), st.data())
def test_any_batching_gives_the_same(texts: list[str], data: st.DataObject) -> None:
    contents = [text.encode() for text in texts]
    mine = Rule("mine", "mine", pattern=data.draw(st.sampled_from(["to[^a]*a", r"^token", "n$"])))
    finder = PatternSearch(RULES.with_rules_before([mine]), lambda rule, text: f"<{rule.name}>")
    alone = [finder.replace(content) for content in contents]
    cut = data.draw(st.integers(0, len(contents)))
    assert finder.replace_each(contents) == alone
    assert finder.replace_each(contents[:cut]) + finder.replace_each(contents[cut:]) == alone
    assert finder.replace_each(contents[::-1]) == alone[::-1]


def test_no_rule_of_ours_sees_where_a_text_ends() -> None:
    """Texts are searched together only then."""
    assert not PatternSearch(RULES, lambda _, text: text).one_by_one
    anchored = RULES.with_rules_before([Rule("a", "a", pattern="a$")])
    assert PatternSearch(anchored, lambda _, text: text).one_by_one


@settings(max_examples=100, deadline=None)
@given(JSONS)
def test_twice_is_once(value: Json) -> None:
    redactor = Redactor(RULES, b"k")
    once = redactor.redact_response(_response(value))
    assert redactor.redact_response(once) == once
    assert Redactor(RULES, b"k").redact_response(once) == once


@settings(max_examples=60, deadline=None)
@given(st.lists(JSONS, min_size=2, max_size=4), st.randoms(use_true_random=False))
@example([{"manager": "usr_8Ye"}, {"deviceId": "usr_8Ye"}, {"to": "usr_8Ye"}], None)
@example([{"serial": "k8"}, {"token": "ab-12"}, {"customerId": "ab-12", "x": "ab-12"}], None)
def test_the_order_of_messages_does_not_matter(values: list[Json], random: object) -> None:
    messages = [
        Interaction(RecordedRequest("GET", f"https://h.io/{place}"), _response(value))
        for place, value in enumerate(values)
    ]
    order = list(range(len(messages)))
    if random is None:
        order.reverse()
    else:
        random.shuffle(order)  # type: ignore[attr-defined]
    straight = Redactor(RULES, b"k").redact_interactions(messages)
    shuffled = Redactor(RULES, b"k").redact_interactions([messages[place] for place in order])
    assert shuffled == [straight[place] for place in order]


@pytest.mark.parametrize("first", ["person", "path", "device"])
def test_an_id_has_one_pseudonym_in_every_field_list_and_path(first: str) -> None:
    def get(path: str, value: Json) -> Interaction:
        return Interaction(RecordedRequest("GET", f"https://h.io{path}"), _response(value))

    several = {
        "person": get("/users", {"manager": "usr_8Ye", "users": [{"id": "usr_8Ye"}, "usr_8Ye"]}),
        "path": get("/users/usr_8Ye?sort=name", {"id": "usr_8Ye", "role": "admin"}),
        "device": get("/devices", {"deviceId": "usr_8Ye", "usr_8Ye": {"owner": "usr_8Ye"}}),
    }
    order = [several.pop(first), *several.values()]
    made = Redactor(RULES, b"k").redact_interactions(order)
    text = " ".join(one.request.url + one.response.body.decode() for one in made)
    stand_in = Redactor(RULES, b"k").redact_json({"deviceId": "usr_8Ye"})
    assert "usr_8Ye" not in text
    assert isinstance(stand_in, dict)
    assert text.count(str(stand_in["deviceId"])) == 8


def test_a_short_id_is_known_where_it_stands_alone() -> None:
    redactor = Redactor(RULES, b"k")
    (made,) = redactor.redact_interactions(
        [
            Interaction(
                RecordedRequest("GET", "https://h.io/devices-of/u_81/all?for=u_81"),
                _response(
                    {"deviceId": "u_81", "of": ["u_81"], "text": "not u_81s, nor x", "n": 81}
                ),
            )
        ]
    )
    assert "u_81/" not in made.request.url
    assert "=u_81" not in made.request.url
    body = json.loads(made.response.body)
    assert body["of"] == [body["deviceId"]]
    assert (body["text"], body["n"]) == ("not u_81s, nor x", 81)


def test_a_value_that_becomes_another_kind_while_it_is_judged() -> None:
    token = "CjQKLmFub3RoZXItcGFnZS10b2tlbi1mb3ItdGVzdA"
    value: Json = {
        "nextPageToken": token,
        "nextLink": f"https://h.io/x?access_token={token}",
        "note": "plain",
    }
    text = json.dumps(Redactor(RULES, b"k").redact_json(value))
    assert token not in text
    assert "plain" in text


def test_digits_of_a_fraction_are_no_id() -> None:
    redactor = Redactor(RULES, b"k")
    body = {
        "accountNumber": "123456789",
        "other": 123456789,
        "ratio": 0.123456789,
        "t": "0.123456789",
    }
    made = json.loads(redactor.redact_response(_response(body)).body)
    assert made["accountNumber"] == str(made["other"]) != "123456789"
    assert (made["ratio"], made["t"]) == (0.123456789, "0.123456789")
