"""What the agents here have as a function: a request to the Admin SDK of Google."""

import json
import os
from urllib.request import Request, urlopen

INSTRUCTIONS = "You look after accounts. Log what you change."


def suspend_user(email: str) -> str:
    """Suspend an account.

    Args:
        email: Its address.
    """
    request = Request(
        f"{os.environ['GOOGLE_API_BASE_URL']}/admin/directory/v1/users/{email}",
        json.dumps({"suspended": True}).encode(),
        {
            "Authorization": f"Bearer {os.environ['GOOGLE_OAUTH_ACCESS_TOKEN']}",
            "Content-Type": "application/json",
        },
        method="PATCH",
    )
    with urlopen(request) as answer:
        return str(answer.read().decode())
