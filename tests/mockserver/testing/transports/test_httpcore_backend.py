import socket

from mockserver.testing.transports.httpcore_backend import _extra_info


def test_a_pool_is_told_whether_a_connection_can_be_used_again() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert _extra_info(ours, "socket") is ours
        assert _extra_info(ours, "client_addr") is None
        assert _extra_info(ours, "is_readable") is False
        theirs.send(b"x")
        assert _extra_info(ours, "is_readable") is True
        ours.recv(1)
        theirs.close()
        assert _extra_info(ours, "is_readable") is True
    assert _extra_info(ours, "is_readable") is True
