"""What the emulated APIs can tell apart: methods, collections, tools, and the names inside them."""

from collections.abc import Sequence
from functools import cached_property

from mockserver.apis import APIS
from mockserver.apis.tools.bound_tools import TOOLS
from mockserver.googleapi import Api, Catalog, Method
from mockserver.models.methods import MODEL_METHODS
from mockserver.snapshots.contracts import document_of


class Vocabulary:
    """The names that rules of cases may speak of.

    Args:
        apis: The emulated APIs.
    """

    def __init__(self, apis: Sequence[Api] = APIS) -> None:
        self._apis = apis
        self._resources = {each.name: each.resource for api in apis for each in api.collections}

    @cached_property
    def _by_id(self) -> dict[str, Method]:
        catalog = Catalog(
            preferred=[document for api in self._apis for document in api.documents],
            supplements=[document for api in self._apis for document in api.supplements],
        )
        return {method.id: method for method in catalog.methods()}

    @cached_property
    def methods(self) -> frozenset[str]:
        """Ids of methods."""
        own = (api.handlers for api in self._apis)
        return frozenset(self._by_id).union(MODEL_METHODS, *own)

    @property
    def collections(self) -> frozenset[str]:
        """Names of collections."""
        return frozenset(self._resources)

    @property
    def tools(self) -> frozenset[str]:
        """Names of the tools of the tool API."""
        return frozenset(TOOLS)

    def fields(self, collection: str) -> frozenset[str]:
        """The fields of a collection's resources; empty where no document tells."""
        name, _, schema = (self._resources.get(collection) or "").partition("#")
        document = document_of(name) if schema else None
        return (
            frozenset(document.schemas[schema].get("properties", ())) if document else frozenset()
        )

    def params(self, method: str) -> frozenset[str]:
        """The parameters of a method and the fields of its body; empty for an unknown one."""
        known = self._by_id.get(method)
        if known is None:
            return frozenset()
        body = known.document.schemas[known.request] if known.request else {}
        return frozenset((*known.parameters, *body.get("properties", ())))

    def arguments(self, tool: str) -> frozenset[str]:
        """The arguments of a tool of the tool API; empty for an unknown one."""
        return frozenset(TOOLS[tool].properties) if tool in TOOLS else frozenset()
