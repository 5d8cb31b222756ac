from mockserver.apis.cloudasset.capture import whole_policy
from mockserver.model import Answered

METHOD = "cloudasset.searchAllIamPolicies"


def test_policies_that_a_query_narrowed_are_left_out() -> None:
    row = {"resource": "//r", "policy": {"bindings": []}}
    assert whole_policy(row, Answered(METHOD, {"scope": "projects/shop"}, {}, {})) == row
    assert whole_policy(row, Answered(METHOD, {"query": "policy:ann"}, {}, {})) is None
