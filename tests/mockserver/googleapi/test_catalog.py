import sys
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from subprocess import run

import orjson
import pytest

from mockserver.errors import FormatError, MockServerError
from mockserver.googleapi import Catalog, DocumentFolder, Match
from mockserver.googleapi import catalog as catalog_module
from mockserver.googleapi.catalog import load_document
from mockserver.model import JsonObject

ACCOUNTS: JsonObject = {
    "name": "accounts",
    "version": "v1",
    "rootUrl": "https://accounts.google.com/",
    "methods": {"a": {"id": "accounts.token", "httpMethod": "POST", "path": "token"}},
}
TOKENS: JsonObject = {
    "name": "tokens",
    "version": "v1",
    "rootUrl": "https://admin.googleapis.com/",
    "methods": {"a": {"id": "tokens.list", "httpMethod": "GET", "path": "tokens"}},
}


@cache
def catalog() -> Catalog:
    preferred = [
        ("admin", "directory_v1"),
        ("cloudidentity", "v1beta1"),
        ("apphub", "v1"),
        ("container", "v1"),
        ("nope", "v9"),
    ]
    return Catalog(preferred=preferred, supplements=[ACCOUNTS, TOKENS])


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("admin.googleapis.com", "admin.googleapis.com"),
        ("Admin.GoogleAPIs.com:443", "admin.googleapis.com"),
        ("admin.googleapis.com.", "admin.googleapis.com"),
        ("admin.mtls.googleapis.com", "admin.googleapis.com"),
        ("pubsub.us-east1.rep.googleapis.com", "pubsub.googleapis.com"),
        ("us-central1-aiplatform.googleapis.com", "aiplatform.googleapis.com"),
        ("analytics.googleapis.com", "analytics.googleapis.com"),
        ("www.googleapis.com", "www.googleapis.com"),
        ("calendar-json.googleapis.com", "www.googleapis.com"),
        ("GroupsSettings.googleapis.com", "www.googleapis.com"),
        ("batch-firestore.us-west1.rep.googleapis.com", "firestore.googleapis.com"),
        ("aiplatform-preprod.eu.rep.googleapis.com", "aiplatform.googleapis.com"),
        ("accounts.google.com", "accounts.google.com"),
        ("nope.googleapis.com", ""),
        ("nope.mtls.googleapis.com", ""),
        ("nope.us-east1.rep.googleapis.com", ""),
        ("google.com", ""),
        ("127.0.0.1:8765", ""),
        ("admin", ""),
        ("", ""),
    ],
    ids=str,
)
def test_a_host_is_known_by_all_its_names(host: str, known: str) -> None:
    assert catalog().canonical(host) == known
    assert catalog().is_host(host) is bool(known)


def test_a_router_holds_every_version_and_the_supplements_of_its_host() -> None:
    router = catalog().router("admin.mtls.googleapis.com")
    assert router is not None
    assert router is catalog().router("admin.googleapis.com")
    paths = ["/tokens", "/admin/directory/v1/users", "/admin/datatransfer/v1/applications"]
    found = [router.match("GET", path) for path in paths]
    ids = [match.method.id for match in found if match]
    assert ids == ["tokens.list", "directory.users.list", "datatransfer.applications.list"]


def test_a_path_of_one_version_reads_no_other() -> None:
    folder = DocumentFolder().path  # given, it is read by this catalog alone
    fresh = Catalog(preferred=[], supplements=[TOKENS], folder=folder)
    compute = "compute.googleapis.com"
    found = fresh.match(compute, "GET", "/compute/beta/projects/p/zones/z/instances/i")
    assert found is not None
    assert found.method.version == "beta"
    assert len(fresh._folder._loaded) == 1
    again = fresh.match(compute, "GET", "/compute/beta/projects/p/zones/z/instances/i")
    assert again is not None
    assert again.method is found.method


@pytest.mark.parametrize(
    ("host", "path", "method_id"),
    [
        ("admin.googleapis.com", "/admin/directory/v1/users/a", "directory.users.get"),
        ("admin.googleapis.com", "/tokens", "tokens.list"),
        ("logging.googleapis.com", "/v2/projects/v9/logs", "logging.projects.logs.list"),
        ("nowhere.example.com", "/v1/x", None),
        ("admin.googleapis.com", "/v9/x", None),
    ],
    ids=str,
)
def test_a_match_is_that_of_the_whole_host(host: str, path: str, method_id: str | None) -> None:
    fresh = Catalog(preferred=[], supplements=[TOKENS])
    found = fresh.match(host, "GET", path)
    whole = fresh.router(host)
    expected = whole.match("GET", path) if whole else None
    names = [match.method.id if match else None for match in (found, expected)]
    assert names == [method_id, method_id]


def test_an_unknown_host_has_no_router() -> None:
    assert catalog().router("nope.googleapis.com") is None


@pytest.mark.parametrize("version", ["v2", "v2beta1"])
def test_the_preferred_document_wins_where_two_have_one_path(version: str) -> None:
    preferring = Catalog(preferred=[("cloudresourcemanager", version)], supplements=())
    router = preferring.router("cloudresourcemanager.googleapis.com")
    match = router.match("GET", "/v2/folders") if router else None
    assert match is not None
    assert match.method.version == version


def test_the_preview_of_compute_does_not_take_the_paths_of_its_first_version() -> None:
    router = catalog().router("compute.googleapis.com")
    assert router is not None
    matches = router.matches("GET", "/compute/v1/projects/p/zones/z/instances")
    assert [match.method.version for match in matches] == ["v1"]


def test_a_path_alone_is_enough_when_one_host_has_it() -> None:
    found = catalog().match_anywhere("GET", "/v1beta1/policies")
    assert isinstance(found, Match)
    assert found.method.id == "cloudidentity.policies.list"
    assert catalog().methods_anywhere("/token") == ("POST",)


def test_a_path_of_several_hosts_names_them() -> None:
    found = catalog().match_anywhere("GET", "/v1/projects/p/locations/l/operations/o")
    assert found == ("apphub.googleapis.com", "container.googleapis.com")


def test_a_path_that_nobody_has_matches_nothing() -> None:
    assert catalog().match_anywhere("GET", "/nope") == ()


@pytest.mark.parametrize(
    ("method_id", "version", "found"),
    [
        ("directory.orgunits.list", "", "directory_v1"),
        ("cloudidentity.policies.list", "", "v1beta1"),
        ("cloudidentity.policies.list", "v1", "v1"),
        ("accounts.token", "", "v1"),
        ("drive.files.list", "v2", "v2"),
        ("drive.files.list", "v9", None),
        ("drive.nope", "", None),
        ("nope.nope", "", None),
    ],
    ids=str,
)
def test_a_method_is_found_by_its_id(method_id: str, version: str, found: str | None) -> None:
    method = catalog().method(method_id, version)
    assert (method.version if method else None) == found


def test_the_methods_are_those_of_the_preferred_documents_and_supplements() -> None:
    ids = {method.id for method in catalog().methods()}
    assert {"directory.users.list", "accounts.token", "tokens.list"} <= ids
    assert "drive.files.list" not in ids


def test_the_methods_of_one_host_are_those_of_all_that_are_of_it() -> None:
    known, host = catalog(), "admin.googleapis.com"
    of_all = [method.id for method in known.methods() if method.document.host == host]
    assert [method.id for method in known.methods(host)] == of_all != []


def test_a_document_is_served_as_it_is() -> None:
    raw = catalog().document("chromepolicy", "v1")
    assert raw is not None
    assert orjson.loads(raw)["id"] == "chromepolicy:v1"
    assert catalog().document("chromepolicy", "v9") is None


def test_the_listing_names_every_document_once() -> None:
    listing = catalog().listing()
    items = {item["id"]: item for item in listing["items"]}
    assert listing["kind"] == "discovery#directoryList"
    assert len(items) == len(listing["items"]) > 500
    assert items["chromepolicy:v1"]["title"] == "Chrome Policy API"
    assert items["admin:directory_v1"]["discoveryRestUrl"].startswith(
        "https://admin.googleapis.com"
    )
    assert catalog().listing() is listing


def test_the_client_library_is_found_without_being_imported() -> None:
    code = (
        "import sys\n"
        "from mockserver.googleapi import Catalog\n"
        "catalog = Catalog(preferred=[('admin', 'directory_v1')], supplements=())\n"
        "assert catalog.is_host('admin.googleapis.com')\n"
        "assert 'googleapiclient' not in sys.modules\n"
    )
    assert run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_methods_of_a_host_are_those_of_all_its_documents_and_supplements() -> None:
    found = {(method.id, method.version) for method in catalog().methods_on("admin.googleapis.com")}
    assert {("tokens.list", "v1"), ("directory.users.list", "directory_v1")} <= found
    assert catalog().methods_on("nope.googleapis.com") == ()


@pytest.mark.parametrize(
    ("verb", "path", "method"),
    [
        ("POST", "users", "createDocument"),
        ("GET", "users", "listDocuments"),
        ("POST", "users/ann/notes", "createDocument"),
        ("GET", "users/ann/notes", "list"),
        ("GET", "users/ann", "get"),
        ("POST", ":runQuery", "runQuery"),
        ("POST", ":listCollectionIds", "listCollectionIds"),
        ("POST", "users/ann:runQuery", "runQuery"),
        ("POST", ":batchGet", "batchGet"),
    ],
)
def test_documents_of_firestore_have_a_root(verb: str, path: str, method: str) -> None:
    root = "/v1/projects/p/databases/(default)/documents"
    whole = root + (path if path.startswith(":") else f"/{path}")
    match = catalog().match("firestore.googleapis.com", verb, whole)
    assert match is not None
    assert match.method.id.rpartition(".")[2] == method
    if "parent" in match.captures:
        above = path.rpartition(":")[0] if ":" in path else path.rpartition("/")[0]
        assert match.captures["parent"] == f"{root[4:]}/{above}".rstrip("/")


def write(folder: Path, file: str, **fields: object) -> Path:
    path = folder / file
    path.write_bytes(orjson.dumps(fields))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base, other = "https://a.googleapis.com/", "https://b.googleapis.com/"
    write(
        tmp_path, "a.v1.json", baseUrl=base, id="a:v1", rootUrl=base, title='The "A"', version="v1"
    )
    long = "x" * 10_000
    write(tmp_path, "a.v1.1.json", auth=long, baseUrl=base, id="a:v1.1", rootUrl=base)
    shared = "https://www.googleapis.com/b/v1"
    write(tmp_path, "b.v1.json", baseUrl=shared, id="b:v1", resources={}, rootUrl=other)
    write(tmp_path, "av1.json", baseUrl=base, id="a:v1", rootUrl=base)
    write(tmp_path, "old.av1.json", baseUrl=base, id="a:v1", rootUrl=base)
    write(tmp_path, "hostless.v1.json", id="hostless:v1")
    write(tmp_path, "index.json", items=[{"id": "a:v1"}])
    return tmp_path


def test_documents_are_known_by_file_and_id(folder: Path) -> None:
    found = [(each.name, each.version, each.host) for each in DocumentFolder(folder).entries]
    assert found == [
        ("a", "v1.1", "a.googleapis.com"),
        ("a", "v1", "a.googleapis.com"),
        ("b", "v1", "b.googleapis.com"),
    ]


def test_one_document_is_found_without_the_others(folder: Path) -> None:
    entry = DocumentFolder(folder).entry("b", "v1")
    assert entry is not None
    assert entry.host == "b.googleapis.com"
    assert DocumentFolder(folder).entry("b", "v2") is None


def test_a_document_is_read_as_it_is(folder: Path) -> None:
    assert DocumentFolder(folder).read("a", "v1") == (folder / "a.v1.json").read_bytes()


@pytest.mark.parametrize("name", ["../a", "a/../a", "nope", "", "a\0"], ids=repr)
def test_a_name_never_leaves_the_folder(folder: Path, name: str) -> None:
    inside = folder / "inside"
    inside.mkdir()
    assert DocumentFolder(inside).read(name, "v1") is None


def test_titles_are_read_when_asked_for(folder: Path) -> None:
    known = DocumentFolder(folder)
    titles = {entry.path.name: known.title(entry) for entry in known.entries}
    assert titles == {"a.v1.json": 'The "A"', "a.v1.1.json": "", "b.v1.json": ""}


def test_the_index_may_be_missing(folder: Path) -> None:
    assert DocumentFolder(folder).index() == {"items": [{"id": "a:v1"}]}
    (folder / "index.json").unlink()
    assert DocumentFolder(folder).index() == {}


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"name": 1}'], ids=str)
def test_what_is_no_document_is_named_with_its_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.v1.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.v1\.json: not a Discovery document"):
        load_document(path)


def test_the_installed_documents_are_found() -> None:
    entry = DocumentFolder().entry("admin", "directory_v1")
    assert entry is not None
    assert load_document(entry.path).methods["directory.orgunits.list"].http_method == "GET"


@pytest.mark.parametrize("spec", [None, ModuleSpec("googleapiclient", None)], ids=["none", "file"])
def test_a_missing_client_library_is_said_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, spec: ModuleSpec | None
) -> None:
    monkeypatch.setattr(catalog_module, "find_spec", lambda name: spec)
    with pytest.raises(MockServerError, match="pip install google-api-python-client"):
        _ = DocumentFolder().path
