from mockserver.apis import APIS
from mockserver.apis.directory import API as DIRECTORY
from mockserver.apis.monitoring import API as MONITORING
from mockserver.apis.tools import API as TOOLS
from mockserver.cli.apis import Level, documents_of, generic_methods, method_support
from mockserver.googleapi import Catalog

CATALOG = Catalog(
    preferred=[document for api in APIS for document in api.documents],
    supplements=[document for api in APIS for document in api.supplements],
)


def test_a_method_without_semantics_of_its_own_is_generic() -> None:
    found = {one.method_id: one for one in method_support(DIRECTORY, CATALOG)}
    assert found["directory.mobiledevices.list"].level is Level.GENERIC
    assert found["directory.users.list"].level is Level.EMULATED
    assert found["directory.users.list"].version == "directory_v1"


def test_tools_are_listed_though_they_have_no_document() -> None:
    routes = {one.method_id: one.route for one in method_support(TOOLS, CATALOG)}
    assert routes["tools.listOrgUnits"] == "POST /tools/listOrgUnits"


def test_an_apis_documents_are_those_of_discovery_and_its_own() -> None:
    assert ("monitoring", "v3") in documents_of(MONITORING)
    assert len(documents_of(MONITORING)) == len(set(documents_of(MONITORING)))


def test_all_other_documents_are_counted() -> None:
    """Every method of Discovery is emulated or generic."""
    rest, whole = generic_methods(APIS, CATALOG), generic_methods((), CATALOG)
    own = [method for api in APIS for method in method_support(api, CATALOG) if method.version]
    assert whole.methods > 25_000
    assert rest.methods < whole.methods <= rest.methods + len(own)
    assert rest.apis < whole.apis
