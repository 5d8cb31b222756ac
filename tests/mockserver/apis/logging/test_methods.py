from mockserver.apis.logging.methods import HANDLERS


def test_logs_are_listed_and_deleted_under_every_owner() -> None:
    for owner in ("", "projects.", "folders.", "organizations.", "billingAccounts."):
        assert {f"logging.{owner}logs.list", f"logging.{owner}logs.delete"} <= HANDLERS.keys()
    assert "logging.projects.locations.buckets.views.logs.list" in HANDLERS
