import pytest

from harness.checks.registry import check
from harness.checks.reply_schema import (
    REPLY,
    ModelError,
    import_model,
    json_in,
    labelled_text,
    missing_fields,
    words,
)
from harness.checks.reviews import ReviewResponse
from harness.model import JsonObject, ReplySchema, Turn
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
    assert found.reason == "schema mismatch: /user: must be text"
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


@pytest.mark.parametrize("name", ["next_steps", "nextSteps", "Next Steps", "next-steps"])
def test_spelling_does_not_matter(name: str) -> None:
    assert words(name) == ("next", "steps")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("## Next Steps\n\nWait.", id="heading"),
        pytest.param("### 3. Recommended next steps:\nWait.", id="numbered-heading"),
        pytest.param("Next steps\n----------\nWait.", id="underlined"),
        pytest.param("**Next Steps:** wait", id="bold-label"),
        pytest.param("**Next Steps**: wait", id="bold-then-colon"),
        pytest.param("- **Next steps**\n  wait", id="bold-item"),
        pytest.param("1. Next Steps: wait", id="item-label"),
        pytest.param("Next Steps:\n- wait", id="label-above-a-list"),
        pytest.param("NEXT STEP\uff1a wait", id="singular-full-width-colon"),
        pytest.param('{"nextSteps": ["wait"]}', id="json"),
        pytest.param('So:\n```json\n{"next_steps": ["wait"]}\n```\n', id="fenced-json"),
    ],
)
def test_a_field_is_found_in_the_text(text: str) -> None:
    assert missing_fields(["next_steps"], reply(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The next steps are unclear", id="running-text"),
        pytest.param("## Next Steps\n", id="nothing-below"),
        pytest.param("## Next Steps\n\n## Diagnosis\nx", id="only-a-heading-below"),
        pytest.param("I have written next steps down here: x", id="long-label"),
        pytest.param('{"nextSteps": []}', id="empty-json"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_mention_is_not_a_field(text: str) -> None:
    assert missing_fields(["next_steps"], reply(text)) == ["next_steps"]


def test_names_and_aliases_are_the_same_in_the_structured_answer() -> None:
    answer = reply("", metadata={"nextSteps": ["wait"], "hypothesis": "x", "evidence": []})
    fields = ["next_steps", "hypotheses", "evidence"]
    assert missing_fields(fields, answer) == ["evidence"]


def test_the_last_fenced_block_comes_first() -> None:
    assert json_in('```json\n{"a": 1}\n```\n```\n[2]\n```\n```json\n{oops\n```') == [[2], {"a": 1}]
    assert json_in(' {"a": 1} ') == [{"a": 1}]
    assert json_in("{not json}") == json_in("12") == []


def test_a_structured_answer_reads_as_lines() -> None:
    answer = {"nextSteps": ["wait", {"until": 5}], "evidence": ""}
    assert labelled_text(answer) == "next steps : wait 5"


def test_endless_lines_take_no_time() -> None:
    missing_fields(["diagnosis"], reply("# " + " " * 500_000 + "\n**" + "a" * 500_000))


def test_a_model_is_found_by_name() -> None:
    assert import_model("python:harness.model:Turn") is Turn


def test_older_runs_name_the_model_of_a_review_where_it_was() -> None:
    found = import_model("python:harness.demo.review.response:ReviewResponse")
    assert found is ReviewResponse


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("harness.model:Turn", "write python:package.module:Model", id="no-prefix"),
        pytest.param("python:harness.model", "write python:package.module:Model", id="no-name"),
        pytest.param("python:nowhere.at.all:Model", "cannot be imported", id="no-module"),
        pytest.param("python:harness.model:Nothing", "cannot be imported", id="no-attribute"),
        pytest.param("python:harness.model:Mode", "is not a Pydantic model", id="no-model"),
    ],
)
def test_a_model_that_cannot_be_had_is_named(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        import_model(name)


@pytest.mark.parametrize(
    ("fields", "written"),
    [
        ({"fields": ["a"], "required": False}, {"schema": ["a"], "required": False}),
        ({"json_schema": {"type": "object"}}, {"schema": {"type": "object"}}),
        ({"model": "python:m:M"}, {"schema": "python:m:M"}),
        ({"fields": ["a"], "model": "python:m:M"}, {"schema": None}),
    ],
)
def test_a_schema_is_written_as_one_word(fields: JsonObject, written: JsonObject) -> None:
    assert REPLY.write("reply_schema", fields) == written
    if written["schema"] is not None:
        [read] = REPLY.read(REPLY.form.model_validate(written), None)
        assert {
            name: read.model_dump(mode="json", by_alias=True)[name] for name in fields
        } == fields
