"""Which rule replaced what, and where."""

import json
from base64 import b64encode

import pytest

from mockserver.model import Interaction, Json
from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.explanation import Explainer
from tests.mockserver.redaction import planted

RULES = RuleSet.default()
PASSWORD = "Tulip-42-Quarry"
KEY = "AIza" + "SyA1234567890abcdefghijklmnopqrstu"
CODED = b64encode(b"mail bob@corp.io, the owner").decode()
BEFORE = "\n".join(["a line"] * 2)


def rows(explainer: Explainer) -> list[tuple[str, str, str, str]]:
    return [
        (each.place, each.rule, each.reason, each.learned_from) for each in explainer.replacements
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"users": [{"email": "a@corp.io"}]}, [("/users/0/email", "email", "field", "")]),
        ({"emails": ["a@corp.io"]}, [("/emails/0", "email", "field", "")]),
        ({"note": "to a@corp.io"}, [("/note, character 4", "email", "pattern", "")]),
        (
            {"password": PASSWORD, "notes": ["x", f"is {PASSWORD}", {"n": [PASSWORD]}]},
            [
                ("/password", "password", "field", ""),
                ("/notes/1, character 4", "password", "learned", "/password"),
                ("/notes/2/n/0", "password", "learned", "/password"),
            ],
        ),
        ({"a@corp.io": 1}, [("name of /a@corp.io", "email", "pattern", "")]),
        ({"a/b~c": "a@corp.io"}, [("/a~1b~0c", "email", "pattern", "")]),
        ({"pin": 123456}, [("/pin", "one_time_code", "field", "")]),
        ({"p": "projects/acme-77"}, [("/p, character 10", "project", "path", "")]),
        (
            {"t": "x password=hunter2hunter2"},
            [("/t, character 12", "credential_assigned", "pattern", "")],
        ),
        (
            {"env": [{"name": "DB_PASSWORD", "value": PASSWORD}]},
            [("/env/0/value", "password", "field", "")],
        ),
        (
            {"rows": [["password", "id", "n"], [PASSWORD, "7", "n"]]},
            [("/rows/1/0", "password", "field", "")],
        ),
        (
            {"password": PASSWORD, "log": f"it was {PASSWORD}"},
            [
                ("/password", "password", "field", ""),
                ("/log, character 8", "password", "learned", "/password"),
            ],
        ),
        (
            {"password": PASSWORD, "user": {PASSWORD: 1}},
            [
                ("/password", "password", "field", ""),
                (f"name of /user/{PASSWORD}", "password", "learned", "/password"),
            ],
        ),
        (
            {"inner": json.dumps({"password": PASSWORD})},
            [("/inner, character 15", "password", "field", "")],
        ),
        ({"t": CODED}, [("/t, in another coding", "email", "pattern", "")]),
        ({"t": f"{BEFORE}\na@corp.io"}, [("/t, line 3, column 1", "email", "pattern", "")]),
        ({"password": KEY}, [("/password", "api_key", "pattern", "")]),
        ({"text": "nothing"}, []),
    ],
)
def test_a_json_value_is_explained_by_pointers(
    value: Json, expected: list[tuple[str, str, str, str]]
) -> None:
    explainer = Explainer(RULES)
    explainer.explain_json(value)
    assert rows(explainer) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to a@corp.io", [("line 1, column 4", "email", "pattern", "")]),
        ("a@corp.io a@corp.io", [
            ("line 1, column 1", "email", "pattern", ""),
            ("line 1, column 11", "email", "pattern", ""),
        ]),
        ("x\ncurl -u ann:Oak-99-Lantern https://x.example", [
            ("line 2, column 13", "curl_user", "pattern", ""),
        ]),
        ("the password is sunflower", [("line 1, column 17", "password", "field", "")]),
        (CODED, [("in another coding", "email", "pattern", "")]),
    ],
)  # fmt: skip
def test_a_text_is_explained_by_lines_and_columns(
    text: str, expected: list[tuple[str, str, str, str]]
) -> None:
    explainer = Explainer(RULES)
    explainer.explain_text(text)
    assert rows(explainer) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            planted.asked(f"/v1/projects/acme-77/x?key={KEY}&u=a@corp.io&state=Zx81kd82Qm"),
            [
                ("request URL, character 14", "project", "path", ""),
                ("request URL, parameter key", "api_key", "pattern", ""),
                ("request URL, parameter u", "email", "pattern", ""),
                ("request URL, parameter state", "sign_in_parameter", "field", ""),
            ],
        ),
        (
            planted.asked("/", ("Authorization", "Token q1w2e3r4t5"), ("X-User", "by a@corp.io")),
            [
                ("request header authorization", "authorization", "field", ""),
                ("request header x-user, character 4", "email", "pattern", ""),
            ],
        ),
        (
            planted.form("grant=1&password=hunter2hunter2"),
            [("request body, parameter password", "password", "field", "")],
        ),
        (
            planted.answer({"user": {"password": PASSWORD}, "n": PASSWORD}),
            [
                ("response body, /user/password", "password", "field", ""),
                (
                    "response body, /n",
                    "password",
                    "learned",
                    "interaction 1, response body, /user/password",
                ),
            ],
        ),
    ],
)
def test_an_interaction_is_explained_by_its_parts(
    message: Interaction, expected: list[tuple[str, str, str, str]]
) -> None:
    explainer = Explainer(RULES)
    explainer.explain_interactions([message])
    assert rows(explainer) == [(f"interaction 1, {place}", *rest) for place, *rest in expected]


def test_what_a_later_interaction_teaches_explains_an_earlier_one() -> None:
    explainer = Explainer(RULES)
    explainer.explain_interactions(
        [planted.answer({"n": PASSWORD}), planted.answer({"password": PASSWORD})]
    )
    taught = "interaction 2, response body, /password"
    assert rows(explainer) == [
        (taught, "password", "field", ""),
        ("interaction 1, response body, /n", "password", "learned", taught),
    ]


def test_a_value_of_two_fields_is_of_the_kind_that_came_first() -> None:
    explainer = Explainer(RULES)
    explainer.explain_json({"pin": 123456, "password": "123456", "token": PASSWORD, "t": CODED})
    assert [(each.rule, each.kind) for each in explainer.replacements] == [
        ("one_time_code", "one_time"), ("password", "one_time"), ("token", "token"),
        ("email", "email"),
    ]  # fmt: skip


def test_a_value_is_no_part_of_what_is_shown() -> None:
    explainer = Explainer(RULES)
    explainer.explain_json({"password": PASSWORD})
    assert explainer.replacements[0].value == PASSWORD
    assert PASSWORD not in repr(explainer.replacements)


@pytest.mark.slow
def test_every_planted_secret_is_explained_by_a_rule() -> None:
    names = {rule.name for rule in RULES.rules}
    unexplained = []
    for row in planted.planted():
        explainer = Explainer(RULES)
        explainer.explain_interactions([row.message])
        found = {each.rule for each in explainer.replacements}
        if not found or not found <= names:
            unexplained.append((row.family, found - names))
    assert unexplained == []


STRUCTURES: list[tuple[str, str, Json]] = [
    ("mysql_argument", "/0/1, character 3", [["mysqldump", f"-p{PASSWORD}", "-v"]]),
    ("curl_argument", "/2, character 5", ["curl", "-u", f"ann:{PASSWORD}"]),
    ("smb_argument", "/2, character 5", ["smbclient", "-U", f"ann%{PASSWORD}"]),
    ("program_argument", "/2", ["/usr/bin/sshpass", "-p", PASSWORD]),
    ("object_of_secrets", "/secureJsonData/a", {"secureJsonData": {"a": "sunflower"}}),
    ("stored_secret", "/value", {"id": "https://x.example/secrets/a", "value": "sunflower"}),
    (
        "stored_secret",
        "/data/a",
        {"data": {"a": "sunflower"}, "metadata": {"version": 1}},
    ),
    ("typed_secret", "/value", {"type": "SecureString", "value": "sunflower"}),
    (
        "kubernetes_secret",
        "/data/a, in another coding",
        {"kind": "Secret", "data": {"a": "c3VuZmxvd2Vy"}},
    ),
    ("kubernetes_secret", "/stringData/a", {"kind": "Secret", "stringData": {"a": "sunflower"}}),
    ("kubernetes_secret", "/y, line 3, column 6", {"y": "kind: Secret\ndata:\n  a: sunflower\n"}),
]


@pytest.mark.parametrize(("rule", "place", "value"), STRUCTURES)
def test_what_a_structure_tells_is_a_rule_that_may_be_off(
    rule: str, place: str, value: Json
) -> None:
    explainer = Explainer(RULES)
    explainer.explain_json(value)
    assert rows(explainer) == [(place, rule, "field", "")]
    rules = RuleSet.parse({"off": [rule]})
    assert Redactor(rules, b"k").redact_json(value) == value


def test_the_user_of_a_url_is_replaced_by_a_rule_that_may_be_off() -> None:
    url = "https://ann:sunflower@x.example/"
    assert Redactor(RULES, b"k").redact_target(url) != url
    assert (
        Redactor(RULES.without(["user_info", "user_info_without_scheme"]), b"k").redact_target(url)
        == url
    )
