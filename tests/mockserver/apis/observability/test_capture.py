from mockserver.apis.observability.capture import CAPTURES


def test_views_and_links_are_collections_of_their_own() -> None:
    names = [capture.collection for captures in CAPTURES.values() for capture in captures]
    assert len(names) == len(set(names)) == 6
