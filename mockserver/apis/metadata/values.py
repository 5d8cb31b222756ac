"""What a machine's metadata says: its project, itself, its service account."""

from mockserver.model import JsonObject
from mockserver.state import World, fixed_digits, home_project, robot_email

SCOPES = (
    "https://www.googleapis.com/auth/cloud-platform",
    "https://www.googleapis.com/auth/userinfo.email",
)
"""What the machine's service account may do, where a client asks for nothing narrower."""

LIVE = ("identity", "token")
"""What stands beside a service account's values and is made anew each time."""

_REGION = "us-central1"


def values(world: World) -> JsonObject:
    """Everything that does not change, by lowerCamel names as the recursive form has them."""
    project, number = home_project(world)
    account = _account(world)
    return {
        "instance": {
            "attributes": {},
            "description": "",
            "hostname": f"agent.{_REGION}-a.c.{project}.internal",
            "id": int(fixed_digits(project, 18)),
            "machineType": f"projects/{number}/machineTypes/e2-medium",
            "name": "agent",
            "region": f"projects/{number}/regions/{_REGION}",
            "serviceAccounts": {"default": account, robot_email(world): account},
            "tags": [],
            "zone": f"projects/{number}/zones/{_REGION}-a",
        },
        "project": {"attributes": {}, "numericProjectId": int(number), "projectId": project},
        "universe": {"universeDomain": "googleapis.com"},
    }


def service_account(world: World, name: str) -> JsonObject | None:
    """The machine's account, by its address or as `default`; None for any other."""
    return _account(world) if name in {"default", robot_email(world)} else None


def _account(world: World) -> JsonObject:
    return {"aliases": ["default"], "email": robot_email(world), "scopes": list(SCOPES)}
