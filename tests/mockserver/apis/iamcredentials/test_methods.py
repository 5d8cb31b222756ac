from mockserver.apis.iamcredentials import API
from mockserver.apis.iamcredentials.methods import HANDLERS
from mockserver.googleapi import Catalog


def test_every_method_of_the_document_is_emulated() -> None:
    methods = Catalog(preferred=API.documents, supplements=()).methods()
    assert {method.id for method in methods} == set(HANDLERS)
