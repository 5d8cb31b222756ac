"""Texts that only look like JSON or XML."""

import pytest

from mockserver.redaction.broken import broken_json, tagged
from mockserver.redaction.judging import Judge


@pytest.mark.parametrize(
    "text",
    ['{"password": "hunter2", "n": [', '{"password": "hunter2', 'x "client_secret" : "hunter2"',
     'log {\\"password\\": \\"hunter2\\"} end', '{"password":"hun\\u0074er2"'],
)  # fmt: skip
def test_pairs_are_redacted_by_their_names(judge: Judge, text: str) -> None:
    made = broken_json(judge, text)
    assert "hunter2" not in made
    assert "hun\\u0074er2" not in made
    assert broken_json(judge, made) == made


def test_elements_are_redacted_by_their_names(judge: Judge) -> None:
    made = tagged(judge, '<a><ns:Password k="v">hunter2</ns:Password><b>kept</b></a>')
    assert "hunter2" not in made
    assert "<b>kept</b>" in made


@pytest.mark.parametrize("text", ['{"name": "kept"', '"a": "\\q"'])
def test_other_pairs_stay(judge: Judge, text: str) -> None:
    assert broken_json(judge, text) == text
