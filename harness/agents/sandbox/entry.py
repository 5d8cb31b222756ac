"""The first program inside a sandbox: makes the doors to the mock server, becomes the agent.

The network of a sandbox is empty. This listens on its loopback, on the ports that the agent's
environment names, hands the listening sockets to the harness through a Unix socket, and is then
replaced by the agent. The harness accepts on them from outside, so nothing of ours runs beside the
agent. It is a file alone, of the standard library, since any Python 3.8 or newer may run it.

    python3 -I -S entry.py SOCKET PORT,PORT PROGRAM ARGUMENTS...
"""

import array
import json
import os
import signal
import socket
import sys

_BACKLOG = 256
_LONGEST = 4 * 1024 * 1024
_NOT_STARTED = 127
_ADDRESSES = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))


def listen(ports: "list[int]") -> "list[tuple[int, socket.socket]]":
    """Listen on the loopback of this network; of IPv6 only where there is one.

    Raises:
        OSError: A port is taken.
    """
    found = []
    for port in ports:
        for family, address in _ADDRESSES:
            listener = socket.socket(family, socket.SOCK_STREAM)
            try:
                listener.bind((address, port))
                listener.listen(_BACKLOG)
            except OSError:
                listener.close()
                if family == socket.AF_INET:
                    raise
                continue
            found.append((port, listener))
    return found


def hand_over(gate: socket.socket, listeners: "list[tuple[int, socket.socket]]") -> None:
    """Send the listening sockets with the number of the port of each."""
    descriptors = array.array("i", [listener.fileno() for _, listener in listeners])
    head = json.dumps([port for port, _ in listeners]).encode()
    gate.sendmsg([head], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors.tobytes())])
    for _, listener in listeners:
        listener.close()


def read_environment(gate: socket.socket) -> "dict[str, str]":
    """Further variables of the agent: a line of JSON from the harness.

    Raises:
        EOFError: The harness has gone.
    """
    text = b""
    while not text.endswith(b"\n"):
        chunk = gate.recv(_LONGEST)
        if not chunk:
            raise EOFError
        text += chunk
    found = json.loads(text)
    return {str(name): str(value) for name, value in found.items()}


def main(arguments: "list[str]") -> int:
    """Become the program that the arguments name; the exit code when that cannot be."""
    path, ports, *program = arguments
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as gate:
        gate.connect(path)
        hand_over(gate, listen([int(port) for port in ports.split(",") if port]))
        environment = {**os.environ, **read_environment(gate)}
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the sandbox outlives it, the agent does not
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        try:
            os.execvpe(program[0], program, environment)  # noqa: S606  (no shell, and meant)
        except OSError as error:  # the gate is closed by the exec itself where that works
            gate.sendall((error.strerror or str(error)).encode())
    return _NOT_STARTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
