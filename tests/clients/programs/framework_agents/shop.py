"""A shop in a database, which its agents' tools ask."""

import os
import sqlite3

MODEL = "gpt-5-mini"


def _open():
    database = sqlite3.connect(os.environ["SHOP_DB"])
    database.execute("create table if not exists orders (id text primary key, total integer)")
    database.execute("create table if not exists refunds (id text, amount integer)")
    database.execute("insert or ignore into orders values ('A1', 40)")
    return database


def look_up_order(order: str) -> dict:
    """Look an order up.

    Args:
        order: Its id.
    """
    with _open() as database:
        found = database.execute("select id, total from orders where id = ?", (order,)).fetchone()
    return {"id": found[0], "total": found[1]}


def refund_order(order: str, amount: int) -> dict:
    """Refund an order.

    Args:
        order: Its id.
        amount: How much.
    """
    with _open() as database:
        database.execute("insert into refunds values (?, ?)", (order, amount))
    return {"refunded": amount}
