"""Google's APIs as the agent uses them: pages followed, busy answers waited for, one error type."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import google_auth_httplib2
import httplib2
from google.oauth2.credentials import Credentials
from googleapiclient import discovery
from googleapiclient.errors import HttpError

JsonObject = dict[str, Any]
Request = Any
"""A request of google-api-python-client, which ships no types."""

TRIES = 4
FIRST_PAUSE_S = 0.1
TIMEOUT_S = 30
_BUSY = frozenset({429, 500, 502, 503, 504})
_BUSY_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"})


@dataclass(frozen=True)
class Access:
    """Where Google is, and as whom the agent asks.

    Attributes:
        endpoint: What stands before the API's host, `http://127.0.0.1:8765/s/a1`; empty for Google
            itself.
        token: An OAuth access token.
    """

    endpoint: str = ""
    token: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Access":
        """Read `GOOGLE_API_BASE_URL` and `GOOGLE_OAUTH_ACCESS_TOKEN`."""
        return cls(
            endpoint=environment.get("GOOGLE_API_BASE_URL", "").rstrip("/"),
            token=environment.get("GOOGLE_OAUTH_ACCESS_TOKEN", ""),
        )


class GoogleError(Exception):
    """Google refused a request.

    Attributes:
        method: The method's id, `reports.activities.list`.
        status: The HTTP status.
        reason: Google's reason (`notFound`, `UNAUTHENTICATED`), or an empty string.
        message: Google's message.
    """

    def __init__(self, method: str, status: int, reason: str, message: str) -> None:
        super().__init__(f"{method} answered {status}: {message}")
        self.method = method
        self.status = status
        self.reason = reason
        self.message = message

    @property
    def busy(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in _BUSY or self.reason in _BUSY_REASONS


class Google:
    """The APIs of one customer, as one account; for one thread.

    Attributes:
        notices: What went wrong on the way to an answer: one sentence for each request that was
            repeated.
        token: The access token it asks with.
    """

    def __init__(
        self,
        access: Access,
        *,
        follow_pages: bool = True,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.notices: list[str] = []
        self.token = access.token
        self._endpoint = access.endpoint
        self._follow_pages = follow_pages
        self._pause = pause
        # A rejected token cannot be renewed from here: let the 401 through.
        self._http = google_auth_httplib2.AuthorizedHttp(
            Credentials(access.token),  # type: ignore[no-untyped-call]
            http=httplib2.Http(timeout=TIMEOUT_S),
            refresh_status_codes=(),
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def directory(self) -> Any:
        """Admin SDK, Directory."""
        return self._service("admin", "directory_v1", "admin.googleapis.com")

    def reports(self) -> Any:
        """Admin SDK, Reports."""
        return self._service("admin", "reports_v1", "admin.googleapis.com")

    def policy(self) -> Any:
        """Chrome Policy."""
        return self._service("chromepolicy", "v1", "chromepolicy.googleapis.com")

    def management(self) -> Any:
        """Chrome Management."""
        return self._service("chromemanagement", "v1", "chromemanagement.googleapis.com")

    def identity(self, version: str = "v1") -> Any:
        """Cloud Identity."""
        return self._service("cloudidentity", version, "cloudidentity.googleapis.com")

    def oauth(self) -> Any:
        """OAuth 2.0."""
        return self._service("oauth2", "v2", "www.googleapis.com")

    def _service(self, name: str, version: str, host: str) -> Any:
        base = f"{self._endpoint}/{host}/" if self._endpoint else f"https://{host}/"
        return _service(name, version, base)

    def ask(self, request: Request, *, wait_until_there: bool = False) -> JsonObject:
        """Send a request; busy answers are waited for, a few times.

        Args:
            request: What to send.
            wait_until_there: Also wait for what is not there yet: changes take a while to reach all
                of Google.

        Raises:
            GoogleError: Google refused it for good.
        """
        failures: list[GoogleError] = []
        while True:
            try:
                answer = self._once(request)
            except GoogleError as error:
                failures.append(error)
                again = error.busy or (wait_until_there and error.status == 404)
                if not again or len(failures) == TRIES:
                    raise
                self._pause(FIRST_PAUSE_S * 2 ** (len(failures) - 1))
                continue
            if failures:
                self.notices.append(_notice(failures))
            return answer

    def _once(self, request: Request) -> JsonObject:
        try:
            return dict(request.execute(http=self._http) or {})
        except HttpError as error:
            raise _translated(request.methodId, error) from error

    def pages(self, request_for: Callable[[str | None], Request], items: str) -> list[JsonObject]:
        """Everything a list holds.

        Args:
            request_for: Makes the request for a page token; None for the first page.
            items: The field that holds a page's items.

        Raises:
            GoogleError: Google refused a page.
        """
        found: list[JsonObject] = []
        token: str | None = None
        while True:
            page = self.ask(request_for(token))
            found += page.get(items, [])
            token = page.get("nextPageToken")
            if not token or not self._follow_pages:
                return found


@lru_cache(maxsize=32)
def _service(name: str, version: str, base: str) -> Any:
    """A client of one API; all threads share it, each with a connection of its own."""
    return discovery.build(
        name,
        version,
        http=httplib2.Http(),
        static_discovery=True,
        client_options={"api_endpoint": base},
    )


def _translated(method: str, error: HttpError) -> GoogleError:
    status = int(error.resp.status)
    try:
        answer = json.loads(error.content)
        body = answer["error"]
    except (ValueError, KeyError, TypeError):
        return GoogleError(method, status, "", str(error.resp.reason))
    if isinstance(body, str):
        return GoogleError(method, status, body, str(answer.get("error_description", body)))
    details = body.get("errors") or [{}]
    reason = str(details[0].get("reason") or body.get("status") or "")
    return GoogleError(method, status, reason, str(body.get("message", "")))


def _notice(failures: list[GoogleError]) -> str:
    last = failures[-1]
    times = "once" if len(failures) == 1 else f"{len(failures)} times"
    return (
        f"{last.method} answered {last.status} {times} before it succeeded: {last.message}".strip()
    )
