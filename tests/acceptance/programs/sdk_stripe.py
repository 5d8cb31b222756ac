"""Stripe's own client on customers and products: base URL and key are its arguments."""

import json
import sys

import stripe

base, token = sys.argv[1:]
addresses = {"api": f"{base}/api.stripe.com"}
client = stripe.StripeClient(token, base_addresses=addresses)
customers = client.v1.customers

ada = customers.create(
    {"name": "Ada", "email": "ada@example.com", "metadata": {"order": "6735", "tag": "x"},
     "address": {"city": "London"}, "balance": -500}
)  # fmt: skip
read = customers.retrieve(ada.id)
others = [customers.create({"name": f"c{number}"}).id for number in range(4)]
first = customers.list({"limit": 2})
before = customers.list({"limit": 2, "ending_before": others[0]})
changed = customers.update(ada.id, {"name": "Ada L.", "email": "", "metadata": {"tag": ""}})
deleted = customers.delete(others[0])
try:
    customers.retrieve(others[0])
    missing = None
except stripe.InvalidRequestError as error:
    missing = error.http_status
try:
    stripe.StripeClient("sk_wrong", base_addresses=addresses).v1.customers.list()
    refused = None
except stripe.AuthenticationError as error:
    refused = error.http_status
shirt = client.v1.products.create({"name": "Shirt", "images": ["a", "b"], "shippable": True})
price = client.v1.prices.create(
    {
        "currency": "usd",
        "unit_amount": 1000,
        "product": shirt.id,
        "recurring": {"interval": "month"},
    }
)
json.dump({
    "id": ada.id, "kind": type(ada).__name__, "created": type(read.created).__name__,
    "read": [read.name, read.address.city, read.balance, read.phone, read.livemode],
    "order": read.metadata["order"],
    "page": [[each.name for each in first.data], first.has_more, first.url],
    "before": [[each.name for each in before.data], before.has_more],
    "all": [each.name for each in customers.list({"limit": 2}).auto_paging_iter()],
    "changed": [changed.name, changed.email, changed.metadata.to_dict()],
    "deleted": [deleted.id == others[0], deleted.deleted],
    "missing": missing, "refused": refused,
    "shirt": [shirt.images, shirt.shippable, shirt.active],
    "price": [price.unit_amount, price.recurring.interval],
    "prices": len(client.v1.prices.list({"product": shirt.id}).data),
}, sys.stdout)  # fmt: skip
