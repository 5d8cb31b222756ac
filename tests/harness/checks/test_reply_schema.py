import pytest

from harness.checks.table import check
from harness.model import JsonObject, ReplySchema
from tests.harness.records import record, reply

FOUR = ("diagnosis", "evidence", "hypotheses", "next_steps")
TEXT = "## Diagnosis\nx\n## Evidence\ny\n## Hypotheses\nz\n## Next Steps\nwait"


def test_four_fields_in_metadata_or_in_headings() -> None:
    """CEPR-09: metadata first, then headings."""
    metadata = dict.fromkeys(("diagnosis", "evidence", "hypotheses", "nextSteps"), "x")
    for each in (reply("", metadata=metadata), reply(TEXT)):
        found = check(record(each), ReplySchema(fields=FOUR))
        assert (found.status, found.numbers["matched"]) == ("pass", True)


@pytest.mark.parametrize("field", FOUR)
def test_a_schema_mismatch_names_the_missing_field(field: str) -> None:
    """CEP-47, CEPR-10: raised when diagnosis, evidence, hypotheses or next_steps are missing."""
    metadata = {name: "x" for name in FOUR if name != field}
    found = check(record(reply("", metadata=metadata)), ReplySchema(fields=FOUR))
    assert found.status == "fail"
    assert found.reason == f"schema mismatch: missing fields: {field!r}"
    assert found.numbers["missing"] == [field]


def test_the_last_reply_is_the_structured_one() -> None:
    assert check(record(TEXT, "Done."), ReplySchema(fields=FOUR)).status == "fail"
    assert check(record(TEXT, "Done."), ReplySchema(fields=FOUR, turn=1)).status == "pass"


def test_a_json_schema_holds_metadata_or_json_in_the_text() -> None:
    schema: JsonObject = {"type": "object", "required": ["route"]}
    expectation = ReplySchema(json_schema=schema)
    assert check(record(reply("", metadata={"route": "dlp"})), expectation).status == "pass"
    assert check(record('```json\n{"route": "dlp"}\n```'), expectation).status == "pass"
    assert check(record("{}"), expectation).reason == (
        "schema mismatch: /: 'route' is a required property"
    )
    assert check(record("no JSON"), expectation).reason == (
        "schema mismatch: the reply holds no JSON"
    )


def test_an_empty_schema_still_wants_json() -> None:
    assert check(record("no JSON"), ReplySchema(json_schema={})).status == "fail"


def test_a_routing_decision_is_a_field_of_the_answer() -> None:
    """CEP-79"""
    schema: JsonObject = {"properties": {"route": {"const": "connector"}}, "required": ["route"]}
    found = check(record(reply("", metadata={"route": "dlp"})), ReplySchema(json_schema=schema))
    assert found.reason == "schema mismatch: /route: 'connector' was expected"


def test_a_pydantic_model_holds_too() -> None:
    expectation = ReplySchema(model="python:harness.model:Turn")
    assert check(record('{"user": "x"}'), expectation).status == "pass"
    found = check(record('{"user": 1}'), expectation)
    assert found.reason == "schema mismatch: /user: Input should be a valid string"
    assert check(record("text"), expectation).numbers["errors"] == ["the reply holds no JSON"]


@pytest.mark.parametrize(
    "expectation",
    [
        pytest.param(ReplySchema(), id="nothing-named"),
        pytest.param(ReplySchema(model="python:nowhere:Model"), id="no-such-model"),
        pytest.param(ReplySchema(json_schema={"type": 1}), id="no-schema"),
    ],
)
def test_a_broken_expectation_decides_nothing(expectation: ReplySchema) -> None:
    assert check(record("{}"), expectation).status == "not_evaluated"


def test_without_a_reply_nothing_is_decided() -> None:
    assert check(record(), ReplySchema(fields=FOUR)).status == "not_evaluated"
