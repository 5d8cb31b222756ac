"""Rules for what tells of people, devices and customers."""

from mockserver.redaction.numbers import NATIONAL
from mockserver.redaction.rule import Rule

_EMAIL_FIELDS = (
    "email", "emailaddress", "primaryemail", "userprincipalname", "useremail", "mail",
    "actoremail", "principalemail", "customeremail", "contactemail", "emails",
    "*email", "*emailaddress",
)  # fmt: skip
_GROUP_FIELDS = ("directmemberscount", "groupkey", "noneditablealiases")
_STREET_FIELDS = (
    "streetaddress", "street", "addressline1", "addressline2", "addressline3", "addresslines",
    "addressline", "pobox", "extendedaddress",
)  # fmt: skip
_PEOPLE = (
    "customer", "customers", "assignee", "assignees", "author", "authors", "reporter", "owner",
    "owners", "creator", "createdby", "updatedby", "modifiedby", "user", "users", "contact",
    "contacts", "employee", "employees", "patient", "patients", "recipient", "recipients", "sender",
    "billingdetails", "billing", "billingaddress", "shipping", "shippingaddress", "cardholder",
    "member", "members", "participant", "participants", "attendee", "attendees", "organizer",
    "committer", "reviewer", "reviewers", "requester", "submitter", "manager", "lead", "person",
    "people", "student", "students", "guest", "guests", "passenger", "passengers", "subscriber",
    "beneficiary", "payer", "payee", "buyer", "seller", "driver", "tenant", "candidate", "actor",
)  # fmt: skip
_PERSON_TEXTS = (
    "assignee", "author", "authors", "reporter", "owner", "creator", "createdby", "updatedby",
    "modifiedby", "recipient", "sender", "committer", "reviewer", "requester", "submitter",
    "attendee", "organizer", "patient", "contactname", "customername", "cardholder",
    "cardholdername", "recipientname", "sendername", "ownername", "authorname", "payeename",
    "accountholder", "accountholdername", "passengername", "guestname", "drivername", "buyername",
    "username", "realname", "legalname", "personname", "employeename", "signedby", "approvedby",
)  # fmt: skip
_VCARD = r"\b(?:FN|NICKNAME)(?:;[^:\r\n\x00]*)?:([^\r\n\x00]*\pL[^\r\n\x00]*)"
_VCARD_PARTS = r"\bN(?:;[^:\r\n\x00]*)?:([^\r\n\x00;]*\pL[^\r\n\x00;]*;[^\r\n\x00;]*;[^\r\n\x00]*)"
_NAME_WORDS = r"(\pL[\pL'\x{2019}.-]*(?: \pL[\pL'\x{2019}.-]*){1,3})"
_STREETS = (
    r"\b\d{1,5}[a-z]? (?:\pL[\pL'-]*\.? ){1,3}"
    r"(?:Street|Avenue|Road|Lane|Drive|Boulevard|Court|Square|Terrace|Way|St|Ave|Rd|Blvd|Crescent"
    r"|Close|Gardens|Parkway|Highway|Circle|Alley|Mews|Row)\b"
    r"|\p{Lu}[\pL-]*(?:straße|strasse|str\.|weg|allee|gasse|platz|ufer|damm|straat|laan|gracht"
    r"|vej|gatan|katu) ?\d{1,4}[a-zA-Z]?\b"
    r"|\p{Lu}\pL+ (?:Straße|Strasse|Str\.|Weg|Allee|Platz|Ring|Damm|Ufer) \d{1,4}[a-zA-Z]?\b"
    r"|\b\d{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|place|chemin|impasse|allée|quai|cours)"
    r" (?:de |du |des |la |le |les |l'|d')*\p{Lu}[\pL'-]*"
    r"|\b(?:Calle|Avenida|Avda\.|Plaza|Paseo|Via|Viale|Piazza|Corso|Rua|Ulica|ul\.) (?:\pL+ ){0,2}"
    r"\p{Lu}\pL+,? \d{1,4}[a-zA-Z]?\b"
    r"|(?i:\bP\.? ?O\.? ?Box|\bPostfach|\bBoîte postale) \d{2,6}\b"
)
_PHONES = (
    r"(?:\+[1-9]\d[\d ().-]{6,16}\d\b|\(\d{3}\) ?\d{3}-\d{4}\b|\b\d{3}-\d{3}-\d{4}\b"
    r"|\b[2-9]\d\d\.[2-9]\d\d\.\d{4}\b"
    r"|\b0[1-9](?:[ .]\d\d){4}\b|\b01[5-7]\d[ /-]\d{6,8}\b|\b0\d{2,4} \d{3,4} \d{4}\b)"
)
_PHONE_SAID = (
    r"(?i)\b(?:tel(?:ephone|efon)?|tél|phone|fon|mobile?|cell|handy|fax|call(?: me)?(?: at| on)?"
    r"|whatsapp|msisdn)\b(?:\.?:|\.?:?[ \t])[ \t]*(\(?\+?\d[\d ()/.-]{5,16}\d)\b"
)
_POSTAL_FIELDS = ("postalcode", "zipcode", "postcode")

PERSONAL: tuple[Rule, ...] = (
    Rule("email", "email", _EMAIL_FIELDS,
         r"[^\s@\"'<>()\[\],;:/\\=&?#|{}%\x00-\x1f`]+@(?:[\pL\d](?:[\pL\d-]*[\pL\d])?\.)+\pL{2,}",
         about="e-mail addresses, anywhere"),
    Rule("person_name", "person_name",
         ("givenname", "familyname", "fullname", "firstname", "lastname", "middlename",
          "surname", "maidenname", "nickname"),
         check="person",
         about="names of people by field"),
    Rule("person_within", "person_name", ("name", "displayname", "fullname", "username", "title"),
         within=_PEOPLE, check="name", about="names in what tells of a person"),
    Rule("person_text", "person_name", _PERSON_TEXTS, check="name",
         about="who did it, where it is a name"),
    Rule("person_card", "person_name", pattern=_VCARD, about="names on a vCard"),
    Rule("person_parts", "person_name", pattern=_VCARD_PARTS,
         about="names in their parts on a vCard"),
    Rule("person_calendar", "person_name", pattern=rf"(?i:;CN=)\"?{_NAME_WORDS}",
         about="names in a calendar"),
    Rule("card_address", "street",
    pattern=r"(?i)\bADR(?:;[^:\r\n\x00]*)?:([^\r\n\x00]*\pL[^\r\n\x00]*)",
         about="addresses on a vCard"),
    Rule("name_beside_email", "person_name", ("name", "displayname", "username"),
         beside=_EMAIL_FIELDS[:-3], apart=_GROUP_FIELDS, about="names beside an e-mail address"),
    Rule("phone", "phone",
         ("phone", "phones", "phonenumber", "phonenumbers", "mobile", "mobilephone", "telephone",
          "recoveryphone", "fax", "*phonenumber", "msisdn"),
         _PHONES,
         about="phone numbers"),
    Rule("phone_said", "phone", pattern=_PHONE_SAID, about="phone numbers that a text calls so"),
    Rule("street", "street", _STREET_FIELDS,
         _STREETS,
         about="postal addresses"),
    Rule("postal_code", "postal_code", _POSTAL_FIELDS,
         r"\b[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2}\b", about="postal codes"),
    Rule("city", "city", ("city", "town", "locality"), beside=(*_STREET_FIELDS, *_POSTAL_FIELDS),
         about="towns within an address"),
    Rule("birth", "birth", ("birthdate", "birthday", "dateofbirth", "dob"), about="birthdays"),
    Rule("mac", "mac",
         ("mac", "macaddress", "ethernetmacaddress", "ethernetmacaddress0", "wifimacaddress",
          "dockmacaddress", "bssid"),
         r"\b(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?::[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2})?"
         r"|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}(?:-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2})?"
         r"|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}-[0-9A-Fa-f]{6})\b",
         check="mac",
         about="MAC addresses"),
    Rule("ipv6", "ipv6",
         pattern=r"\b(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}\b"
                 r"|(?:[0-9A-Fa-f]{1,4}:){1,7}(?::[0-9A-Fa-f]{1,4}){1,6}(?:(?:\.\d{1,3}){3})?\b"
                 r"|(?:[0-9A-Fa-f]{1,4}:){2,7}:)",
         check="ipv6", about="IPv6 addresses"),
    Rule("ipv4", "ipv4", pattern=r"\b(?:\d{1,3}\.){3}\d{1,3}\b", check="ipv4",
         about="IPv4 addresses"),
    Rule("uuid", "uuid",
         pattern=r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b",
         about="UUIDs: ids of devices, browsers, requests"),
    Rule("hash", "hash",
         ("md5hash", "sha1hash", "sha256hash", "md5", "sha1", "sha256"),
         r"\b(?:[0-9a-f]{128}|[0-9a-f]{96}|[0-9a-f]{64}|[0-9a-f]{56}|[0-9a-f]{40}|[0-9a-f]{32}"
         r"|[0-9A-F]{128}|[0-9A-F]{96}|[0-9A-F]{64}|[0-9A-F]{56}|[0-9A-F]{40}|[0-9A-F]{32})\b",
         check="hex", optional=True, about="hashes in hex"),
    Rule("hash_beside_device", "hash",
         ("md5hash", "sha1hash", "sha256hash", "md5", "sha1", "sha256", "contenthash", "filehash"),
         beside=("deviceid", "serialnumber", "machineid", "macaddress", "devicename",
         *_EMAIL_FIELDS[:-3]),
         check="opaque", about="hashes of what is on somebody's device"),
    Rule("google_account", "account", pattern=r"\b1\d{20}\b", about="ids of Google accounts"),
    Rule("id_beside_email", "account", ("id", "userid", "uid", "sub"),
         beside=_EMAIL_FIELDS[:-3], check="opaque", about="ids beside an e-mail address"),
    Rule("profile", "profile", ("profileid", "gaiaid", "obfuscatedgaiaid", "uniqueid"),
         check="opaque", about="ids of profiles"),
    Rule("customer", "customer",
         ("customer", "customerid", "obfuscatedcustomerid", "directorycustomerid"),
         r"\bC0[0-9a-z]{7}\b", collections=("customers",), check="opaque",
         about="customer ids"),
    Rule("org_unit", "org_unit", pattern=r"\b03ph[0-9a-z]{6,20}\b", about="ids of org units"),
    Rule("project", "project",
         ("projectid", "projectnumber", "quotaprojectid", "quotaproject", "xgooguserproject",
          "consumerprojectid"),
         collections=("projects",), about="project ids and numbers"),
    Rule("device", "device",
         ("deviceid", "deviceserialnumber", "machineid", "hardwareid", "imei", "meid", "udid",
          "virtualdeviceid", "directoryapiid", "androidid", "advertisingid", "*deviceid"),
         collections=("devices", "chromeosdevices", "chromebrowsers"), check="opaque",
         about="ids of devices"),
    Rule("device_name", "device_name", ("devicename", "machinename", "computername", "netbiosname"),
         about="names of devices: people name them after themselves"),
    Rule("account_name", "username", ("osusername", "lastdeviceuser", "lastdeviceusers", "osuser",
                                      "annotateduser", "annotatedlocation", "loginname"),
         about="names of accounts on a device"),
    Rule("serial", "serial", ("serialnumber", "serial", "servicetag", "assetid", "assettag",
                              "annotatedassetid"),
         check="opaque", about="serial numbers"),
    Rule("organization", "organization", ("organizationid", "billingaccountid"),
         collections=("organizations", "folders", "billingaccounts"), check="opaque",
         about="ids of organizations, folders and billing accounts"),
    Rule("domain", "domain", ("domainname", "customerdomain", "primarydomain", "hd",
                              "primarydomainname", "hosteddomain"),
         about="domains of a customer"),
    Rule("card", "card", ("cardnumber", "creditcardnumber", "pan"),
         r"\b(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|3[0-9]\d{2}|6\d{3})(?:[ -]?\d{4}){2}[ -]?\d{1,7}\b"
         r"|\b3[47]\d{2}[ -]?\d{6}[ -]?\d{5}\b",
         check="luhn", about="card numbers with a right check digit"),
    Rule("iban", "iban", ("iban",), r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b",
         check="iban", about="IBANs with right check digits"),
    Rule("bank_account", "bank_account",
         ("accountnumber", "bankaccount", "bankaccountnumber", "routingnumber", "sortcode"),
         about="account numbers by field"),
    Rule("tax_number", "tax_number",
         ("ssn", "socialsecuritynumber", "taxid", "nationalid", "passportnumber", "driverlicense",
          "passport", "passportno", "driverslicense", "driverslicensenumber", "licensenumber",
          "nationalinsurancenumber", "nino", "personnummer", "pesel", "bsn", "cpf", "curp", "rfc",
          "aadhaar", "aadhaarnumber", "insee", "nir", "dni", "nie", "codicefiscale", "steuerid",
          "identitynumber", "idcardnumber", "residentid", "socialinsurancenumber", "medicareid"),
         rf"\b(?:{NATIONAL})\b", check="national", about="numbers that states give people"),
    Rule("passport", "tax_number",
         pattern=r"(?i:\bpassport(?:[ \t]+(?:no|nr|number"
                 r"|id))?\.?[ \t:#]*)([A-Z0-9]{1,3}[A-Z0-9]*\d[A-Z0-9]{4,8})\b",
         about="passports that a text calls so"),
    Rule("passport_line", "tax_number", pattern=r"\b[PIAC][A-Z<][A-Z]{3}([A-Z]+<[A-Z<]{20,})",
         about="the line of a passport that machines read"),
    Rule("coordinates", "coordinate",
         ("latitude", "longitude", "lat", "lng", "lon", "latlng", "coordinates", "geolocation"),
         r"-?\d{1,2}\.\d{4,}, ?-?\d{1,3}\.\d{4,}", optional=True, about="where somebody is"),
    Rule("etag", "etag", ("etag", "ifmatch", "ifnonematch"), check="etag",
         about="entity tags: they name who holds what"),
)  # fmt: skip
"""The table."""
