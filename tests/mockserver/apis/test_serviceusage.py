"""Services of projects as a client of Service Usage meets them."""

from tests.mockserver.apis.asking import Asker

BASE = "https://serviceusage.googleapis.com/v1/"
OF = "projects/p/services"


def test_services_are_enabled_one_by_one_and_several_at_once() -> None:
    with Asker(BASE) as ask:
        assert ask("GET", f"{OF}/run.googleapis.com")["state"] == "DISABLED"
        several = ["run.googleapis.com", "storage.googleapis.com"]
        started = ask("POST", f"{OF}:batchEnable", {"serviceIds": several})
        done = ask("GET", started["name"])
        assert [each["state"] for each in done["response"]["services"]] == ["ENABLED"] * 2
        ask("POST", f"{OF}/run.googleapis.com:disable", {})
        names = "&".join(f"names={OF}/{each}" for each in (*several, "x.googleapis.com"))
        found = ask("GET", f"{OF}:batchGet?{names}")["services"]
        assert [each["state"] for each in found] == ["DISABLED", "ENABLED", "DISABLED"]
        ask("POST", f"{OF}:batchEnable", {}, 400)
        ask("GET", f"{OF}:batchGet", status=400)
        ask("GET", f"{OF}:batchGet?names=projects/o/services/x", status=400)
