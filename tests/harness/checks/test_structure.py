import pytest

from harness.checks.reply_schema import json_in, labelled, missing_fields, words
from tests.harness.records import reply


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
    assert labelled(answer) == "next steps : wait 5"


def test_endless_lines_take_no_time() -> None:
    missing_fields(["diagnosis"], reply("# " + " " * 500_000 + "\n**" + "a" * 500_000))
