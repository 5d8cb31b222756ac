"""Requests to a server in this process, and their answers."""

from typing import Any, Self

import httpx

from mockserver.testing import EmulatorTransport


class Asker:
    """Asks one session over HTTP and expects a status.

    Args:
        base: What the URLs of requests begin with.
        transport: The session; a new one of an empty world when None.
    """

    def __init__(self, base: str = "", transport: EmulatorTransport | None = None) -> None:
        self.http = httpx.Client(transport=transport or EmulatorTransport(), base_url=base)
        self.http.headers["Authorization"] = "Bearer t"

    def __call__(self, verb: str, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.http.request(verb, path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
