"""The ASGI application: dispatch, sessions, journal, faults, control.

Its doors are modules, not names here, so that a door costs only what it needs: `worlds` resolves
snapshots without HTTP, `application` is the ASGI application, `serving` runs it under uvicorn.
"""
