from mockserver.apis.chromemanagement import LEGACY_API
from mockserver.apis.chromemanagement.legacy_document import SUPPLEMENT
from mockserver.googleapi.discovery import parse_document


def test_the_supplement_is_a_document_of_exactly_the_emulated_methods() -> None:
    document = parse_document(SUPPLEMENT)
    assert document.host == "admin.googleapis.com"
    assert set(document.methods) == set(LEGACY_API.handlers)


def test_every_schema_that_is_named_is_there() -> None:
    document = parse_document(SUPPLEMENT)
    named = {method.request for method in document.methods.values()}
    named |= {method.response for method in document.methods.values()}
    assert named - {None} <= set(document.schemas)
