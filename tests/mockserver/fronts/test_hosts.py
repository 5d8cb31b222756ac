from urllib.parse import urlsplit

import orjson
import pytest

from mockserver.apis import APIS
from mockserver.fronts.certificates import SignedNames
from mockserver.fronts.hosts import Hosts, Verdict
from mockserver.googleapi import Catalog, DocumentFolder

CATALOG = Catalog(
    preferred=[document for api in APIS for document in api.documents],
    supplements=[document for api in APIS for document in api.supplements],
)
E, T, R = Verdict.EMULATED, Verdict.TUNNELLED, Verdict.REFUSED


@pytest.mark.parametrize(
    ("host", "verdict"),
    [
        ("admin.googleapis.com", E),
        ("Admin.GoogleApis.com.", E),
        ("admin.mtls.googleapis.com", E),
        ("cloudidentity.us-central1.rep.googleapis.com", E),
        ("oauth2.googleapis.com", E),
        ("accounts.google.com", E),
        ("metadata.google.internal", E),
        ("generativelanguage.googleapis.com", R),
        ("us-central1-aiplatform.googleapis.com", E),
        ("calendar-json.googleapis.com", E),
        ("groupssettings.googleapis.com", E),
        ("licensing.googleapis.com", E),
        ("Storage.mtls.googleapis.com", E),
        ("o4.ingest.sentry.io", E),
        ("nope.googleapis.com", R),
        ("api.example.com", R),
        ("admin.googleapis.com.example.com", R),
        ("*", R),
    ],
)
def test_the_hosts_of_all_documents_are_emulated_and_no_others(host: str, verdict: Verdict) -> None:
    hosts = Hosts(CATALOG)
    assert hosts.verdict(host) is verdict
    signed = SignedNames.of(hosts.emulated())
    assert signed is not None
    assert signed.hold(host) or verdict is R  # clients are answered in a name that is signed for


@pytest.mark.parametrize(
    ("host", "verdict"),
    [
        ("api.example.com", T),
        ("deep.api.example.com", T),
        ("example.com", R),
        ("generativelanguage.googleapis.com", T),
        ("admin.googleapis.com", E),
        ("gmail.googleapis.com", T),
        ("pubsub.googleapis.com", E),
    ],
)
def test_a_glob_lets_through_what_has_no_semantic_of_its_own(host: str, verdict: Verdict) -> None:
    globs = ("*.Example.com", "g*.googleapis.com", "a*.googleapis.com")
    hosts = Hosts(Catalog(preferred=[("admin", "directory_v1")], supplements=()), tunnelled=globs)
    assert hosts.verdict(host) is verdict


def test_a_full_name_lets_through_even_what_is_emulated() -> None:
    assert Hosts(CATALOG, tunnelled=["admin.googleapis.com"]).verdict("admin.googleapis.com") is T


@pytest.mark.parametrize(
    "host", ["pubsub.googleapis.com", "pubsub.us-east1.rep.googleapis.com", "x.example.com"]
)
def test_further_hosts_can_be_emulated(host: str) -> None:
    emulated, tunnelled = ["pubsub.googleapis.com", "x.example.*"], ["*"]
    hosts = Hosts(CATALOG, emulated=emulated, tunnelled=tunnelled)
    assert hosts.verdict(host) is E


def test_a_refusal_says_how_to_go_on() -> None:
    assert "--tunnel api.example.com" in Hosts(CATALOG).reason("api.example.com")


@pytest.mark.slow
def test_every_host_that_a_document_names_is_emulated() -> None:
    folder, named = DocumentFolder(), set[str]()
    for entry in folder.entries:
        raw = orjson.loads(folder.read(entry.name, entry.version) or b"")
        roots = [raw.get(name) for name in ("rootUrl", "baseUrl", "mtlsRootUrl")]
        regional = [each["endpointUrl"] for each in raw.get("endpoints", ())]
        named |= {urlsplit(url).netloc for url in (*roots, *regional) if url}
    hosts = Hosts(CATALOG)
    assert len(named) > 2000
    assert [host for host in sorted(named) if hosts.verdict(host) is not E] == []


def test_hosts_with_recordings_are_answered_for() -> None:
    hosts = Hosts(CATALOG, known=lambda host: host == "api.example.com")
    assert hosts.verdict("API.example.com") is Verdict.EMULATED
    assert hosts.verdict("other.example.com") is Verdict.REFUSED


def test_hosts_that_the_user_named_are_known_as_such() -> None:
    hosts = Hosts(CATALOG, emulated=("API.openai.com", "*.example.com"))
    wanted = map(hosts.is_wanted, ("api.OpenAI.com.", "a.example.com", "admin.googleapis.com"))
    assert list(wanted) == [True, True, False]
