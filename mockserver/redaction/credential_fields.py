"""The fields that hold credentials, by normalised names: all that a journal needs of the rules."""

TOKEN_FIELDS = (
    "accesstoken", "actortoken", "authtoken", "bearertoken", "csrftoken", "idtoken",
    "oauthtoken", "refreshtoken", "securitytoken", "sessiontoken", "signedjwt", "subjecttoken",
    "token", "xauthtoken", "xcsrftoken", "xsrftoken", "xxsrftoken",
)  # fmt: skip
PASSWORD_FIELDS = (
    "passphrase", "passwd", "password", "pwd", "clientsecret", "secret", "secretkey",
    "secretaccesskey", "sharedsecret", "webhooksecret", "pswd", "passwort", "kennwort",
    "motdepasse", "senha", "wachtwoord", "contraseña", "contrasena", "hasło", "haslo", "lösenord",
    "пароль", "密码", "psk", "mnemonic", "seedphrase", "recoveryphrase", "secretphrase",
    "credentials", "credential", "securityanswer", "kubernetessecret", "snmpcommunity",
    "connectionstring", "requirepass", "masterauth", "secretstring",
    "clave", "jelszó", "heslo", "parola",
)  # fmt: skip
KEY_FIELDS = ("apikey", "privatekey", "privatekeydata", "xapikey", "xgoogapikey", "accesskey")
AUTHORIZATION_FIELDS = (
    "authorization", "proxyauthorization", "xserverlessauthorization", "xauthorization",
)  # fmt: skip
COOKIE_FIELDS = ("cookie", "setcookie", "cookies")
ASSERTION_FIELDS = ("assertion", "clientassertion", "samlresponse", "samlassertion")

CREDENTIAL_FIELDS = frozenset(
    TOKEN_FIELDS
    + PASSWORD_FIELDS
    + KEY_FIELDS
    + AUTHORIZATION_FIELDS
    + COOKIE_FIELDS
    + ASSERTION_FIELDS
)
"""Fields that hold nothing but a credential; what no journal ever holds."""
