"""Texts that only look like JSON or XML."""

from time import process_time

import pytest

from mockserver.redaction.readers.texts import redact_broken_json, redact_markup
from mockserver.redaction.value_redactor import ValueRedactor


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
