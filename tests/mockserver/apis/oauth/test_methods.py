import pytest

from mockserver.apis.oauth import API
from mockserver.googleapi import Catalog

CATALOG = Catalog(preferred=API.documents, supplements=API.supplements)


@pytest.mark.parametrize("method_id", sorted(API.handlers))
def test_every_handler_has_a_route(method_id: str) -> None:
    assert CATALOG.method(method_id) is not None


def test_every_route_of_ours_has_a_handler() -> None:
    own = {name for document in API.supplements for name in document["methods"]}
    assert own <= set(API.handlers)
