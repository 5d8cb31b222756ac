from mockserver.apis.monitoring.prometheus import PROMETHEUS_HANDLERS
from mockserver.apis.monitoring.prometheus_document import PROMETHEUS
from mockserver.googleapi import Catalog, Match, bind_body, bind_parameters, parse_document

HOST = "monitoring.googleapis.com"
PATH = "/v1/projects/shop/location/global/prometheus/api/v1/"


def matched(verb: str, path: str) -> Match:
    catalog = Catalog(preferred=[("monitoring", "v1")], supplements=[PROMETHEUS])
    router = catalog.router(HOST)
    assert router is not None
    match = router.match(verb, PATH + path)
    assert match is not None
    assert catalog.match_anywhere(verb, PATH + path) == match
    return match


def test_every_route_has_a_handler() -> None:
    document = parse_document(PROMETHEUS)
    assert set(document.methods) == {
        name for name in PROMETHEUS_HANDLERS if not name.endswith("exemplars")
    }


def test_routes_go_before_those_of_discovery_and_take_match() -> None:
    match = matched("GET", "label/a%2Fb/values")
    assert match.captures == {"name": "projects/shop", "location": "global", "label": "a/b"}
    query = "match%5B%5D=up&match[]=down"
    bound = bind_parameters(match.method, match.captures, query, "google", "one_platform")
    assert bound.params["match[]"] == ["up", "down"]


def test_a_query_may_be_asked_by_get_and_posted_as_json() -> None:
    assert matched("GET", "query_range").method.id.endswith("query_range.get")
    method = matched("POST", "query").method
    assert method.request == "QueryRequest"
    body, ignored = bind_body(method, {"query": "up", "time": "1"}, "google", "one_platform")
    assert (body, ignored) == ({"query": "up", "time": "1"}, ())


def test_what_the_document_lacks_is_left_to_discovery() -> None:
    assert matched("POST", "query_exemplars").method.version == "v1"
