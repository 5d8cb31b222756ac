"""What the relay keeps is what the listener asks for."""

from mockserver.fronts.grpc import Peers
from mockserver.fronts.relay import PeerSessions


def test_the_relays_sessions_are_peers() -> None:
    kept = PeerSessions()
    peers: Peers = kept
    assert not peers
    kept.keep(40312, "s1")
    assert (len(peers), peers.of("ipv4:127.0.0.1:40312")) == (1, "s1")
