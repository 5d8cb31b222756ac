from mockserver.apis.logging.capture import CAPTURES


def test_buckets_of_projects_folders_and_organizations_are_one_collection() -> None:
    names = {
        captures[0].collection for name, captures in CAPTURES.items() if name.endswith("views.list")
    }
    assert names == {"logViews"}
    assert "logging.organizations.locations.buckets.list" in CAPTURES
