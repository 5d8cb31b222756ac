"""What a session did and holds, as people look at it: requests, origins of fields, layers, methods.

Nothing here runs while a request of an emulated API is answered.
"""
