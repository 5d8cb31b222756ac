"""What makes the results of a tool: answers, their fields, arguments, constants."""

from typing import Any

import pytest

from mockserver.declared.openapi.tool_results import result_template

_ROW = {"id": "A1", "total": 40}


@pytest.mark.parametrize(
    ("results", "answers", "arguments", "made"),
    [
        ([_ROW], [_ROW], [{}], "{{ answer }}"),
        (["A1"], [_ROW], [{"order": "A1"}], "{{ answer['id'] }}"),
        ([[_ROW], []], [{"rows": [_ROW]}, {"rows": []}], [{}, {}], "{{ answer['rows'] }}"),
        ([1, 0], [{"rows": [_ROW]}, {"rows": []}], [{}, {}], "{{ answer.rows | length }}"),
        (["x", "y"], [{}, {}], [{"n": "x"}, {"n": "y"}], "{{ arguments['n'] }}"),
        ([{"order": _ROW, "ok": True}], [_ROW], [{}], {"order": "{{ answer }}", "ok": True}),
        (["Sent to ann@example.com.", "Sent to bo@example.com."], [{}, {}],
         [{"to": "ann@example.com"}, {"to": "bo@example.com"}], "Sent to {{ arguments['to'] }}."),
        (["From Bonn to Bonner Platz"], [{}], [{"a": "Bonn", "b": "Bonner Platz"}],
         "From {{ arguments['a'] }} to {{ arguments['b'] }}"),
        (["done", "done"], [{}, {}], [{}, {}], "done"),
        (["Order A17 is done"], [{}], [{"order": "A17"}],
         "Order {{ arguments['order'] }} is done"),
        ([7, 7], [{}, {}], [{}, {}], 7),
        ([True, True], [{"n": 1}, {"n": 1}], [{}, {}], True),
    ],
)  # fmt: skip
def test_results_are_said_by_what_they_follow_from(
    results: list[Any], answers: list[Any], arguments: list[Any], made: Any
) -> None:
    assert result_template(results, answers, arguments) == (made,)


@pytest.mark.parametrize(
    ("results", "arguments"),
    [
        (["done", "failed"], [{}, {}]),
        ([{"a": 1}, {"b": 1}], [{}, {}]),
        ([{"code": "X7"}, {"code": "Y8"}], [{}, {}]),
        (["{{ x }}"], [{}]),
        ([7], [{}]),
        (["Seat 12A"], [{}]),
        ([1, True], [{}, {}]),
        ([["{{ x }}"]], [{}]),
    ],
)
def test_what_follows_from_nothing_has_no_template(
    results: list[Any], arguments: list[Any]
) -> None:
    assert result_template(results, [{}] * len(results), arguments) is None
