import json

import pytest

from mockserver.cassettes.matching import READING_POSTS, canonical, effect_of, is_related
from mockserver.model import RecordedRequest

HOST = "api.example.com"


def post(path: str, body: bytes = b"", content_type: str = "application/json") -> RecordedRequest:
    return RecordedRequest("POST", f"https://{HOST}{path}", (("Content-Type", content_type),), body)


@pytest.mark.parametrize(
    ("path", "reads"),
    [
        ("/v1/customers/C0/policies:resolve", True),
        ("/v1/customers/C0/policies/orgunits:batchModify", False),
        ("/v2/entries:list", True),
        ("/v2/entries:tail", True),
        ("/v2/entries:write", False),
        ("/v1beta1/projects/p/events:report", False),
        ("/v1/projects/p:testIamPermissions", True),
        ("/v1/projects/p:getIamPolicy", True),
        ("/v1/projects/p:setIamPolicy", False),
        ("/v1/models/m:streamGenerateContent", True),
        ("/token", True),
        ("/oauth2/v4/token", True),
        ("/v1/projects/-/serviceAccounts/a:generateAccessToken", True),
        ("/index/_search", True),
        ("/index/_doc", False),
        ("/v1/projects/p/location/global/prometheus/api/v1/query_range", True),
        ("/v1/chat/completions", True),
        ("/v1/messages", True),
        ("/gmail/v1/users/me/messages", False),
        ("/v1/users", False),
        ("/pkg.v1.Users/GetUser", True),
        ("/pkg.v1.Users/CreateUser", False),
    ],
)
def test_a_post_reads_or_writes(path: str, reads: bool) -> None:
    assert effect_of(canonical(post(path))).reads == reads


@pytest.mark.parametrize(
    ("method", "reads"),
    [("GET", True), ("HEAD", True), ("PUT", False), ("PATCH", False), ("DELETE", False)],
)
def test_a_method_reads_or_writes(method: str, reads: bool) -> None:
    assert effect_of(canonical(RecordedRequest(method, f"https://{HOST}/a"))).reads == reads


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("/v1/users/ann", ("v1", "users", "ann")),
        ("/v1/users/", ("v1", "users")),
        ("/users/", ("users",)),
        ("/upload", ("upload",)),
        ("/v1/policies:resolve", ("v1", "policies")),
        ("/v1/orgunits/id:03ph8a2z", ("v1", "orgunits", "id:03ph8a2z")),
        ("/upload/drive/v3/files", ("drive", "v3", "files")),
        ("/resumable/upload/v3/files", ("v3", "files")),
        ("/pkg.v1.Users/GetUser", ("pkg.v1.Users",)),
        ("/a%2Fb/c", ("a/b", "c")),
        ("/", ("",)),
    ],
)
def test_a_request_is_about_a_resource(path: str, scope: tuple[str, ...]) -> None:
    assert effect_of(canonical(post(path))).scopes == ((HOST, *scope),)


@pytest.mark.parametrize(
    ("path", "query", "reads"),
    [
        ("/graphql", "query { users { id } }", True),
        ("/api/graphql", "{ users { id } }", True),
        ("/graphql", "mutation { drop }", False),
        ("/graphql", "fragment F on U { id } mutation M { drop }", False),
        ("/other", "{ users }", False),
        ("/graphql", 7, False),
    ],
)
def test_a_graph_is_asked_or_changed(path: str, query: object, reads: bool) -> None:
    body = json.dumps({"query": query}).encode()
    assert effect_of(canonical(post(path, body))).reads == reads
    assert not effect_of(canonical(post("/graphql", b"[]"))).reads


def batch(*lines: str) -> RecordedRequest:
    part = "--b\r\nContent-Type: application/http\r\n\r\n{} HTTP/1.1\r\n\r\n\r\n"
    body = "".join(part.format(line) for line in lines) + "--b--"
    return post("/batch", body.encode(), "multipart/mixed; boundary=b")


def test_a_batch_does_what_the_requests_in_it_do() -> None:
    reading = effect_of(canonical(batch("GET /v1/users/ann", "GET /v1/users/bob")))
    assert reading.reads
    assert [scope[-1] for scope in reading.scopes] == ["ann", "bob"]
    writing = effect_of(canonical(batch("GET /v1/users/ann", "DELETE /v1/users/bob")))
    assert not writing.reads
    assert writing.scopes == ((HOST, "v1", "users", "bob"),)


@pytest.mark.parametrize(
    ("written", "read", "related"),
    [
        ("/users/ann", "/users/ann", True),
        ("/users/ann", "/users", True),
        ("/users/ann", "/users/ann/aliases", True),
        ("/users", "/users/ann", True),
        ("/users/ann", "/users/bob", False),
        ("/users/ann", "/groups", False),
        ("/groups/g/members/ann", "/groups/g", False),
        ("/groups/g/members", "/groups/g", True),
    ],
)
def test_a_write_touches_its_resource_all_below_and_its_collection(
    written: str, read: str, related: bool
) -> None:
    scopes = [tuple(path.split("/")) for path in (written, read)]
    assert is_related(*scopes) == related


def test_every_row_of_posts_that_read_says_whose_it_is() -> None:
    assert all(pattern and whose for pattern, whose in READING_POSTS)
