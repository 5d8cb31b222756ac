from mockserver.googleapi import nearest


def test_the_most_similar_name_is_nearest() -> None:
    assert nearest("policies/akcard", ["policies/akcards", "policies/zz"]) == "policies/akcards"


def test_nothing_similar_is_no_name() -> None:
    assert nearest("policies/a", ["users"]) == ""
