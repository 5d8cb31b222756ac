import pytest

from mockserver.apis import APIS
from mockserver.fronts.hosts import Hosts, Verdict
from mockserver.googleapi import Catalog

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
        ("us-central1-aiplatform.googleapis.com", R),
        ("api.example.com", R),
        ("admin.googleapis.com.example.com", R),
        ("*", R),
    ],
)
def test_only_listed_hosts_are_emulated(host: str, verdict: Verdict) -> None:
    assert Hosts(CATALOG).verdict(host) is verdict


@pytest.mark.parametrize(
    ("host", "verdict"),
    [
        ("api.example.com", T),
        ("deep.api.example.com", T),
        ("example.com", R),
        ("generativelanguage.googleapis.com", T),
        ("admin.googleapis.com", E),
        ("gmail.googleapis.com", T),
    ],
)
def test_a_glob_lets_through_what_is_not_emulated(host: str, verdict: Verdict) -> None:
    globs = ("*.Example.com", "g*.googleapis.com", "a*.googleapis.com")
    hosts = Hosts(Catalog(preferred=[("admin", "directory_v1")], supplements=()), tunnelled=globs)
    assert hosts.verdict(host) is verdict


def test_a_full_name_lets_through_even_what_is_emulated() -> None:
    assert Hosts(CATALOG, tunnelled=["admin.googleapis.com"]).verdict("admin.googleapis.com") is T


@pytest.mark.parametrize(
    "host", ["pubsub.googleapis.com", "pubsub.us-east1.rep.googleapis.com", "x.example.com"]
)
def test_further_hosts_can_be_emulated(host: str) -> None:
    hosts = Hosts(CATALOG, emulated=["pubsub.googleapis.com", "x.example.*"])
    assert hosts.verdict(host) is E
    assert "pubsub.googleapis.com" in hosts.names()


def test_a_refusal_says_how_to_go_on() -> None:
    hosts = Hosts(CATALOG)
    assert "--emulate" not in hosts.reason("api.example.com")
    assert "--tunnel api.example.com" in hosts.reason("api.example.com")
    assert "--emulate pubsub.googleapis.com" in hosts.reason("pubsub.googleapis.com")


def test_hosts_with_recordings_are_answered_for() -> None:
    hosts = Hosts(CATALOG, recorded=lambda host: host == "api.example.com")
    assert hosts.verdict("API.example.com") is Verdict.EMULATED
    assert hosts.verdict("other.example.com") is Verdict.REFUSED
