"""Emulates the API Discovery Service."""

from typing import TYPE_CHECKING

from mockserver.googleapi import Api, LazyHandlers
from mockserver.lazy_names import lazy_names

if TYPE_CHECKING:
    from mockserver.apis.discovery.methods import *

__getattr__ = lazy_names(__name__, {"methods": "rest_document"})

API = Api(
    name="discovery",
    documents=(("discovery", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="legacy",
    is_public=True,
)
