from mockserver.apis.cloudidentity.capture import CAPTURES


def test_listed_and_single_policies_are_one_collection() -> None:
    names = {capture.collection for captures in CAPTURES.values() for capture in captures}
    assert names == {"identityPolicies"}
