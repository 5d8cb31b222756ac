import pytest

from mockserver.apis.monitoring.promql import PromqlError
from mockserver.apis.monitoring.promql.parser import Cursor


def test_steps_are_taken_where_they_fit() -> None:
    cursor = Cursor("BY (a, 'b',) x")
    assert cursor.is_next("by")
    assert cursor.take("by")
    assert not cursor.take("x")
    assert cursor.names() == ("a", "b")
    assert cursor.step().text == "x"
    assert cursor.token.kind == "end"


def test_errors_say_where() -> None:
    cursor = Cursor("a\n b")
    first = cursor.step()
    assert str(cursor.error("why")) == "2:2: parse error: why"
    assert str(cursor.error("why", first)) == "1:1: parse error: why"
    with pytest.raises(PromqlError, match='unexpected identifier "b" here'):
        cursor.expect("(", " here")
    assert str(Cursor("'x'").unexpected()) == "1:1: parse error: unexpected string \"'x'\""
    with pytest.raises(PromqlError, match="unexpected number"):
        Cursor("1").name("")
