"""The service account of a session: an address that names the session, in the tenant's project."""

from mockserver.model import JsonObject
from mockserver.state.ids import fixed_digits
from mockserver.state.projects import PROJECTS
from mockserver.state.tenant import customer
from mockserver.state.world import World

_NAME = "mock~"
_DOMAIN = ".iam.gserviceaccount.com"
_PREFIX = "projects/"


def service_account_email(world: World) -> str:
    """The address of the session's service account.

    It names the session, for some clients' assertions carry nothing else that could.
    """
    return f"{_NAME}{world.session}@{home_project(world)[0]}{_DOMAIN}"


def session_of_service_account(email: str) -> str | None:
    """The session whose service account has this address; None for accounts of others.

    >>> session_of_service_account("mock~s1@shop-prod.iam.gserviceaccount.com")
    's1'
    """
    name, at, domain = email.partition("@")
    if not at or not name.startswith(_NAME) or not domain.endswith(_DOMAIN):
        return None
    return name.removeprefix(_NAME)


def home_project(world: World) -> tuple[str, str]:
    """Id and number of the project that the session's service account lives in.

    The first project of the session, or one that is named after the customer's domain.
    """
    for row in world.table(PROJECTS).rows().values():
        number = str(row.get("name", "")).removeprefix(_PREFIX)
        project = str(row.get("projectId", ""))
        if project and number:
            return project, number
    project = _project_named_after(customer(world))
    return project, fixed_digits(project, 12)


def _project_named_after(found: JsonObject) -> str:
    domain = str(found.get("customerDomain") or "example.com")
    return domain.lower().replace(".", "-")
