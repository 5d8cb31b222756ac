from mockserver.apis.container.capture import CAPTURES


def test_clusters_are_told_by_their_links_for_names_are_of_one_location() -> None:
    assert {captures[0].identity for captures in CAPTURES.values()} == {("selfLink",)}
