"""Services that answer one request, without a conversation: `service:http://localhost:9020`.

Each turn posts the case's `request` as it is; status and body of the answer are the reply, whatever
they are. What says that the service cannot work at all is nobody's review and no reply: no
connection, a refused token, a path that is not there, a gateway that gave up.
"""

from time import perf_counter
from urllib.parse import urlsplit

import httpx
import orjson
from typing_extensions import override

from harness.agents.addresses import checked_url
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
    well_formed,
)
from harness.agents.replies import decode_json, plain
from harness.agents.transport import (
    client_of,
    exchange_error,
    refuse_busy,
    refuse_flood,
    retries_for,
    session_headers,
    status_line,
)
from harness.model import Case, Json, Reply, ServiceStatus

DEFAULT_PATH = "/v1/review"
"""Where a service is asked whose URL names no path."""

DEFAULT_TOKEN = "demo-token"  # noqa: S105  (a documented default, no secret)

_REFUSED = frozenset({401, 403, 407})
_ELSEWHERE = frozenset({404, 405})


def service_url(text: str) -> str:
    """The URL that requests are posted to.

    Raises:
        HarnessError: It is none.

    >>> service_url("http://localhost:9020"), service_url("http://localhost:9020/check")
    ('http://localhost:9020/v1/review', 'http://localhost:9020/check')
    """
    url = checked_url(text, f"service:http://localhost:9020{DEFAULT_PATH}")
    bare = urlsplit(url).path in {"", "/"}
    return url.rstrip("/") + DEFAULT_PATH if bare else url


class ServiceAgent(AgentDriver):
    """Posts the case's request with a bearer token."""

    def __init__(self, url: str, options: DriverOptions) -> None:
        self._url = httpx.URL(url)
        self._options = options
        self._client = client_of(options)

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        if task.case.request is None:
            raise AgentFailedError(f"case {task.case.id} has no request to send to a service")
        body = orjson.dumps(task.case.request)
        prompt = task.prompts[0]

        async def attempt() -> None:
            transcript.replies.append(await self._ask(task, body, prompt))

        await retries_for(task, self._options).turn(transcript, 1, attempt)

    @override
    async def close(self) -> None:
        await self._client.aclose()

    def _headers(self, task: Task) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/json"}
        headers["authorization"] = f"Bearer {self._options.token or DEFAULT_TOKEN}"
        headers |= session_headers(task)
        return headers | {name.lower(): value for name, value in self._options.headers.items()}

    async def _ask(self, task: Task, body: bytes, prompt: str) -> Reply:
        start, content, answering = perf_counter(), bytearray(), False
        try:
            async with self._client.stream(
                "POST", self._url, content=body, headers=self._headers(task)
            ) as response:
                first_byte_ms, answering = (perf_counter() - start) * 1000, True
                async for chunk in response.aiter_bytes():
                    content += chunk
                    refuse_flood(len(content), self._options)
        except httpx.RequestError as error:
            raise exchange_error(error, str(self._url), answering=answering) from None
        text = content.decode(errors="replace")
        self._refuse_status(response, task.case, text)
        return Reply(
            turn=1,
            prompt=prompt,
            text=well_formed(text),
            http_status=response.status_code,
            data=_data(bytes(content)),
            duration_ms=(perf_counter() - start) * 1000,
            first_byte_ms=first_byte_ms,
        )

    def _refuse_status(self, response: httpx.Response, case: Case, text: str) -> None:
        """Raise for an answer that says nothing about the request, unless the case expects it."""
        status = response.status_code
        expected = _expected_error(case)
        if expected is not None and status // 100 == 4 and _is_meant(expected, status, text):
            return
        refuse_busy(response)
        lost = status in _ELSEWHERE and expected is None
        if status in _REFUSED or lost or response.has_redirect_location:
            raise AgentUnreachableError(
                f"{status_line(response)} (check the service's URL and --token)"
            )


def _expected_error(case: Case) -> ServiceStatus | None:
    return next(
        (
            item
            for item in case.expect
            if isinstance(item, ServiceStatus) and item.family == "client_error"
        ),
        None,
    )


def _is_meant(expected: ServiceStatus, status: int, text: str) -> bool:
    """Whether an error is the one that a case asks for, and not the way to the service."""
    return expected.code in text if expected.code else status not in _REFUSED


def _data(content: bytes) -> Json:
    """What the body holds as JSON; None where it is none, which the checks tell."""
    try:
        return plain(decode_json(content))
    except ValueError:
        return None
