"""Keeps agents from live Google hosts that their environment would lead them to."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from harness.errors import HarnessError

_LIVE_HOST = re.compile(r"(^|\.)(googleapis\.com|accounts\.google\.com|google\.internal)$")


def live_endpoints(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The variables of an environment that lead to a live Google host.

    >>> live_endpoints({"GOOGLE_API_BASE_URL": "https://admin.googleapis.com", "HOME": "/root"})
    ('GOOGLE_API_BASE_URL',)
    """
    return tuple(sorted(name for name, value in environment.items() if _is_live(value)))


def refuse_live(environment: Mapping[str, str]) -> None:
    """Refuse an agent environment that leads to live Google hosts.

    Raises:
        HarnessError: It does; the names are given, the values are not.
    """
    live = live_endpoints(environment)
    if live:
        raise HarnessError(
            f"the agent would reach live Google hosts: {', '.join(live)}",
            hint="point them to the mock server, unset them, or say --live",
        )


def _is_live(value: str) -> bool:
    if "://" not in value:
        return False
    try:
        host = urlsplit(value.strip()).hostname
    except ValueError:
        return False
    return host is not None and _LIVE_HOST.search(host) is not None
