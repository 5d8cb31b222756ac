"""What creations are held against: a Starlette handler that keeps what it reads in a dict."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

ROWS: dict[str, object] = {}


async def create(request: Request) -> JSONResponse:
    if request.method == "GET":
        return JSONResponse({"rows": len(ROWS)})
    row = await request.json()
    row["id"] = f"{len(ROWS)}"
    ROWS[row["id"]] = row
    return JSONResponse(row, 201)


app = Starlette(routes=[Route("/", create, methods=["GET", "POST"])])
