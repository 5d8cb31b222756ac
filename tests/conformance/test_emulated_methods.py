"""Every method that is said to be emulated keeps the promises of its Discovery document."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings

from mockserver.googleapi import Method
from tests.conformance.compute import MEMBERS
from tests.conformance.emulated import METHODS, Answer, Asked, Emulation
from tests.conformance.generation import Requests
from tests.conformance.schemas import faults

ELSEWHERE: Mapping[str, str] = {
    **MEMBERS,
    "compute.*Operations.wait": "operations are named by the calls that start them",
    "admin.channels.stop": "channels are named by the calls that open them",
    "*.operations.*": "operations are named by the calls that start them",
    "chat.media.upload": "it needs what is uploaded",
    "gmail.users.watch": "it needs a topic that is there",
    "drive.about.get": "it needs `fields`, which is a parameter of all methods",
    "people.people.updateContact": "it needs the etag that a read tells",
    "reports.entityUsageReports.get": "no day of the suite has reports of such entities",
    "firestore.projects.databases.documents.executePipeline": "databases are of no edition with it",
    "bigquerystorage.projects.readRows": "streams are named by the session that has them",
    "bigquerystorage.projects.splitReadStream": "the same",
    "firestore.projects.databases.documents.rollback": "transactions are named by what begins them",
    "storage.objects.compose": "no fixture holds a content, and none is uploaded before",
    "storage.objects.copy": "the same",
    "storage.objects.move": "the same",
    "storage.objects.rewrite": "the same",
    "storage.objects.restore": "the same",
    "cloudkms.*.asymmetricDecrypt": "its ciphertexts are made with a key of this process",
    "sheets.spreadsheets.getByDataFilter": "its data filters name what a spreadsheet has",
    "sheets.spreadsheets.developerMetadata.*": "metadata are made by requests of `batchUpdate`",
    "sheets.spreadsheets.sheets.copyTo": "its target is another spreadsheet",
    "*.prometheus.api.v1.series": "its document has no field for `match[]`",
    "logging.locations.*": "its paths are those of projects, folders and others",
    "logging.logs.*": "its paths are those of projects, folders and others",
}
"""Methods that no prepared request can reach, and why."""

FEW, MANY = 5, 100
"""Requests that a method is asked; where all of the few are refused many, until one is answered."""

HEALTH = list(HealthCheck)
PAGES = frozenset({"oauth2.accounts.auth", "oauth2.accounts.v2.auth", "oauth2.accounts.device"})
"""Methods that answer people, in HTML."""

UNDOCUMENTED: Mapping[str, frozenset[str]] = {
    "oauth2.tokeninfo": frozenset({"/access_type"}),
    "discovery.apis.getRest": frozenset({"/fullyEncodeReservedExpansion", "/mtlsRootUrl"}),
}
"""Fields that the live API sends and its own document leaves out."""


@pytest.fixture(scope="module")
def emulation(tmp_path_factory: pytest.TempPathFactory) -> Emulation:
    return Emulation(tmp_path_factory.mktemp("conformance") / "suite")


@pytest.fixture(scope="module")
def requests(emulation: Emulation) -> Requests:
    with emulation.world() as world:
        return Requests(world.strings(), world.rows())


@pytest.mark.parametrize("name", [name for name in METHODS if METHODS[name].id not in PAGES])
def test_answers_are_what_the_document_says(
    name: str, emulation: Emulation, requests: Requests
) -> None:
    method = METHODS[name]
    answered: list[str] = []

    def held(asked: Asked) -> None:
        if examples == MANY and answered:
            return
        with emulation.world() as world:
            answer = world.ask(asked)
        assert answer.status < 500, answer.content.decode()
        if answer.status < 400:
            answered.append(answer.method.id)
            assert list(_wrong(answer)) == []
        else:
            assert "error" in answer.body

    reachable = not any(fnmatchcase(method.id, glob) for glob in ELSEWHERE)
    for examples in (FEW, MANY) if reachable else (FEW,):
        if method.id not in answered:
            enough = settings(max_examples=examples, database=None, suppress_health_check=HEALTH)
            enough(given(requests.of(method))(held))()
    # what is only ever refused is not emulated
    assert method.id in answered or not reachable


def _wrong(answer: Answer) -> Any:
    method = answer.method
    if method.response is None:
        return
    schema = method.document.schemas[method.response]
    known = UNDOCUMENTED.get(method.id, frozenset())
    bodies = answer.body if isinstance(answer.body, list) else [answer.body]
    for fault in (each for body in bodies for each in faults(method.document, schema, body)):
        if fault.partition(":")[0] not in known:
            yield fault


def listing(method: Method) -> str:
    """The field of its answer that a method pages through, or an empty string."""
    if method.response is None or "pageToken" not in _settings(method):
        return ""
    properties = method.document.schemas[method.response].get("properties", {})
    lists: list[str] = [name for name, each in properties.items() if each.get("type") == "array"]
    if "nextPageToken" not in properties or not lists:
        return ""
    beside = {"unreachable", "executionErrors", "warnings", "defaultReminders"}
    return min(lists, key=lambda name: name in beside)


def _settings(method: Method) -> set[str]:
    schema = method.document.schemas.get(method.request or "", {})
    return {*method.parameters, *schema.get("properties", {})}


LISTS = {name: listing(method) for name, method in METHODS.items() if listing(method)}


@pytest.mark.parametrize("name", LISTS)
def test_pages_joined_are_the_whole_list(
    name: str, emulation: Emulation, requests: Requests
) -> None:
    method, field = METHODS[name], LISTS[name]

    @settings(max_examples=3, database=None, suppress_health_check=HEALTH)
    @given(requests.of(method))
    def held(asked: Asked) -> None:
        with emulation.world() as world:
            whole = _page(world, asked, 1000)
            if whole is None:
                return
            joined, token = [], ""
            for _ in range(200):
                page = _page(world, asked, max(1, _size(whole.get(field, ())) // 4), token)
                assert page is not None
                joined += page.get(field, [])
                token = page.get("nextPageToken", "")
                if not token:
                    break
        if "nextPageToken" not in whole:
            assert _digest(joined) == _digest(whole.get(field, []))

    held()


def _digest(items: list[Any]) -> tuple[int, str]:
    """Short enough to be shown; a time series may go on on the next page."""
    joined: list[Any] = []
    for item in items:
        last = joined[-1] if joined else {}
        if isinstance(item, dict) and "points" in item and _but_points(last) == _but_points(item):
            joined[-1] = {**last, "points": [*last["points"], *item["points"]]}
        else:
            joined.append(item)
    return len(joined), sha256(orjson.dumps(joined)).hexdigest()


def _size(items: Sequence[Any]) -> int:
    """How much a list is to its page size, which counts the points of time series."""
    return sum(len(item.get("points", "1")) if isinstance(item, dict) else 1 for item in items)


def _but_points(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != "points"}


def _page(world: Any, asked: Asked, size: int, token: str = "") -> Any:
    method = asked.method
    name = "maxResults" if "maxResults" in _settings(method) else "pageSize"
    more: dict[str, Any] = {"pageToken": token} if token else {}
    sized = name in _settings(method)
    more |= {name: size} if sized else {}
    params, body = dict(asked.params), dict(asked.body or {})
    (params if "pageToken" in method.parameters else body).update(more)
    answer = world.ask(Asked(method, params, body if method.request else None))
    if answer.status >= 400:
        assert not token, answer.content
        return None
    return answer.body
