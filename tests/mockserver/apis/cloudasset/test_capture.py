from mockserver.apis.cloudasset.capture import keep_whole_policy
from mockserver.model import AnsweredCall

METHOD = "cloudasset.searchAllIamPolicies"


def test_policies_that_a_query_narrowed_are_left_out() -> None:
    row = {"resource": "//r", "policy": {"bindings": []}}
    assert keep_whole_policy(row, AnsweredCall(METHOD, {"scope": "projects/shop"}, {}, {})) == row
    assert keep_whole_policy(row, AnsweredCall(METHOD, {"query": "policy:ann"}, {}, {})) is None
