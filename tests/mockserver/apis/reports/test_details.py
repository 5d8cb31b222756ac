import pytest

from mockserver.apis.reports.filters import detail_tests
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject

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
