from harness.demo.sre.analysis import Hotspot, duration, hotspot, own_seconds


def span(id: int, parent: int, name: str, seconds: float, service: str = "s") -> dict[str, object]:
    labels = {"service.name": service} if service else {}
    return {"id": id, "parent": parent, "name": name, "seconds": seconds, "labels": labels}


SPANS = [
    span(1, 0, "/checkout", 10.0, "frontend"),
    span(2, 1, "place", 9.5),
    span(3, 2, "get", 8.0, "cart"),
]


def test_the_time_of_a_span_is_without_that_of_its_children() -> None:
    assert own_seconds(SPANS) == {1: 0.5, 2: 1.5, 3: 8.0}


def test_the_hotspot_is_where_most_of_the_time_goes() -> None:
    assert hotspot({"spans": SPANS}) == Hotspot("cart", "get", 0.8)
    assert duration({"spans": SPANS}) == 10.0


def test_traces_without_spans_or_time_have_little_to_tell() -> None:
    assert hotspot({"spans": []}) is None
    assert duration({"spans": []}) == 0.0
    assert hotspot({"spans": [span(1, 0, "x", 0.0, "")]}) == Hotspot("?", "x", 0.0)
