from mockserver.apis.apphub.capture import CAPTURES


def test_a_list_names_the_field_that_its_resources_are_in() -> None:
    [capture] = CAPTURES["apphub.projects.locations.applications.services.list"]
    assert (capture.collection, capture.items) == ("apphubServices", "services")
    assert CAPTURES["apphub.projects.locations.applications.services.get"][0].items == ""
