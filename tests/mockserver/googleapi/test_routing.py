from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

import orjson
import pytest
from googleapiclient import discovery_cache
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import (
    UPLOAD_VERBS,
    Catalog,
    Match,
    Method,
    Parameter,
    Router,
    batch_of,
    download_path,
    parse_document,
    upload_path,
)
from mockserver.googleapi.catalog import DocumentFolder, load_document
from mockserver.googleapi.routing import ANY_SEGMENTS, ONE_SEGMENT, Template, parse_template

PREFERRED = (
    ("admin", "directory_v1"),
    ("admin", "reports_v1"),
    ("chromepolicy", "v1"),
    ("cloudidentity", "v1"),
    ("cloudidentity", "v1beta1"),
    ("chromemanagement", "v1"),
    ("oauth2", "v2"),
    ("discovery", "v1"),
)
ORGUNITS = "/admin/directory/v1/customer/my_customer/orgunits"


@cache
def catalog() -> Catalog:
    return Catalog(preferred=PREFERRED, supplements=())


def admin() -> Router:
    router = catalog().router("admin.googleapis.com")
    assert router is not None
    return router


def routes(*paths: str) -> Router:
    methods = {
        path: {
            "id": path,
            "httpMethod": "GET",
            "path": path,
            "parameters": {
                "all": {"location": "path", "pattern": "^.*$"},
                "name": {"location": "path", "pattern": "^a/[^/]+$"},
            },
        }
        for path in paths
    }
    raw = {"name": "x", "version": "v1", "rootUrl": "https://x.googleapis.com/"}
    return Router(parse_document({**raw, "methods": methods}).methods.values())


def found(router: Router, path: str) -> tuple[str, dict[str, str]] | None:
    match = router.match("GET", path)
    return (match.method.id, match.captures) if match else None


@pytest.mark.parametrize(
    ("path", "method_id", "captures"),
    [
        ("", "directory.orgunits.list", {}),
        ("//", "directory.orgunits.get", {"orgUnitPath": "/"}),
        ("/Eng", "directory.orgunits.get", {"orgUnitPath": "Eng"}),
        ("/Eng/Sub%20Team", "directory.orgunits.get", {"orgUnitPath": "Eng/Sub Team"}),
        ("/Eng%2FSub", "directory.orgunits.get", {"orgUnitPath": "Eng/Sub"}),
        ("//Eng/Sub", "directory.orgunits.get", {"orgUnitPath": "/Eng/Sub"}),
        ("/id:03ph8a2z", "directory.orgunits.get", {"orgUnitPath": "id:03ph8a2z"}),
        ("/id%3A03ph8a2z", "directory.orgunits.get", {"orgUnitPath": "id:03ph8a2z"}),
    ],
    ids=["list", "root", "one", "two", "escaped-slash", "leading-slash", "id", "escaped-colon"],
)
def test_an_org_unit_is_addressed_as_clients_do(
    path: str, method_id: str, captures: dict[str, str]
) -> None:
    assert found(admin(), ORGUNITS + path) == (
        method_id,
        {"customerId": "my_customer", **captures},
    )


@pytest.mark.parametrize(
    "path",
    ["", "/", "/nope", ORGUNITS + "/", "/admin/directory/v1/users//aliases", "no-slash"],
    ids=["empty", "slash", "unknown", "trailing", "empty-segment", "relative"],
)
def test_an_unknown_path_matches_nothing(path: str) -> None:
    assert admin().match("GET", path) is None
    assert admin().methods_at(path) == ()


def test_a_known_path_tells_its_verbs() -> None:
    assert admin().match("POST", ORGUNITS + "/Eng") is None
    assert admin().methods_at(ORGUNITS + "/Eng") == ("GET", "PUT", "PATCH", "DELETE")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/v1/me", ("v1/me", {})),
        ("/v1/you", ("v1/{one}", {"one": "you"})),
        ("/v1/you/too", ("v1/{+all}", {"all": "you/too"})),
        ("/v1/you/tail", ("v1/{+all}/tail", {"all": "you"})),
        ("/v1/you/too/tail", ("v1/{+all}/tail", {"all": "you/too"})),
        ("/v1/a/b", ("v1/{+name}", {"name": "a/b"})),
        ("/v1/a/b:go", ("v1/{+name}:go", {"name": "a/b"})),
        ("/v1/a/b:stay", ("v1/{+name}", {"name": "a/b:stay"})),
        ("/v1/a/b:go:go", ("v1/{+name}:go", {"name": "a/b:go"})),
        ("/v1/you:go", ("v1/{one}", {"one": "you:go"})),
        ("/v1/%6De", ("v1/me", {})),
        ("/v1/a/b%2Fc", ("v1/{+name}", {"name": "a/b%2Fc"})),
        ("/v1/a/b%2fc%20d", ("v1/{+name}", {"name": "a/b%2fc d"})),
    ],
    ids=str,
)
def test_the_narrowest_route_wins(path: str, expected: tuple[str, dict[str, str]]) -> None:
    router = routes(
        "v1/{+all}",
        "v1/{+all}/tail",
        "v1/{one}",
        "v1/me",
        "v1/{+name}",
        "v1/{+name}:go",
    )
    assert found(router, path) == expected


def test_of_two_methods_with_one_path_the_first_is_meant() -> None:
    router = routes("v1/{a}", "v1/{b}")
    assert found(router, "/v1/x") == ("v1/{a}", {"a": "x"})
    assert [match.method.id for match in router.matches("GET", "/v1/x")] == ["v1/{a}", "v1/{b}"]


def test_a_document_and_a_collection_are_told_apart_by_the_parity_of_the_path() -> None:
    router = routes("docs/{one}/{+all}", "docs/{one}/{+all}/{collection}")
    collection, document = found(router, "/docs/c/d/c2"), found(router, "/docs/c/d/c2/d2")
    assert collection == (
        "docs/{one}/{+all}/{collection}",
        {"one": "c", "all": "d", "collection": "c2"},
    )
    assert document == ("docs/{one}/{+all}", {"one": "c", "all": "d/c2/d2"})


def test_a_path_of_ten_thousand_segments_is_matched_like_any_other() -> None:
    deep = "/".join(["x"] * 10_000)
    assert found(admin(), f"{ORGUNITS}/{deep}") == (
        "directory.orgunits.get",
        {"customerId": "my_customer", "orgUnitPath": deep},
    )
    assert found(admin(), f"/{deep}") is None


SEGMENT = st.text(
    st.characters(codec="utf-8", exclude_characters="/", exclude_categories=["Cs"]), min_size=1
)


def expand(method: Method, segments: list[str]) -> tuple[str, dict[str, str]]:
    """A request path for a method, and what its captures must be."""
    template = parse_template(method.path, method.parameters)
    wanted = list(template.segments)
    if wanted[-2:] == [ANY_SEGMENTS, ONE_SEGMENT] and wanted[-3] != ONE_SEGMENT:
        wanted.insert(-1, ONE_SEGMENT)  # a collection stands below a whole document
    chosen = [
        segments.pop() if segment in {ONE_SEGMENT, ANY_SEGMENTS} else segment for segment in wanted
    ]
    raw = "/".join(
        quote(text, safe="") if segment in {ONE_SEGMENT, ANY_SEGMENTS} else text
        for text, segment in zip(chosen, wanted, strict=True)
    )
    values = {each.name: "/".join(chosen[each.start : each.stop]) for each in template.captures}
    return f"/{raw}" + (f":{template.verb}" if template.verb else ""), values


def same_route(match: Match, method: Method) -> bool:
    """Whether a match is a method, or another one that has the very same path."""
    template = parse_template(method.path, method.parameters)
    other = parse_template(match.method.path, match.method.parameters)
    return (other.segments, other.verb) == (template.segments, template.verb)


@given(st.sampled_from(list(catalog().methods())), st.lists(SEGMENT, min_size=20, max_size=20))
def test_an_expanded_template_matches_its_own_method(method: Method, segments: list[str]) -> None:
    path, values = expand(method, segments)
    router = catalog().router(method.document.host)
    assert router is not None
    match = router.match(method.http_method, path)
    assert match is not None
    assert same_route(match, method)
    assert match.captures == values


def methods_by_host() -> Iterator[list[Method]]:
    """All methods there are; the preview of Compute has the paths of its first version."""
    entries = sorted(DocumentFolder().entries, key=lambda entry: entry.host)
    for _, group in groupby(entries, key=lambda entry: entry.host):
        documents = [load_document(each.path) for each in group if each.version != "preview"]
        yield [method for document in documents for method in document.methods.values()]


@pytest.mark.slow
def test_every_method_of_every_document_is_found_at_its_own_path() -> None:
    wrong = []
    for methods in methods_by_host():
        router = Router(methods)
        for method in methods:
            path, values = expand(method, [f"s{index}" for index in range(20)])
            match = router.match(method.http_method, path)
            if match is None or not same_route(match, method) or match.captures != values:
                wrong.append((method.id, method.version, path))
    assert wrong == []


def parsed(path: str, **patterns: str) -> Template:
    return parse_template(
        path, {name: Parameter(name, "path", pattern=text) for name, text in patterns.items()}
    )


@pytest.mark.parametrize(
    ("pattern", "segments"),
    [
        ("^a/[^/]+/b/[^/]+$", ("a", "*", "b", "*")),
        ("^.*$", ("**",)),
        ("^a/.+$", ("a", "**")),
        ("", ("**",)),
        ("^[^/]+/[^/]+$", ("*", "*")),
        ("^a/[^/]+/locations/-$", ("a", "*", "locations", "-")),
        (r"^a\.b/[^/]+$", ("a.b", "*")),
        ("folders/[0-9]{0,20}", ("folders", "*")),
        ("a/([a-z](?:[-a-z0-9]{0,61}[a-z0-9])?|[1-9][0-9]{0,19})", ("a", "*")),
        ("[a-z](?:[-a-zA-Z0-9/]{0,255}[a-zA-Z0-9])?", ("**",)),
    ],
    ids=str,
)
def test_a_pattern_says_which_segments_a_name_covers(
    pattern: str, segments: tuple[str, ...]
) -> None:
    assert parsed("v1/{+name}", name=pattern).segments == ("v1", *segments)


def test_a_plain_parameter_is_one_segment_whatever_its_pattern() -> None:
    assert parsed("a/{b}/c", b="(x/)?[0-9]+").segments == ("a", "*", "c")


@pytest.mark.parametrize(
    ("path", "verb"),
    [("v1/{+name}:resolve", "resolve"), ("v1/users:batch", "batch"), ("v1/{a}", ""), ("a:b/c", "")],
    ids=str,
)
def test_a_custom_verb_stands_behind_the_last_segment(path: str, verb: str) -> None:
    assert parsed(path, name="^a/[^/]+$").verb == verb


def test_captures_behind_any_number_of_segments_count_from_the_end() -> None:
    template = parsed("v1/{a}/{+all}/x/{b}", all="^.*$")
    path = ["v1", "1", "2", "3", "x", "4"]
    found = {each.name: path[each.start : each.stop] for each in template.captures}
    assert found == {"a": ["1"], "all": ["2", "3"], "b": ["4"]}


def test_a_name_of_several_segments_keeps_escaped_slashes() -> None:
    kept = {
        each.name: each.keep_slash
        for each in parsed("{+name}/{+all}/{id}", name="^a/[^/]+$", all="^.*$").captures
    }
    assert kept == {"name": True, "all": False, "id": False}


def test_only_one_parameter_may_cover_any_number_of_segments() -> None:
    with pytest.raises(ValueError, match="only one parameter"):
        parsed("{+a}/{+b}")


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/upload/drive/v3/files", "/drive/v3/files"),
        ("/resumable/upload/drive/v3/files/a", "/drive/v3/files/a"),
        ("/drive/v3/files", ""),
        ("/uploads", ""),
    ],
    ids=str,
)
def test_a_path_of_uploads_means_the_path_of_a_method(path: str, below: str) -> None:
    assert upload_path(path) == below


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/download/storage/v1/b/a/o/x%2Fy", "/storage/v1/b/a/o/x%2Fy"),
        ("/storage/v1/b/a/o/x", ""),
        ("/downloads/x", ""),
    ],
    ids=str,
)
def test_a_path_of_downloads_means_the_path_of_a_method(path: str, below: str) -> None:
    assert download_path(path) == below


def test_the_documents_name_no_other_paths_of_uploads_and_batches() -> None:
    folder = Path(discovery_cache.DISCOVERY_DOC_DIR)
    for name in ("drive.v3", "storage.v1", "gmail.v1", "youtube.v3"):
        raw = orjson.loads((folder / f"{name}.json").read_bytes())
        assert batch_of("/" + raw["batchPath"]) is not None
        for resource in raw["resources"].values():
            for method in resource.get("methods", {}).values():
                for protocol in method.get("mediaUpload", {}).get("protocols", {}).values():
                    below = f"/{raw['servicePath']}{method['path']}"
                    assert upload_path(protocol["path"]) == below


def test_a_resumable_upload_is_continued_and_cancelled_by_other_verbs() -> None:
    assert UPLOAD_VERBS["PUT"] == ("PUT", "POST", "PATCH")
    assert "GET" not in UPLOAD_VERBS
