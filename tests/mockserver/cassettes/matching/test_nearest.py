from mockserver.cassettes.matching import Canonical, Near, canonical, nearest
from mockserver.model import RecordedRequest

URL = "https://api.example.com/v1/users"


def get(url: str) -> Canonical:
    return canonical(RecordedRequest("GET", url))


def test_the_candidate_that_differs_least_is_nearest() -> None:
    candidates = [get("https://www.example.com/v1/users"), get(URL + "?a=1&b=2"), get(URL + "?a=2")]
    assert nearest(get(URL + "?a=1"), candidates) == Near(1, ("query.b",))


def test_another_path_is_further_away_than_other_fields() -> None:
    candidates = [get(URL + "/ann"), get(URL + "?a=1&b=2&c=3")]
    assert nearest(get(URL), candidates) == Near(1, ("query.a", "query.b", "query.c"))


def test_the_earlier_of_two_is_nearest() -> None:
    assert nearest(get(URL), [get(URL + "?a=1"), get(URL + "?b=1")]) == Near(0, ("query.a",))


def test_nothing_is_near_where_nothing_is() -> None:
    assert nearest(get(URL), []) is None
