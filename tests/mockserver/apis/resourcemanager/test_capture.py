from mockserver.apis.resourcemanager.capture import CAPTURES, node_as_version_3
from mockserver.model import AnsweredCall

ASKED = AnsweredCall("cloudresourcemanager.projects.list", {}, {}, {})


def test_resources_of_older_versions_are_left_out() -> None:
    assert node_as_version_3({"name": "projects/42", "projectId": "shop"}, ASKED) is not None
    assert node_as_version_3({"name": "Shop", "projectNumber": "42"}, ASKED) is None


def test_a_single_resource_is_the_whole_answer() -> None:
    assert CAPTURES["cloudresourcemanager.projects.get"][0].items == ""
    assert CAPTURES["cloudresourcemanager.projects.search"][0].items == "projects"
