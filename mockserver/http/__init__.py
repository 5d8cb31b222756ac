"""The mock server over HTTP: the ASGI application, batches, the control API, and how it is run.

Modules are imported one by one, so that each costs only what it needs: `application` is the ASGI
application, `serving` runs it under uvicorn.
"""
