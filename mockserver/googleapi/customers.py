"""Customer names in the requests of the newer APIs."""

from mockserver.googleapi.errors import permission_denied
from mockserver.state import World, customer_id, is_customer


def own_customer(world: World, name: str) -> str:
    """The session's customer as a resource name, when that is what a request names.

    Args:
        world: The session's world.
        name: `customers/my_customer` or `customers/C...`.

    Returns:
        `customers/C...`; the alias is never in an answer.

    Raises:
        ApiError: 403; another customer. Not verified against the live API.
    """
    if not is_customer(world, name.removeprefix("customers/")):
        raise permission_denied()
    return f"customers/{customer_id(world)}"
