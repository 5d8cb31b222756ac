"""What in answers of the Directory API is secret."""

from mockserver.redaction import Rule

RULES: tuple[Rule, ...] = (
    Rule("directory_group", "group", ("groupid",), collections=("groups",), check="opaque",
         about="ids of groups"),
    Rule("directory_organization", "organization_name", ("organizationname",),
         about="the name of the customer"),
    Rule("directory_accounts", "username", ("im", "ims", "gecos", "posixusername"),
         about="names of accounts elsewhere"),
    Rule("directory_external_id", "external_id", ("externalids",), about="numbers of employees"),
    Rule("directory_relation", "person_name", ("relations", "manager"), about="names of relatives"),
    Rule("directory_ssh_key", "ssh_key", ("sshpublickeys", "fingerprint"), about="SSH keys"),
)  # fmt: skip
