import pytest

from mockserver.apis.resourcemanager.methods import search
from mockserver.googleapi import ApiError
from tests.mockserver.apis.resourcemanager.conftest import RAW


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["shop-prod", "shop-dev", "data"]),
        ('projectId:shop* OR displayName:"shop*"', ["shop-prod", "shop-dev"]),
        ("name:HOWL", ["shop-dev"]),
        ("NAME:h*l", ["shop-dev"]),
        ("name:how", []),
        ("labels.env:*", ["shop-prod"]),
        ("labels.env:prod projectId:data", ["shop-prod", "data"]),
        ("labels.env:prod AND projectId:data", []),
        ("labels:prod", ["shop-prod"]),
        ("labels.none:*", []),
        ("parent:folders/10", ["shop-prod", "shop-dev"]),
        ("parent.type:folder AND parent.id:10", ["shop-prod", "shop-dev"]),
        ("NOT lifecycleState:ACTIVE", ["shop-prod", "shop-dev", "data"]),
        ("id=data", ["data"]),
        ("howl", ["shop-dev"]),
        ("projectId:(data OR shop-dev)", ["shop-dev", "data"]),
    ],
    ids=str,
)
def test_projects_that_meet_a_search(text: str, found: list[str]) -> None:
    assert [row["projectId"] for row in search(RAW["projects"], text)] == found


@pytest.mark.parametrize("text", ["colour:red", "projectId>1", "(name:a", "f(x)"])
def test_what_is_no_search_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as caught:
        search(RAW["projects"], text)
    assert (caught.value.status, caught.value.location) == (400, "query")
