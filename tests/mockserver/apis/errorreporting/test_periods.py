from datetime import timedelta

import pytest

from mockserver.apis.errorreporting.methods import asked, begin, service_test, since
from mockserver.apis.errorreporting.state import events_of
from mockserver.googleapi import ApiError, Call
from mockserver.model import Json
from mockserver.state import World
from tests.tenants import NOW


@pytest.mark.parametrize(
    ("period", "long"),
    [
        ("PERIOD_1_HOUR", timedelta(hours=1)),
        ("2", timedelta(hours=6)),
        ("", timedelta(days=30)),
        ("PERIOD_UNSPECIFIED", timedelta(days=30)),
    ],
    ids=repr,
)
def test_a_period_ends_now(shop: World, period: str, long: timedelta) -> None:
    assert begin(Call("m", {"timeRange.period": period}, {}, shop)) == NOW - long


def test_an_unknown_period_is_refused(shop: World) -> None:
    with pytest.raises(ApiError, match="Invalid period 'PERIOD_2_DAYS'"):
        begin(Call("m", {"timeRange.period": "PERIOD_2_DAYS"}, {}, shop))


@pytest.mark.parametrize(
    "params",
    [{"serviceFilter.service": "web"}, {"serviceFilter": {"service": "web", "version": "2"}}],
    ids=repr,
)
def test_a_service_is_asked_for_flat_or_nested(shop: World, params: dict[str, Json]) -> None:
    fits = service_test(Call("m", params, {}, shop))
    assert [fits(row) for row in events_of(shop, "shop")] == [True, False, False]
    assert asked(Call("m", params, {}, shop), "serviceFilter", "resourceType") == ""


def test_events_after_a_moment(shop: World) -> None:
    assert len(since(events_of(shop, "shop"), NOW - timedelta(minutes=45))) == 2
