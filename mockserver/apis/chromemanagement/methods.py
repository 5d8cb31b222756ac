"""Methods of the Chrome Management API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.chromemanagement.browser_methods import (
    delete_browser,
    get_browser,
    list_browsers,
    move_browsers,
    patch_browser,
)
from mockserver.apis.chromemanagement.reports import count_versions
from mockserver.apis.chromemanagement.token_methods import (
    create_token,
    get_token,
    list_tokens,
    revoke_token,
)
from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {
    "chromemanagement.customers.reports.countChromeVersions": count_versions,
    "chromemanagement.customers.chromeBrowsers.list": list_browsers,
    "chromemanagement.customers.chromeBrowsers.get": get_browser,
    "chromemanagement.customers.chromeBrowsers.patch": patch_browser,
    "chromemanagement.customers.chromeBrowsers.delete": delete_browser,
    "chromemanagement.customers.chromeBrowsers.move": move_browsers,
    "chromemanagement.customers.enrollmentTokens.create": create_token,
    "chromemanagement.customers.enrollmentTokens.get": get_token,
    "chromemanagement.customers.enrollmentTokens.list": list_tokens,
    "chromemanagement.customers.enrollmentTokens.revoke": revoke_token,
}
