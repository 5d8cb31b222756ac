import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.matchers import (
    ABSENT,
    InvalidMatcherError,
    InvalidSchemaError,
    Mode,
    accepts,
    describe,
    difference,
    is_named,
    is_subset,
    is_subset_of_request,
    pattern,
    schema_errors,
)
from harness.checks.registry import check
from harness.model import (
    MATCHERS,
    Expectation,
    ExpectedRequest,
    ForbiddenTools,
    Json,
    JsonObject,
    ServerRequests,
    ServerState,
    TrialRecord,
    literal,
    literal_args,
    matcher_name,
)
from tests.harness.records import entry, record, reply, seen

ACCEPTED: list[tuple[JsonObject, Json, Json]] = [
    ({"any_of": [1, 2]}, 2, 3),
    ({"any_of": [{"glob": "a*"}, 7]}, "ab", "b"),
    ({"regex": "^S.l"}, "Sales", "sales"),
    ({"number": 3, "tolerance": 0.5}, 3.5, 3.6),
    ({"number": 3}, 3.0, "3"),
    ({"number": 1}, 1, True),
    ({"present": True}, None, ABSENT),
    ({"present": False}, ABSENT, 0),
    ({"absent": True}, ABSENT, ""),
    ({"absent": False}, "", ABSENT),
    ({"schema": {"type": "integer", "minimum": 3}}, 3, 2),
    ({"glob": "*.md"}, "a.md", "a.MD"),
    ({"glob": "*"}, "", 1),
    ({"contains": "b"}, "abc", "ABC"),
    ({"contains": {"id": 1}}, [{"id": 1, "n": 2}], [{"id": 2}]),
    ({"contains": "key"}, {"key": 1}, 5),
    ({"regex": "a"}, "a", ABSENT),
]


@pytest.mark.parametrize(("matcher", "good", "bad"), ACCEPTED, ids=str)
def test_each_matcher_takes_what_it_names(matcher: JsonObject, good: Json, bad: Json) -> None:
    assert accepts(matcher, good, is_subset)
    assert not accepts(matcher, bad, is_subset)
    assert describe(matcher)


def test_every_matcher_is_tried() -> None:
    tried = {next(iter(matcher)) for matcher, _, _ in ACCEPTED}
    assert tried == MATCHERS - {"equals"}, "which is a plain comparison"


@pytest.mark.parametrize(
    "matcher",
    [
        {"any_of": 1},
        {"regex": "("},
        {"regex": 1},
        {"number": "3"},
        {"number": 3, "tolerance": True},
        {"schema": {"type": "nothing"}},
        {"schema": 1},
    ],
    ids=str,
)
def test_a_matcher_of_no_use_is_told_so(matcher: JsonObject) -> None:
    with pytest.raises(InvalidMatcherError, match=r"case|schema|attribute|iterable"):
        accepts(matcher, "x", is_subset)


def test_patterns_take_linear_time() -> None:
    assert pattern("(a*)*b").search("a" * 5000) is False


def test_matchers_read_well() -> None:
    assert describe({"any_of": [1, 2]}) == "one of [1, 2]"
    assert describe({"absent": False}) == "anything"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("expected", "found", "mode", "where"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, "subset", None, id="further-keys"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, "exact", "args.b", id="further-keys-exactly"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, "subset", None, id="deeper-keys"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, "subset", "args.a.b", id="deep-value"),
        pytest.param({"a": 1}, {}, "subset", "args.a", id="missing"),
        pytest.param({"a": None}, {}, "subset", "args.a", id="null-is-not-missing"),
        pytest.param([1, {"a": 1}], [1, {"a": 1, "b": 2}], "subset", None, id="in-arrays"),
        pytest.param([1], [1, 2], "subset", "args", id="array-length"),
        pytest.param([1, 2], [1, 3], "subset", "args[1]", id="array-item"),
        pytest.param(1, True, "subset", "args", id="true-is-not-one"),
        pytest.param(1, 1.0, "subset", None, id="one-is-one"),
        pytest.param({"a": 1, "b": 2}, {"b": 2}, "superset", None, id="superset-lacks-one"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, "superset", "args.b", id="superset-has-no-other"),
        pytest.param({"a": {"b": 1}}, {"a": {}}, "superset", None, id="superset-deeper"),
        pytest.param({"a": 1}, {"a": 2}, "superset", "args.a", id="superset-of-other-values"),
        pytest.param({"a": {"absent": True}}, {}, "subset", None, id="absent"),
        pytest.param({"a": {"absent": True}}, {"a": None}, "subset", "args.a", id="null-is-there"),
        pytest.param({"a": {"present": True}}, {}, "subset", "args.a", id="not-present"),
        pytest.param({"a": [{"glob": "x*"}]}, {"a": ["xy"]}, "exact", None, id="in-an-array"),
        pytest.param(
            {"a": {"equals": {"glob": "x"}}}, {"a": {"glob": "x"}}, "subset", None, id="as-is"
        ),
        pytest.param(
            {"a": {"equals": {"b": 1}}}, {"a": {"b": 1, "c": 2}}, "subset", "args.a.c", id="equal"
        ),
        pytest.param({"a": {"equals": 1}}, {}, "subset", "args.a", id="equal-and-absent"),
        pytest.param(
            {"a": {"any_of": [{"b": 1}]}}, {"a": {"b": 1, "c": 2}}, "subset", None, id="any-in-mode"
        ),
        pytest.param(
            {"a": {"any_of": [{"b": 1}]}},
            {"a": {"b": 1, "c": 2}},
            "exact",
            "args.a",
            id="any-exactly",
        ),
        pytest.param({"a": 1}, "text", "subset", "args", id="another-type"),
    ],
)
def test_the_first_difference_is_named(
    expected: Json, found: Json, mode: Mode, where: str | None
) -> None:
    differs = difference(expected, found, "args", mode)
    assert (differs and differs.where) == where


def test_a_difference_reads_well() -> None:
    assert str(difference({"a": 1}, {}, "args")) == "args.a is absent, expected 1"
    assert str(difference({"a": {"number": 3}}, {"a": 4}, "args")) == (
        "args.a is 4, expected 3 within 0"
    )
    long = difference("x" * 200, 1, "args")
    assert long is not None
    assert len(long.expected) == 80


@pytest.mark.parametrize(
    ("expected", "found", "holds"),
    [
        pytest.param(10, "10", True, id="number-as-text"),
        pytest.param("10", 10, True, id="text-as-number"),
        pytest.param(True, "true", True, id="boolean-as-text"),
        pytest.param("true", True, False, id="text-is-no-boolean"),
        pytest.param(10, "11", False, id="another-number"),
        pytest.param("a", "a", True, id="text"),
    ],
)
def test_queries_carry_text(expected: Json, found: Json, holds: bool) -> None:
    assert is_subset_of_request(expected, found) is holds


@given(VALUES)
def test_everything_is_a_subset_of_itself(value: Json) -> None:
    assert is_subset(value, value)
    assert difference(value, value, "", "exact") is None


@given(VALUES, VALUES)
def test_what_is_exactly_so_is_also_a_subset(one: Json, other: Json) -> None:
    if difference(one, other, "", "exact") is None:
        assert is_subset(one, other)


@given(VALUES, VALUES)
def test_a_literal_is_compared_as_it_is(one: Json, other: Json) -> None:
    assert difference(literal(one), one, "", "exact") is None
    assert (difference(literal(one), other, "", "exact") is None) is (
        difference({"equals": one}, other, "", "exact") is None
    )


NONE = ExpectedRequest(method="directory.orgUnits.*", min=0, max=0)
ADDED: dict[str, JsonObject] = {"orgUnits": {"added": {"/A": {}}}}


def test_letter_case_does_not_matter_and_the_rest_does() -> None:
    assert is_named("deleteUser", "DELETE*")
    assert not is_named("deleteUser", "delete_*")


@pytest.mark.parametrize(
    ("trial", "rule"),
    [
        (record(reply("", "delete_user")), ForbiddenTools(globs=("Delete_*",))),
        (seen(entry("x"), state_diff=ADDED), ServerState(unchanged=("orgunits",))),
        (
            seen(entry("directory.orgunits.delete")),
            ServerRequests(
                requests=(ExpectedRequest(method="directory.orgUnits.*", min=0, max=0),)
            ),
        ),
    ],
    ids=["forbidden", "unchanged", "requests"],
)
def test_what_forbids_in_other_letters_forbids_all_the_same(
    trial: TrialRecord, rule: Expectation
) -> None:
    assert check(trial, rule).status == "fail"


SCHEMA: JsonObject = {
    "type": "object",
    "required": ["diagnosis"],
    "properties": {
        "id": {"type": "string", "pattern": "^EC-"},
        "steps": {"items": {"type": "string"}},
    },
}


def test_errors_come_with_pointers_in_order() -> None:
    assert schema_errors(SCHEMA, {"steps": ["a", 2], "id": "X-1"}) == [
        "/: 'diagnosis' is a required property",
        "/id: 'X-1' does not match '^EC-'",
        "/steps/1: 2 is not of type 'string'",
    ]


def test_a_valid_document_has_none() -> None:
    assert schema_errors(SCHEMA, {"diagnosis": "x", "id": "EC-1"}) == []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        pytest.param({"type": "nonsense"}, "is invalid", id="not-a-schema"),
        pytest.param({"$ref": "https://example.com/s.json"}, "refers outside", id="elsewhere"),
        pytest.param({"pattern": "(?=a"}, "is not a .regex", id="pattern"),
    ],
)
def test_a_broken_schema_is_the_cases_fault(schema: JsonObject, message: str) -> None:
    with pytest.raises(InvalidSchemaError, match=message):
        schema_errors(schema, "ab")


def test_endless_nesting_is_an_error_of_the_document() -> None:
    document: JsonObject = {}
    for _ in range(5000):
        document = {"a": document}
    schema: JsonObject = {"properties": {"a": {"$ref": "#"}}}
    assert schema_errors(schema, document) == ["/: nested too deeply to be checked"]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"regex": "x"}, "regex"),
        ({"number": 1, "tolerance": 2}, "number"),
        ({"regex": "x", "glob": "y"}, ""),
        ({"tolerance": 2}, ""),
        ({"folder": "x"}, ""),
        ({}, ""),
        ("regex", ""),
        ([{"regex": "x"}], ""),
    ],
    ids=str,
)
def test_a_matcher_is_an_object_with_one_key_that_is_known(value: Json, name: str) -> None:
    assert matcher_name(value) == name


def test_a_literal_holds_no_matcher() -> None:
    for name in MATCHERS:
        assert literal([{name: 1}]) == [{"equals": {name: 1}}]
    assert literal_args({"regex": {"glob": "x"}}) == {"regex": {"equals": {"glob": "x"}}}
