"""What google-api-python-client sends its requests through: vcrpy hears each of them.

Each request has a vcrpy cassette of its own, whose persister hands what was heard on instead of
writing it: memory stays flat, and there is one road to disk.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

import httplib2
import vcr
from vcr.persisters.filesystem import CassetteNotFoundError
from vcr.stubs.httplib2_stubs import VCRHTTPConnectionWithTimeout, VCRHTTPSConnectionWithTimeout

from mockserver.messages import decode_body
from mockserver.model import Interaction, RecordedRequest, RecordedResponse

_TIMEOUT_S = 60.0


class CredentialSource(Protocol):
    """What puts credentials into requests, as google-auth's do."""

    def before_request(
        self, request: object, method: str, url: str, headers: dict[str, str]
    ) -> None:
        """Put them into the headers, and renew them where they are no longer good."""


class RecordingHttp:
    """Sends requests as `httplib2.Http` does, and keeps the last interaction until it is taken.

    Args:
        authority: Credentials.
        clock: Real time.
    """

    def __init__(self, authority: CredentialSource, clock: Callable[[], datetime]) -> None:
        from google_auth_httplib2 import Request

        self._authority = authority
        self._clock = clock
        self._http = httplib2.Http(timeout=_TIMEOUT_S)
        self._http.follow_redirects = False
        # renewed beside the recorder: what authorization servers say is nobody's fixture
        self._renewal = Request(httplib2.Http(timeout=_TIMEOUT_S))
        self._heard: list[Interaction] = []
        self._vcr = vcr.VCR(record_mode="all")
        self._vcr.register_persister(self)

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        **_: object,
    ) -> tuple[Any, bytes]:
        """Send one request, as `httplib2.Http.request`."""
        sent = dict(headers or {})
        self._authority.before_request(self._renewal, method, uri, sent)
        began, start = self._clock(), time.perf_counter()
        with self._vcr.use_cassette("heard", skip_patchers=_patcher_names()) as cassette:
            answer, content = self._http.request(
                uri, method, body, sent, connection_type=_connection(uri, cassette)
            )
            # a connection belongs to the cassette that it was made under
            self._http.close()
        self._set_times(began, (time.perf_counter() - start) * 1000)
        return answer, content

    def take(self) -> Interaction | None:
        """The interaction that was heard last, once; None when a request never was answered."""
        return self._heard.pop() if self._heard else None

    def _set_times(self, began: datetime, took_ms: float) -> None:
        from dataclasses import replace

        moment = began.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._heard = [
            replace(one, recorded_at=moment, duration_ms=round(took_ms, 1))
            for one in self._heard[-1:]
        ]

    def load_cassette(self, cassette_path: str, serializer: object) -> Self:
        """Part of vcrpy's persister: there is nothing to load.

        Raises:
            CassetteNotFoundError: Always.
        """
        del serializer
        raise CassetteNotFoundError(cassette_path)

    def save_cassette(
        self, cassette_path: str, cassette_dict: Mapping[str, Any], serializer: object
    ) -> None:
        """Part of vcrpy's persister: what was heard is kept, nothing is written."""
        del cassette_path, serializer
        pairs = zip(cassette_dict["requests"], cassette_dict["responses"], strict=True)
        self._heard = [_interaction(request, response) for request, response in pairs]


def _patcher_names() -> tuple[str, ...]:
    from vcr.patch import PATCHER_NAMES

    return tuple(PATCHER_NAMES)


def _interaction(request: Any, response: Mapping[str, Any]) -> Interaction:
    asked = tuple((str(name), _header_text(value)) for name, value in request.headers.items())
    told = tuple(
        (str(name), str(value)) for name, values in response["headers"].items() for value in values
    )
    headers, body, coding = decode_body(asked, _bytes(request.body))
    answered, content, content_coding = decode_body(told, _bytes(response["body"]["string"]))
    return Interaction(
        request=RecordedRequest(request.method, request.uri, headers, body, coding),
        response=RecordedResponse(
            status=response["status"]["code"],
            reason=str(response["status"]["message"] or ""),
            headers=answered,
            body=content,
            coding=content_coding,
        ),
    )


def _header_text(value: object) -> str:
    value = value[0] if isinstance(value, list | tuple) and value else value
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _bytes(body: str | bytes | None) -> bytes:
    return body.encode() if isinstance(body, str) else body or b""


def _connection(uri: str, cassette: object) -> type[httplib2.HTTPConnectionWithTimeout]:
    """A connection of vcrpy on a cassette, which also goes through the proxy of the environment.

    vcrpy's own forgets the proxy that httplib2 hands it.
    """
    scheme = urlsplit(uri).scheme
    base = VCRHTTPSConnectionWithTimeout if scheme == "https" else VCRHTTPConnectionWithTimeout

    def note_connection(self: Any, *arguments: Any, proxy_info: Any = None, **options: Any) -> None:
        base.__init__(self, *arguments, **options)
        self.real_connection.proxy_info = proxy_info(scheme) if callable(proxy_info) else proxy_info

    found: type[httplib2.HTTPConnectionWithTimeout] = type(
        base.__name__, (base,), {"__init__": note_connection, "cassette": cassette}
    )
    return found
