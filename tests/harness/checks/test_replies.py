from harness.checks.replies import (
    is_blank,
    is_empty,
    joined_texts,
    no_reply,
    replies_of,
    texts_and_values,
)
from harness.model import Json
from tests.harness.records import record, reply


def test_one_turn_or_all_turns() -> None:
    trial = record("one", "two")
    assert joined_texts(replies_of(trial, None)) == "one\n\ntwo"
    assert joined_texts(replies_of(trial, 2)) == "two"
    assert replies_of(trial, 3) == ()


def test_a_structured_answer_is_shown_by_its_values() -> None:
    metadata = {"diagnosis": "OU blocked", "evidence": [{"id": 402, "gone": None}]}
    text = texts_and_values(record(reply("text", metadata=metadata)).replies)
    assert text.split() == ["text", "OU", "blocked", "402"]


def test_blank_means_neither_text_nor_structure() -> None:
    assert is_blank(record(" \n").replies)
    assert not is_blank(record(reply("", metadata={"a": "b"})).replies)


def test_empty_fields_say_nothing_but_zero_and_false_do() -> None:
    values: list[Json] = [None, "", [], {}, 0, False]
    assert [is_empty(value) for value in values] == [True] * 4 + [False] * 2


def test_the_unanswered_turn_is_named() -> None:
    assert no_reply(2) == "the agent gave no reply in turn 2 to look at"
