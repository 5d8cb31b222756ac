"""What in answers of the Reports API is secret."""

from mockserver.redaction import Rule

RULES: tuple[Rule, ...] = (
    Rule("reports_user", "username",
         ("deviceuser", "triggeruser", "profileusername", "loginusername", "actoruser",
          "loginuser", "evidencelockerfilepath"),
         about="users in the parameters of events"),
    Rule("reports_device", "device", ("virtualdeviceid", "clientdeviceid", "browserid"),
         check="opaque", about="devices in the parameters of events"),
    Rule("reports_hash", "hash", ("contenthash", "filehash"), within=("parameters",),
         about="hashes of files in the parameters of events"),
    Rule("reports_file", "content_name", ("contentname",), about="names of files"),
)  # fmt: skip
