import base64
import gzip
import json

import pytest

from mockserver.redaction import leak_readings
from mockserver.redaction.leak_readings import readings

TEXT = b"ann.lovelace@corp.test"


def test_codings_inside_codings_are_undone() -> None:
    inner = base64.urlsafe_b64encode(gzip.compress(TEXT.replace(b"@", b"%40"))).decode()
    content = json.dumps(json.dumps({"a": inner})).encode()
    assert any(TEXT in layer.content for layer in readings(content))


def test_the_first_reading_is_the_content() -> None:
    first = next(readings(TEXT))
    assert (first.content, first.form, first.cut) == (TEXT, (), False)


def test_a_budget_that_does_not_reach_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leak_readings, "_ROOM", 10)
    monkeypatch.setattr(leak_readings, "_TIMES", 0)
    assert [layer.cut for layer in readings(TEXT)] == [True]


def test_it_ends_at_some_depth() -> None:
    content = TEXT
    for _ in range(leak_readings.DEEPEST + 3):
        content = base64.b64encode(content)
    assert max(len(layer.form) for layer in readings(content)) <= leak_readings.DEEPEST + 2
