"""Twilio's own client on messages; its transport sends to another address, nothing else."""

import json
import sys
from typing import Any

from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

base, token = sys.argv[1:]


class Redirected:
    def __init__(self) -> None:
        self._inner = TwilioHttpClient()

    def request(self, method: str, url: str, **more: Any) -> Any:
        return self._inner.request(method, url.replace("https:/", base), **more)


nobody = Client("AC" + "0" * 32, token, http_client=Redirected())
account = nobody.api.v2010.accounts.create(friendly_name="Mine")
client = Client("AC" + "0" * 32, token, account_sid=account.sid, http_client=Redirected())
sent = client.messages.create(to="+15551", from_="+15552", body="Hello")
for number in range(4):
    client.messages.create(to="+15553", from_="+15552", body=f"m{number}")
read = client.messages(sent.sid).fetch()
redacted = client.messages(sent.sid).update(body="")
others = [each.body for each in client.messages.list(to="+15553", page_size=2)]
deleted = client.messages(sent.sid).delete()
try:
    client.messages(sent.sid).fetch()
    missing = None
except TwilioRestException as error:
    missing = error.status
json.dump({
    "account": account.sid, "name": account.friendly_name, "sid": sent.sid,
    "read": [read.to, read.from_, read.body, read.account_sid, read.date_created.isoformat()],
    "redacted": redacted.body, "others": others, "deleted": deleted, "missing": missing,
    "left": len(client.messages.list()),
}, sys.stdout)  # fmt: skip
