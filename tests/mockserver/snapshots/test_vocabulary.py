from mockserver.apis import APIS
from mockserver.snapshots.vocabulary import Vocabulary


def test_names_are_those_of_the_emulated_apis() -> None:
    known = Vocabulary()
    assert {method for api in APIS for method in api.handlers} <= known.methods
    assert {"users", "orgUnits"} <= known.collections
    assert "listOrgUnits" in known.tools


def test_what_is_inside_is_known_where_a_document_tells() -> None:
    known = Vocabulary()
    assert {"orgUnitPath", "parentOrgUnitId"} <= known.fields("orgUnits")
    assert {"customerId", "orgUnitPath", "name"} <= known.params("directory.orgunits.update")
    assert {"customerId", "type"} <= known.params("directory.orgunits.list")
    assert known.arguments("getChromeConnectorConfiguration") == {"orgUnit"}
    assert (known.fields("customer"), known.fields("none")) == (frozenset(), frozenset())
    assert (known.params("none"), known.arguments("none")) == (frozenset(), frozenset())
