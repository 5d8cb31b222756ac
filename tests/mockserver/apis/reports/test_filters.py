import pytest

from mockserver.apis.reports.filters import (
    Condition,
    detail_tests,
    meets_conditions,
    parse_conditions,
    people_tests,
)
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World

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
    assert meets_conditions(EVENT, parse_conditions(text)) is found


def test_an_event_without_parameters_meets_nothing_but_nothing() -> None:
    assert meets_conditions({"name": "e"}, ())
    assert not meets_conditions({"name": "e"}, parse_conditions("a==1"))


ROW: JsonObject = {
    "actor": {
        "applicationInfo": {"oauthClientId": "c1"},
        "agentAttributionInfo": {"agentId": "a1", "agentName": "Helper"},
    },
    "networkInfo": {"regionCode": "DE"},
    "userDeviceInfo": {"deviceId": "123", "deviceType": "ANDROID"},
    "events": [{"status": {"httpStatusCode": 200}}, {"status": {"httpStatusCode": 404}}],
    "resourceDetails": [{"id": "r1", "appliedLabels": [{"id": "l1"}, {"id": "l2"}]}],
}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("applicationInfoFilter", 'oAuthClientId="c1"', True),
        ("networkInfoFilter", 'regionCode="IN"', False),
        ("networkInfoFilter", 'regionCode!="IN"', True),
        ("statusFilter", "statusCode=404", True),
        ("deviceFilter", 'deviceType="ANDROID" AND deviceId="123"', True),
        ("deviceFilter", 'deviceOsVersion="14.0"', False),
        ("agentInfoFilter", 'agentId="a1" AND agentName="Other"', False),
        (
            "resourceDetailsFilter",
            'resourceDetails.id = "r1" AND resourceDetails.appliedLabels.id: "l2"',
            True,
        ),
        ("resourceDetailsFilter", 'resourceDetails.kind="x"', False),
    ],
)
def test_details_choose_activities(name: str, text: str, found: bool) -> None:
    assert all(test(ROW) for test in detail_tests({name: text})) is found


def test_without_filters_there_is_nothing_to_test() -> None:
    assert list(detail_tests({})) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("networkInfoFilter", "Germany"),
        ("networkInfoFilter", 'planet="Mars"'),
        ("networkInfoFilter", 'regionCode:"DE"'),
        ("resourceDetailsFilter", 'id="r1"'),
        ("resourceDetailsFilter", " AND ".join(['resourceDetails.id="r1"'] * 6)),
    ],
    ids=["no clause", "field", "operator", "root", "six"],
)
def test_what_is_no_filter_is_refused(name: str, text: str) -> None:
    with pytest.raises(ApiError) as caught:
        list(detail_tests({name: text}))
    assert caught.value.location == name


BY_ANN: JsonObject = {"actor": {"email": "Ann@example.com"}, "ipAddress": "192.0.2.1"}
BY_ID: JsonObject = {"actor": {"profileId": "1ann"}}
BY_KEY: JsonObject = {"actor": {"callerType": "KEY", "key": "robot"}, "ipAddress": "unknown"}


def passed(tenant: World, row: JsonObject, **params: str) -> bool:
    return all(test(row) for test in people_tests(tenant, {"userKey": "all", **params}))


@pytest.mark.parametrize("key", ["ann@example.com", "1ann"])
def test_a_user_is_found_by_address_or_profile(tenant: World, key: str) -> None:
    assert passed(tenant, BY_ANN, userKey=key)
    assert passed(tenant, BY_ID, userKey=key)
    assert not passed(tenant, BY_KEY, userKey=key)


def test_who_acted_without_being_a_user_is_found_too(tenant: World) -> None:
    row = {"actor": {"email": "ghost@example.com"}}
    assert passed(tenant, row, userKey="GHOST@example.com")


def test_an_unknown_user_is_a_fixture_gap(tenant: World) -> None:
    with pytest.raises(ApiError) as caught:
        passed(tenant, BY_ANN, userKey="anne@example.com")
    assert caught.value.miss is not None
    assert caught.value.miss.nearest == "ann@example.com"


@pytest.mark.parametrize(
    ("unit", "found"),
    [("id:03ph8a2z1root", True), ("id:03ph8a2z1eng", True), ("id:03ph8a2z1sales", False)],
)
def test_a_unit_means_everyone_below_it(tenant: World, unit: str, found: bool) -> None:
    assert passed(tenant, BY_ANN, orgUnitID=unit) is found


def test_an_unknown_group_has_nobody(tenant: World) -> None:
    assert not passed(tenant, BY_ANN, groupIdFilter="id:nobody")
    assert passed(tenant, BY_ANN, groupIdFilter="id:01grp000000")


@pytest.mark.parametrize(
    ("row", "address", "found"),
    [(BY_ANN, "192.0.2.1", True), (BY_ANN, "192.0.2.2", False), (BY_KEY, "unknown", True)],
)
def test_addresses_are_compared(tenant: World, row: JsonObject, address: str, found: bool) -> None:
    assert passed(tenant, row, actorIpAddress=address) is found
