"""What in answers of the Chrome Management API is secret."""

from mockserver.redaction import Rule

RULES: tuple[Rule, ...] = (
    Rule("chrome_device_user", "username",
         ("lastloggedinuser", "lastloggeduser", "useremail", "deviceusername", "username"),
         about="who uses a device"),
    Rule("chrome_network", "network", ("ssid", "wifissid", "iccid", "mdn"),
         about="networks that a device knows"),
    Rule("chrome_enrollment", "enrollment", ("tokenid", "tokenpermanentid"), check="opaque",
         about="ids of enrollment tokens"),
    Rule("chrome_browser", "browser", ("browserid", "browseridentifier"), check="opaque",
         about="ids of browsers"),
)  # fmt: skip
