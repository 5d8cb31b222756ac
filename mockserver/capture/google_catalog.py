"""The catalogue of Google's methods that captures are read by."""

from mockserver.apis import APIS
from mockserver.googleapi import Catalog
from mockserver.model import JsonObject


def google_catalog() -> Catalog:
    """The documents of every API, those of the emulated ones first."""
    return Catalog(
        preferred=[document for api in APIS for document in api.documents],
        supplements=supplements(),
    )


def supplements() -> list[JsonObject]:
    """The documents of routes that no Discovery document has."""
    return [document for api in APIS for document in api.supplements]
