import pytest

from mockserver.apis.generic.plans import (
    custom_verb,
    fill,
    is_named,
    meets,
    path_of_link,
    placeholders,
    template_of,
)
from tests.discoverydocs import method


@pytest.mark.parametrize(
    ("key", "method_id", "template", "verb"),
    [
        ("drive:v3", "drive.files.get", "files/{fileId}", ""),
        ("compute:v1", "compute.instances.list", "projects/{project}/zones/{zone}/instances", ""),
        ("pubsub:v1", "pubsub.projects.topics.publish", "{+topic}", "publish"),
        ("run:v2", "run.projects.locations.services.list", "{+parent}/services", ""),
        ("youtube:v3", "youtube.videos.list", "videos", ""),
    ],
)
def test_a_template_is_the_path_below_the_version(
    key: str, method_id: str, template: str, verb: str
) -> None:
    found = method(key, method_id)
    assert (template_of(found), custom_verb(found)) == (template, verb)


def test_a_template_is_filled_and_what_is_not_known_is_a_dash() -> None:
    assert fill("b/{bucket}/o/{object}", {"object": "a/b"}) == "b/-/o/a%2Fb"
    assert fill("{+name}/keys", {"name": "projects/p"}) == "projects/p/keys"
    assert placeholders("{+name}/x/{id}") == ("name", "id")
    assert is_named("{+name}")
    assert not is_named("x/{+name}")


@pytest.mark.parametrize("link", ["", "not a link", "https://example.com/none"])
def test_what_is_no_link_to_a_version_has_no_path(link: str) -> None:
    assert path_of_link(link) == ""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a/b", "a/b", True),
        ("a/-", "a/b", True),
        ("a/b", "-/b", True),
        ("a", "a/b", False),
        ("a/c", "a/b", False),
    ],
    ids=str,
)
def test_paths_meet_where_a_dash_is_anything(one: str, other: str, same: bool) -> None:
    assert meets(one, other) is same
