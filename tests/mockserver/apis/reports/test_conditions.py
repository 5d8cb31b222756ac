import pytest

from mockserver.apis.reports.filters import Condition, meets, parse_conditions
from mockserver.googleapi import ApiError

EVENT = {
    "name": "e",
    "parameters": [
        {"name": "count", "intValue": "10"},
        {"name": "ok", "boolValue": False},
        {"name": "who", "value": "Ann, Bo"},
        {"name": "ids", "multiIntValue": ["1", "2"]},
        {"name": "nested", "messageValue": {}},
    ],
}


def test_conditions_are_split_where_the_next_one_begins() -> None:
    assert parse_conditions("who==Ann, Bo,count<>3") == (
        Condition("who", "==", "Ann, Bo"),
        Condition("count", "<>", "3"),
    )


def test_of_two_on_one_parameter_the_last_counts() -> None:
    assert parse_conditions("a==1,a==2") == (Condition("a", "==", "2"),)


@pytest.mark.parametrize("text", ["a", "==1", "a=1", "a==1,b"])
def test_what_has_no_operator_is_refused(text: str) -> None:
    if text == "a==1,b":
        assert parse_conditions(text)[0].value == "1,b"
        return
    with pytest.raises(ApiError, match="no relational operator"):
        parse_conditions(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("count==10", True),
        ("count>9", True),
        ("count<9", False),
        ("count<>9", True),
        ("ok==false", True),
        ("ok<>false", False),
        ("who==Ann, Bo", True),
        ("who>=Ann", True),
        ("ids<=1", True),
        ("ids==3", False),
        ("nested==x", False),
        ("missing<>x", False),
        ("count==10,ok==true", False),
    ],
)
def test_conditions_hold_for_parameters_that_are_there(text: str, found: bool) -> None:
    assert meets(EVENT, parse_conditions(text)) is found


def test_an_event_without_parameters_meets_nothing_but_nothing() -> None:
    assert meets({"name": "e"}, ())
    assert not meets({"name": "e"}, parse_conditions("a==1"))
