"""An MCP server in plain JSON that ends in the middle of a call."""

import json
import sys

TOOL = {
    "name": "ask",
    "inputSchema": {"type": "object", "properties": {"prompt": {"type": "string"}}},
}
INFO = {"serverInfo": {"name": "a", "version": "1"}, "capabilities": {"tools": {}}}


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        method, params = asked["method"], asked.get("params", {})
        if method == "tools/call":
            sys.exit("out of memory")
        if "id" in asked and "--new" in sys.argv:
            error = {"code": -32601, "message": "no such method"}
            sys.stdout.write(
                json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}) + "\n"
            )
            sys.stdout.flush()
        elif "id" in asked:
            version = {"protocolVersion": params.get("protocolVersion")}
            result = INFO | version if method == "initialize" else {"tools": [TOOL]}
            sys.stdout.write(
                json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}) + "\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
