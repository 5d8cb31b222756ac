"""Pages for people who look at a server: sessions, journal, state, faults, recordings, methods.

They show what the control API tells, and change things through it alone. No request of an emulated
API passes here.
"""

from mockserver.console.front import ConsoleFront

__all__ = ["ConsoleFront"]
