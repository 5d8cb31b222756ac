from mockserver.apis.directory.groups import dissolve, key_of, leave_all, renamed
from mockserver.state import World, groups_with, members_of


def test_an_account_leaves_all_its_groups(tenant: World) -> None:
    leave_all(tenant, "1dee")
    assert groups_with(tenant, "1dee") == ()
    assert [member["email"] for member in members_of(tenant, "01all")] == ["sre@example.com"]


def test_a_dissolved_group_has_no_members_and_is_in_no_group(tenant: World) -> None:
    dissolve(tenant, "01sre")
    assert members_of(tenant, "01sre") == ()
    assert groups_with(tenant, "01sre") == ()
    assert groups_with(tenant, "1ann") == ()


def test_a_new_address_is_in_every_membership(tenant: World) -> None:
    renamed(tenant, "1ann", "anna@example.com")
    row = tenant.table("members").rows()[key_of("01sre", "1ann")]
    assert row["member"]["email"] == "anna@example.com"
