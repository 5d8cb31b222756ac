import pytest

from mockserver.apis import APIS
from mockserver.googleapi import Api
from mockserver.googleapi.catalog import Catalog


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_every_handler_answers_a_method_of_its_documents(api: Api) -> None:
    catalog = Catalog(preferred=api.documents, supplements=api.supplements)
    ids = [name for name in api.handlers if not name.startswith(("tools.", "mcp."))]
    assert [name for name in ids if catalog.method(name) is None] == []
