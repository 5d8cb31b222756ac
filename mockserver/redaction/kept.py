"""Rules for what only looks like a secret: versions, digests, codes of goods, names of files."""

from mockserver.redaction.rule import Rule

_FOUR = r"\d{1,3}(?:\.\d{1,3}){3}"

KEPT: tuple[Rule, ...] = (
    Rule("kept_version", "kept",
         ("*version", "*versions", "ver", "firmware*", "release", "build", "buildnumber", "tag",
          "tagname", "revision", "osversion", "semver", "*release"),
         pattern=r"(?i)(?:\b(?:v|ver\.?|release|section|chapter|firmware|build|rev|tag)|versions?)"
                 rf"[ :=_/\"'\\-]{{0,6}}v?{_FOUR}\b"
                 rf"|(?:==|>=|<=|~=|~>|[\^~])[ ]?{_FOUR}\b"
                 rf"|\b[A-Za-z][\w.]*[-@_]v?{_FOUR}(?:[.-][A-Za-z]|\b)"
                 rf"|\b(?:Chrome|Chromium|Edg|EdgA|OPR|Safari|Firefox|Version|CriOS|Electron"
                 rf"|Opera)/{_FOUR}\b"
                 rf"|\bupgraded from {_FOUR} to\b"
                 r"|\b\d+(?:\.\d+){4,}\b",
         keep=True, about="versions, and object ids: no addresses"),
    Rule("kept_digest", "kept",
         pattern=r"(?:[0-9A-Fa-f]{2}:){8,31}[0-9A-Fa-f]{2}\b"
                 r"|\bsha(?:1|256|384|512)[-:][A-Za-z0-9+/=]{20,}",
         keep=True, about="digests and fingerprints"),
    Rule("kept_at", "kept",
         pattern=r"\bgit@[\w.-]+|[\w./-]+@(?:[\w-]+\.)+(?:png|jpe?g|gif|svg|webp|ico|css|m?js"
                 r"|tsx?|map|json|html?|pdf|woff2?|tgz|zip|gz)\b",
         keep=True, about="remotes of git and names of files: no e-mail addresses"),
    Rule("kept_netmask", "kept", ("netmask", "subnetmask", "wildcardmask"),
         pattern=r"\b(?:255\.){2,3}\d{1,3}(?:\.\d{1,3})?\b", keep=True, about="masks of networks"),
    Rule("kept_goods", "kept", ("ean", "ean13", "gtin", "gtin13", "gtin14", "upc", "isbn", "isbn13",
                                "barcode", "asin", "sku", "isin"),
         pattern=r"\b97[89]-\d{1,5}-\d{1,7}-\d{1,7}-\d\b",
         keep=True, about="codes of goods"),
)  # fmt: skip
"""The table; it is asked before all others."""
