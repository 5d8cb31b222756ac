import pytest

from mockserver.apis import APIS
from mockserver.googleapi import Api
from mockserver.googleapi.catalog import Catalog

CATALOG = Catalog(
    preferred=[document for api in APIS for document in api.documents],
    supplements=[document for api in APIS for document in api.supplements],
)


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_every_handler_answers_a_method_that_is_documented(api: Api) -> None:
    ids = [name for name in api.handlers if not name.startswith(("tools.", "mcp."))]
    assert [name for name in ids if CATALOG.method(name) is None] == []
