from mockserver.apis.resourcemanager import API
from mockserver.googleapi import Catalog


def test_every_method_is_one_of_the_documents() -> None:
    catalog = Catalog(preferred=API.documents, supplements=())
    assert [name for name in API.handlers if catalog.method(name) is None] == []
