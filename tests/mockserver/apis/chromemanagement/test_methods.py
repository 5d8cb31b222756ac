from mockserver.apis.chromemanagement.methods import HANDLERS
from mockserver.googleapi import Catalog


def test_every_method_is_one_of_the_discovery_document() -> None:
    catalog = Catalog(preferred=[("chromemanagement", "v1")], supplements=[])
    assert [name for name in HANDLERS if catalog.method(name) is None] == []
