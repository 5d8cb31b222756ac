"""gRPC: a listener that calls the same handlers as HTTP does.

Messages are those of the google-cloud packages that are installed beside the server; nothing here
needs the extra `grpc` before a listener is started.
"""

from mockserver.fronts.grpc.listener import GrpcListener
from mockserver.fronts.grpc.peers import Peers

__all__ = ["GrpcListener", "Peers"]
