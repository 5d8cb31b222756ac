import pytest

from mockserver.apis.directory import API
from mockserver.googleapi import Catalog


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog(preferred=API.documents, supplements=API.supplements)


@pytest.mark.parametrize("method_id", sorted(API.handlers))
def test_every_handler_has_a_method_of_the_document(catalog: Catalog, method_id: str) -> None:
    assert catalog.method(method_id, "directory_v1") is not None
