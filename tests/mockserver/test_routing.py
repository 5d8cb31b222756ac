"""Which method a request means: by host, by host in the path, by path alone."""

import pytest

from mockserver import routing as module
from mockserver.apis import APIS
from mockserver.googleapi import Api
from mockserver.routing import Route, Routes

ROUTES = Routes(APIS)
LIST = "/admin/directory/v1/customer/my_customer/orgunits"


def find(host: str, path: str, verb: str = "GET") -> Route:
    return ROUTES.find(host.encode(), verb, path.encode())


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("admin.googleapis.com", LIST),
        ("admin.googleapis.com:443", LIST),
        ("admin.mtls.googleapis.com", LIST),
        ("127.0.0.1:8765", "/admin.googleapis.com" + LIST),
        ("127.0.0.1:8765", LIST),
    ],
    ids=["host", "port", "mtls", "host in path", "path alone"],
)
def test_a_method_is_found_however_it_is_addressed(host: str, path: str) -> None:
    route = find(host, path)
    assert (route.method_id, route.host) == ("directory.orgunits.list", "admin.googleapis.com")
    assert route.captures == {"customerId": "my_customer"}
    assert (route.dialect, route.public) == ("legacy", False)
    assert route.handler is not None


def test_a_route_is_remembered() -> None:
    assert find("h", LIST) is find("h", LIST)


def test_a_very_long_path_is_not_remembered() -> None:
    path = f"{LIST}/{'x' * 600}"
    assert find("h", path) is not find("h", path)


def test_no_more_routes_are_remembered_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 2)
    routes = Routes(APIS, ROUTES.catalog)
    first = routes.find(b"h", "GET", b"/1")
    for path in (b"/2", b"/3"):
        routes.find(b"h", "GET", path)
    assert routes.find(b"h", "GET", b"/1") is not first


def test_the_version_of_the_document_is_known() -> None:
    assert find("cloudidentity.googleapis.com", "/v1beta1/policies").version == "v1beta1"


def test_a_resource_is_emulated_or_generic_and_never_half_of_each() -> None:
    drive = Api("drive", (("drive", "v3"),), {"drive.files.list": lambda _: {}})
    routes = Routes((drive,))
    emulated = routes.find(b"www.googleapis.com", "GET", b"/drive/v3/files/1a")
    assert (emulated.method_id, emulated.handler) == ("drive.files.get", None)
    for path in (b"/drive/v3/files/1a/comments", b"/drive/v3/files/1a/export"):
        assert routes.find(b"www.googleapis.com", "GET", path).handler is not None
    generic = find("admin.googleapis.com", "/admin/directory/v1/customer/c/devices/mobile")
    assert generic.method_id == "directory.mobiledevices.list"
    assert generic.handler is not None


@pytest.mark.parametrize(
    ("host", "path", "dialect"),
    [
        ("www.googleapis.com", "/drive/v3/files", "legacy"),
        ("compute.googleapis.com", "/compute/v1/projects/p/zones/z/instances", "legacy"),
        ("www.googleapis.com", "/compute/v1/projects/p/zones/z/instances", "legacy"),
        ("pubsub.googleapis.com", "/v1/projects/p/topics", "one_platform"),
    ],
)
def test_an_api_without_handlers_says_errors_as_its_generation_does(
    host: str, path: str, dialect: str
) -> None:
    assert find(host, path).dialect == dialect


@pytest.mark.parametrize(
    ("path", "method_id"),
    [
        ("/compute/v1/projects/p/zones/z/instances", "compute.instances.list"),
        ("/storage/v1/b", "storage.buckets.list"),
        ("/download/storage/v1/b/b/o/o", "storage.objects.get"),
        ("/bigquery/v2/projects/p/datasets", "bigquery.datasets.list"),
        ("/gmail/v1/users/me/profile", "gmail.users.getProfile"),
        ("/admin/directory/v1/users", "directory.users.list"),
        ("/tasks/v1/users/@me/lists", "tasks.tasklists.list"),
        ("/sql/v1beta4/projects/p/instances", "sql.instances.list"),
        (
            "/apps/licensing/v1/product/a/sku/b/users",
            "licensing.licenseAssignments.listForProductAndSku",
        ),
        ("/drive/v3/files", "drive.files.list"),
        ("/oauth2/v1/certs", "oauth2.v1.certs"),
        ("/v1/projects/p/topics", ""),
    ],
)
def test_the_shared_host_serves_apis_that_moved(path: str, method_id: str) -> None:
    assert find("www.googleapis.com", path).method_id == method_id


@pytest.mark.parametrize(
    ("host", "path", "verb"),
    [("admin.googleapis.com", "/nothing", "GET"), ("h", "/nothing", "GET"),
     ("admin.googleapis.com", LIST, "DELETE"), ("h", "*", "OPTIONS"), ("h", "/tools/x/y", "POST"),
     ("h", "/tools", "DELETE"), ("admin.googleapis.com", "/$discovery/rest", "POST")],
)  # fmt: skip
def test_what_no_api_has_is_unknown(host: str, path: str, verb: str) -> None:
    route = find(host, path, verb)
    assert (route.method, route.handler, route.method_id) == (None, None, "")


@pytest.mark.parametrize(
    ("verb", "path", "method_id"),
    [("GET", "/tools", "tools.list"), ("GET", "/tools/", "tools.list"),
     ("POST", "/tools/listOrgUnits", "tools.listOrgUnits")],
)  # fmt: skip
def test_tools_have_routes_of_their_own(verb: str, path: str, method_id: str) -> None:
    assert find("127.0.0.1:8765", path, verb).method_id == method_id


def test_every_host_serves_its_own_documents() -> None:
    assert find("chromepolicy.googleapis.com", "/$discovery/rest").handler is not None


def test_oauth_asks_for_no_credential() -> None:
    assert find("oauth2.googleapis.com", "/token", "POST").public


def test_a_token_in_a_path_is_not_kept_for_the_journal() -> None:
    assert find("h", "/v1/ya29.abc/x").journal_path == "/v1/[redacted]/x"


def test_a_method_asked_for_by_name_has_its_path_filled_in() -> None:
    params = {"customerId": "my_customer", "orgUnitPath": "Eng"}
    route = ROUTES.route_of_method("directory.orgunits.get", params)
    assert route.journal_path == f"{LIST}/Eng"
    assert ROUTES.route_of_method("no.such.method", {}).handler is None


def test_a_method_that_is_not_called_over_http_keeps_the_path_of_its_call() -> None:
    method = ROUTES.catalog.method("directory.orgunits.list")
    assert method is not None
    route = ROUTES.route_of_call(method, "/google.x.v1.X/List")
    assert (route.verb, route.path, route.journal_path) == ("GRPC", *["/google.x.v1.X/List"] * 2)
    assert (route.host, route.method_id) == ("admin.googleapis.com", "directory.orgunits.list")
    assert route.handler is not None
