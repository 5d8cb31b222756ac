"""Emulates Compute Engine: instances with states, what names what, stale fingerprints.

Collections are listed, read and made by the conventions of their document, with what recordings
tell.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="compute",
    documents=(("compute", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="legacy",
    beside_conventions=True,
)
