"""The default rules: what only looks like a secret, credentials, and personal data. Data only."""

from mockserver.redaction.credential_fields import (
    ASSERTION_FIELDS,
    AUTHORIZATION_FIELDS,
    COOKIE_FIELDS,
    KEY_FIELDS,
    PASSWORD_FIELDS,
    TOKEN_FIELDS,
)
from mockserver.redaction.pseudonyms import NATIONAL
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
         keep=True, about="digests and fingerprints", search_group=3),
    Rule("kept_file_name", "kept",
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

_PEM = (
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^\x00]*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|[^\x00]*)"
)
_JWT = r"\beyJ[\w-]{5,}\.[\w-]{2,}\.[\w-]*"
_USERINFO = r"://([^\s/@\"'<>?#]{1,256})@(?:\b|\[)"
_USERINFO_BARE: tuple[tuple[str, str], ...] = (
    ("user_info_without_scheme",
     r"//([^\s/@:\"'<>?#]{1,128}:[^\s/@\"'<>?#]{3,256})@(?:\b|\[)"),
    ("user_info_after_program",
     r"\b(?:ssh|scp|sftp|rsync|l?ftp|telnet)[ \t]+(?:-\S+[ \t]+){0,4}"
     r"([\w.-]+:[^\s@/:\"'\x00]{3,})@(?:\b|\[)"),
)  # fmt: skip
_SCHEMES = r"(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{8,}"
_COOKIES = r"(?i)\bcookie:\s*([^\s=;\"']+=[^\r\n\"']*)"
_NAMES = (
    r"token|secret|passw(?:or)?d(?:digest)?|passphrase|passwort|kennwort|pswd|pwd|[_-]pass|\bpass"
    r"|(?-i:[a-z]Pass)|client-key-data|\bpsk"
    r"|(?:api|secret|private|access|account|signing|encryption|auth|master|license|shared)[_-]?key|apikey"
    r"|authorization|assertion|cookie|session[_-]?id|credentials?|[_-]pw|\bpw"
)
_ASSIGNED = (
    rf"(?i)[\w.-]*(?:{_NAMES})"
    r"\\*[\"']?[ \t]*(?:[:=]|=>|::[ \t])[ \t]*\\*[\"'`]?"
    r"((?:(?:bearer|basic|token|oauth|geniekey|ssws|splunk|digest|negotiate|hawk|apikey)"
    r"[ \t]+)?"
    r"[^\s\"'`\\,;&<>{}()\[\]\x00:][^\s\"'`\\,;&<>{}()\[\]\x00]{3,}\(?)"
)
_BRACED = r"(?i)\b(?:password|pwd)[ \t]*=[ \t]*\{([^{}\n\x00]{4,})\}"
_PAGES = (
    r"(?i)[\w.-]*(?:page|sync|continuation|resume|delta|skip)[_-]?token"
    r"\\*[\"']?[ \t]*(?:[:=]|=>)[ \t]*\\*[\"']?([^\s\"'\\,;&<>{}()\[\]\x00]{4,})"
)
_FLAG = (
    r"(?i)\B--?[\w-]*(?:token|secret|passw(?:or)?d|passphrase|passwd|api-?key|access-key"
    r"|storepass|keypass|pass(?:in|out)?|\Bpw)(?:[ \t]+|=)(?:pass:)?"
    r"[\"']?([^\s\"'\\,;<>{}()\[\]\x00-][^\s\"'\\,;<>{}()\[\]\x00]{3,})"
)
_CONFIGURED = (
    r"(?:\b(?:(?:[A-Z][A-Z0-9_]*_|SSH|DB|SMTP|FTP|SQL|ROOT|ADMIN)?PASS"
    r"|[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|API_?KEY))=[\"']?"
    r"|(?i:;[ \t]*(?:password|pwd)=|[?&](?:password|passwd|pwd|secret|client_secret|api_?key"
    r"|token|(?:access|auth)_token)=)"
    r"|(?i:\B--[\w-]*(?:token|secret|password|passwd|passphrase|api-?key)=[\"']?))"
    r"([^\s\"'\\,;&<>{}()\[\]\x00]{4,})"
)
_END = r"[^\s\"'`<>,;.!?:&{}()\[\]\\\x00]"
_WORD = rf"[^\s\"'`<>,;&{{}}()\[\]\\\x00]*{_END}"
_PROSE = (
    r"(?i)\b(?:password|passphrase|passcode|passwort|kennwort|secret key|contraseña|mot de passe"
    r"|senha|wachtwoord|pw|pwd)\b"
    r"(?:[ \t]+(?:for|of|für)[ \t]+\S+)?"
    r"(?:[ \t]*(?:is|was|are|ist|lautet|es|est|é|to|has been|set|reset|changed|[:=]))*"
    rf"[ \t]*[\"'`]?({_WORD})"
)
_CODE = (
    r"(?i)\b(?:(?:(?:verification|security|confirmation|login|log-in|sign-?in|access|auth\w*"
    r"|recovery|one[- ]time|your|ihr|dein|2fa|mfa|sms)[ \t]+)+(?:code|pin|tan|passcode|otp)"
    r"|otp|pin|code(?:[ \t]+is))(?:[ \t]+(?:is|ist|lautet))?[ \t]*[:=]?[ \t]*"
    r"\b(\d{3}[ -]?\d{3}|\d{4,8})\b"
)
_CODE_USED = (
    r"(?i)\b(?:use|enter)[ \t]+(\d{4,8})[ \t]+(?:to|as)[ \t]+(?:verify|your|sign|log|confirm)"
)
_CODE_SHOWN = (
    r"(?i)\b(?:your|verification|security|login|confirmation|one-time|otp|sign-?in)\b[^<\n\x00]{0,30}?"
    r"\b(?:code|pin|otp|passcode)\b[^<\n\x00]{0,10}(?:<[^<>\x00]*>\s*)+"
    r"(\d{3}[ -]?\d{3}|\d{4,8})\b"
)
_CODE_FIRST = (
    r"(?i)\b(\d{3}[ -]?\d{3}|\d{4,8})[ \t]+(?:is|ist|est|es)[ \t]+"
    r"(?:your|the|dein|ihr|votre|su|tu)\b[^\n.\x00]{0,40}?"
    r"\b(?:code|pin|otp|tan|passcode|password|kennwort)\b"
)
WORDS_OF_WALLETS = r"\b((?:[a-z]{3,8}[ \t]+){11,23}[a-z]{3,8})\b"
_BASE32_SEED = (
    r"(?i:\b(?:totp|otp|2fa|mfa|authenticator|two-factor)\b[^\n\x00]{0,40}?[ \t:=])"
    r"((?:[A-Z2-7]{4}[ -]?){4,16})\b"
)
_LOGINS: tuple[tuple[str, str], ...] = (
    ("curl_user",
     r"\bcurl[^\n\x00|;]{0,200}?[ \t](?:-u|--user"
     r"|--proxy-user)[ \t=]*[\"']?[^\s:\"']+:([^\s\"'\x00]+)"),
    ("mysql_password_option",
     r"\bmysql(?:dump|admin)?\b[^\n\x00|;]{0,120}?[ \t]-p([^\s\"'\x00]+)"),
    ("program_option_p",
     r"\b(?:sshpass|(?:docker|podman|nerdctl|buildah|skopeo|oc|cf|az|ibmcloud|registry)[ \t]+login"
     r"|mongo\w*|cqlsh|cypher-shell|rdesktop)\b[^\n\x00|;]{0,120}?"
     r"[ \t]-p[ \t=]*[\"']?([^\s\"'\x00]{4,})"),
    ("redis_password_option",
     r"\bredis-cli\b[^\n\x00|;]{0,120}?[ \t](?:-a|--pass)[ \t=]*[\"']?([^\s\"'\x00]{4,})"),
    ("ldap_password_option",
     r"\bldap(?:search|add|modify|delete|whoami|passwd|compare)\b[^\n\x00|;]{0,160}?"
     r"[ \t]-w[ \t]*[\"']?([^\s\"'\x00]{4,})"),
    ("program_option_capital_p",
     r"\b(?:sqlcmd|bcp|ipmitool|mosquitto_(?:pub|sub|rr)|unzip|zip|isql)\b[^\n\x00|;]{0,160}?"
     r"[ \t]-P[ \t]*[\"']?([^\s\"'\x00]{4,})"),
    ("smb_user_option",
     r"\b(?:smbclient|rpcclient|winexe|wmic|net[ \t]+(?:rpc|ads))\b[^\n\x00|;]{0,160}?"
     r"[ \t](?:-U|--user)[ \t=]*[\"']?[^\s%\"']+%([^\s\"'\x00]{4,})"),
    ("net_use_password",
     r"(?i)\bnet[ \t]+use\b[^\n\x00|]{0,80}?\\\\\S+[ \t]+([^\s/\"'\x00]\S{3,})[ \t]+/user"),
    ("net_user_password",
     r"(?i)\bnet[ \t]+user[ \t]+[\w.-]+[ \t]+([^\s/\"'\x00]\S{3,})"),
    ("sqlplus_login",
     r"\bsqlplus[ \t]+(?:-\w+[ \t]+)*[\w.-]+/([^\s@/\"'\x00]{3,})@"),
    ("jdbc_oracle_login",
     r"\bjdbc:oracle:\w+:[\w.-]+/([^\s@/\"'\x00]{3,})@"),
    ("httpie_auth_option",
     r"\bhttpie?[ \t]+(?:-\S+[ \t]+)*(?:-a|--auth)[ \t=]*[\"']?[^\s:\"']+:([^\s\"'\x00]{3,})"),
    ("htpasswd_password",
     r"\bhtpasswd[ \t]+-\w*b\w*[ \t]+(?:-\S+[ \t]+)*\S+[ \t]+[\w.-]+[ \t]+"
     r"[\"']?([^\s\"'\x00]{3,})"),
    ("rabbitmq_password",
     r"\brabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+\S+[ \t]+[\"']?([^\s\"'\x00]{3,})"),
    ("chpasswd_input",
     r"\becho[ \t]+(?:-\w+[ \t]+)?[\"']?[\w.-]+:([^\s\"':|\x00]{3,})[\"']?[ \t]*\|"
     r"[ \t]*(?:sudo[ \t]+)?chpasswd"),
    ("password_piped_into_program",
     r"\becho[ \t]+(?:-\w+[ \t]+)?[\"']?([^\s\"'|\x24\x00]{4,})[\"']?[ \t]*\|[ \t]*"
     r"(?:sudo[ \t]+-S|kinit|cryptsetup|smbpasswd|su[ \t]"
     r"|[^\n|\x00]{1,60}(?:--?pass\w*-(?:stdin|fd)|[ \t]stdin)\b|passwd[ \t]+--stdin)"),
    ("archive_password_option",
     r"\b(?:7za?|rar)[ \t]+\w\b[^\n\x00|;]{0,120}?[ \t]-h?p([^\s\"'\x00]{4,})"),
    ("wifi_command_password",
     r"\b(?:nmcli|wpa_cli|iwctl)\b[^\n\x00]{0,120}?\b(?:password|psk|passphrase)[ \t]+"
     r"[\"']?([^\s\"'\x00]{4,})"),
    ("lftp_user",
     r"\blftp\b[^\n\x00]{0,80}?[ \t]-u[ \t]*[\w.@-]+,([^\s\"'\x00]{3,})"),
    ("ipsec_shared_key",
     r"\bPSK[ \t]+\"([^\"\n\x00]{4,})\""),
    ("credentials_call",
     r"\bCredentials\((?:[ \t]*\"[^\"\n\x00]*\",){1,3}[ \t]*\"([^\"\n\x00]{4,})\"[ \t]*\)"),
    ("freerdp_password",
     r"\bxfreerdp\b[^\n\x00]{0,160}?[ \t]/p:([^\s\"'\x00]{3,})"),
    ("secret_set_body",
     r"\bsecret[ \t]+set[ \t]+[A-Z]\w+[^\n\x00|;]{0,80}?[ \t](?:-b|--body)[ \t=]+"
     r"[\"']?([^\s\"'\x00]{4,})"),
    ("aws_parameter_value",
     r"\bput-parameter\b[^\n\x00]{0,120}?(?i:pass|secret|token|key)[^\n\x00]{0,120}?--value[ \t=]+"
     r"[\"']?([^\s\"'\x00]{4,})"),
    ("github_mask",
     r"::add-mask::([^\s\x00]{4,})"),
    ("wifi_qr_code",
     r"\bWIFI:(?:[A-Z]:(?:\\[^\n]|[^;\n\x00\\])*;)*P:((?:\\[^\n]|[^\\;\n\x00])+);"),
    ("powershell_secure_string",
     r"\bConvertTo-SecureString[ \t]+(?:-\w+[ \t]+){0,3}[\"']([^\"'\n\x00]+)[\"']"),
    ("basic_auth_call",
     r"(?:HTTP(?:Basic|Digest)Auth|SetBasicAuth|NetworkCredential|[Bb]asic_?[Aa]uth"
     r"|UsernamePasswordCredentials|BasicAWSCredentials|PlainAuth|\bauth[ \t]*=[ \t]*)"
     r"\([\"'][^\"'\n\x00]*[\"'],[ \t]*(?:Some\()?[\"']([^\"'\n\x00]+)[\"']"),
    ("snmp_server_community",
     r"\bsnmp-server[ \t]+community[ \t]+(\S{3,})"),
    ("snmp_community_option",
     r"\bsnmp(?:walk|get|set|bulkwalk|table)\b[^\n\x00]{0,80}?[ \t]-c[ \t]*(\S{3,})"),
    ("user_and_pass_commands",
     r"\bUSER[ \t]+\S+\r?\n(?:[^\r\n]*\r?\n)?PASS[ \t]+([^\s\x00]+)"),
    ("smtp_auth_command",
     r"\bAUTH[ \t]+(?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5)[ \t]+([A-Za-z0-9+/]{8,}={0,2})"),
    ("kubernetes_bearer_protocol",
     r"(?i)\bbearer\.authorization\.k8s\.io\.([\w-]+)"),
    ("slack_webhook_path",
     r"/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/([A-Za-z0-9]{16,})"),
    ("netrc_password",
     r"\bmachine[ \t]+\S+[ \t\n]+login[ \t]+\S+[ \t\n]+password[ \t]+([^\s\x00]+)"),
    ("pgpass_password",
     r"\b(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{2,5}:[\w*-]+:[\w*-]+:([^\s:\x00]{4,})"),
    ("go_database_login",
     r"\b[\w.-]+:([^\s:/@\x00]{3,})@(?:tcp|unix|udp)\("),
    ("sql_identified_by",
     r"(?i)\bidentified[ \t]+by[ \t]+(?:password[ \t]+)?[\"']([^\s\"'\x00]{4,})[\"']"),
    ("php_define_single_quoted",
     r"(?i)\bdefine\([ \t]*[\"']\w*(?:password|secret|token|_key|_salt)[\"'][ \t]*,[ \t]*"
     r"'([^'\n\x00]{6,})'"),
    ("php_define_double_quoted",
     r"(?i)\bdefine\([ \t]*[\"']\w*(?:password|secret|token|_key|_salt)[\"'][ \t]*,[ \t]*"
     r"\"([^\"\n\x00]{6,})\""),
    ("discord_webhook_path",
     r"/api/webhooks/\d{6,}/([\w-]{20,})"),
    ("teams_webhook_path",
     r"/IncomingWebhook/([A-Za-z0-9]{16,}(?:/[0-9a-f-]{16,})?)"),
    ("ifttt_key_path",
     r"/with/key/([\w-]{16,})"),
)  # fmt: skip
_SAID_LIKE: tuple[tuple[str, str], ...] = (
    ("router_password",
     r"(?i)\b(?:password|secret|key-string|md5|psk|wpa-psk)[ \t]+(?:ascii[ \t]+|encrypted[ \t]+)?"
     r"\d[ \t]+(\S{4,})"),
    ("router_enable_password",
     r"(?i)\benable[ \t]+(?:secret|password)[ \t]+(?:level[ \t]+\d+[ \t]+)?(\S{4,})"),
    ("login_command_password",
     r"\b(?:LOGIN|IDENTIFY)[ \t]+(?:[\"']?[\w.@-]+[\"']?[ \t]+)?[\"']?([^\s\"'\x00]{4,})"),
    ("password_call",
     r"(?i)\bpassword\([ \t]*[\"']([^\"'\n\x00]{4,})[\"']"),
    ("credentials_in_sentence",
     r"(?i)\b(?:credentials?|creds|logins?|zugangsdaten|user/pass(?:word)?)\b[ \t]*(?:are|is|[:=])"
     r"[ \t]*[\w.@+-]+[ \t]*[/|][ \t]*([^\s\"'\x00]{4,})"),
    ("secret_set_value",
     r"(?i)\bsecrets?[ \t]+(?:set|put)[ \t]+\S+[ \t]+([^\s\"'\x00-][^\s\"'\x00]{3,})"),
)  # fmt: skip
_LOGIN_QUOTED = r"\bLOGIN[ \t]+\S+[ \t]+\"([^\"\n\x00]{4,})\""
_PUTTY = r"Private-Lines:[ \t]*\d+\s+((?:[A-Za-z0-9+/=-]+\s*)+)"

VENDORS: tuple[tuple[str, str], ...] = (
    ("GitHub", r"gh[pousr]_\w{16,}|github_pat_\w{20,}"),
    ("GitLab", r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|imt|agent|ffct)-[\w-]{16,}|GR1348941[\w-]{16,}"),
    ("Atlassian", r"AT(?:ATT3|CTT3|BB|OAT)[\w=-]{24,}"),
    ("packages", r"npm_\w{30,}|pypi-[\w-]{40,}|rubygems_[0-9a-f]{40,}|cio[A-Za-z0-9]{32}"
                 r"|CLOJARS_[0-9a-f]{50,}"
                 r"|oy2[a-z0-9]{43}"),
    ("Slack", r"xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{16,}|xwfp-[\w-]{16,}"),
    ("mail", r"SG\.[\w-]{16,}\.[\w-]{16,}|key-[0-9a-f]{32}|x(?:keysib|smtpsib)-[0-9a-f]{40,}[\w-]*"
             r"|[0-9a-f]{32}-us\d{1,2}|re_[A-Za-z0-9]{8,}_[A-Za-z0-9]{16,}"),
    ("monitoring", r"NR(?:AK|II|IQ|AL|AA|JS|BR|SP)-[\w-]{16,}"
                   r"|dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"
                   r"|sntry[us]_[\w=+/-]{40,}|phx_[A-Za-z0-9]{30,}|sq[pua]_[0-9a-f]{40}"
                   r"|rdme_[a-z0-9]{60,}"),
    ("shops and payment", r"shp(?:at|ca|pa|ss|tka|tkr)_[0-9a-fA-F]{32}|[rsp]k_(?:live|test"
                          r"|prod)_\w{10,}"
                          r"|whsec_[\w+/=]{16,}|EAAA[\w-]{56,}|sq0[a-z]{3}-[\w-]{22,}"
                          r"|rzp_(?:live|test)_\w{14,}"
                          r"|FLWSECK[\w-]{12,}|EZ[AT]K[A-Za-z0-9]{54}|access-(?:sandbox"
                          r"|development|production)-[0-9a-f-]{36}"
                          r"|A21AA[\w-]{40,}|duffel_(?:live|test)_[\w-]{40,}|access_token\$(?:production"
                          r"|sandbox)\$[\w\x24]{16,}"),
    ("models", r"sk-[\w-]{20,}|hf_\w{20,}|r8_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}"
               r"|xai-[A-Za-z0-9]{60,}"
               r"|pplx-[A-Za-z0-9]{40,}|AQ\.[\w-]{40,}|tvly-\w{20,}|co_[A-Za-z0-9]{36,}"),
    ("chat", r"oauth:[a-z0-9]{30}\b"
             r"|[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}|\d{8,10}:AA[\w-]{32,34}"),
    ("Twilio", r"(?:SK|AC)[0-9a-f]{32}"),
    ("work", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}"
             r"|figd_[\w-]{36,}"
             r"|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|pk_\d{5,10}_[A-Z0-9]{32}|tfp_[\w-]{40,}"
             r"|CFPAT-[\w-]{40,}"
             r"|ops_eyJ[\w-]{200,}|ddp_[A-Za-z0-9]{36}"),
    ("clouds", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|LTAI[A-Za-z0-9]{12,24}"
               r"|AKID[A-Za-z0-9]{13,40}|SCW[A-Z0-9]{17}"
               r"|do[opr]_v1_\w{40,}|dapi[0-9a-f]{32}(?:-\d)?|HRKU-[\w-]{36,}"
               r"|[A-Za-z0-9_~.-]{3}8Q~[\w.~-]{31,34}"
               r"|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|sb(?:p|_secret)_[\w-]{20,}"
               r"|FlyV1 fm\d_[\w+/=,-]{40,}"
               r"|nfp_[A-Za-z0-9]{36,}|pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}|eyJrIjoi[\w=]{40,}"
               r"|gl(?:sa|c)_[\w+/=-]{32,}"),
    ("delivery", r"hv[sbr]\.[\w-]{20,}|\bs\.[A-Za-z0-9]{24}"
                 r"|[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}|dckr_(?:pat|oat)_[\w-]{20,}"
                 r"|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}|PMAK-[0-9a-f-]{24,}"
                 r"|pul-[0-9a-f]{40}|bkua_[0-9a-f]{40}"
                 r"|CCIP(?:AT|RJ)_[\w]{20,}|pn[ub]_[A-Za-z0-9]{36}|ico-[A-Za-z0-9]{32}"
                 r"|snyk_\w{3}\.[\w.-]{24,}"
                 r"|(?:sdk|api"
                 r"|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
                 r"|tskey-[\w-]{16,}"),
    ("maps and files", r"[sp]k\.eyJ1Ijoi[\w-]{20,}\.[\w-]{20,}|sl\.[\w-]{120,}"
                       r"|EAACEdEose0cBA\w{20,}|AAAAAAAAA[A-Za-z0-9%]{60,}"),
    ("age", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
)  # fmt: skip
"""Vendors and the forms of their tokens."""
_VENDORS = r"\b(?:" + "|".join(form for _, form in VENDORS) + ")"
_HASHES = (
    r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|\$argon2(?:id|i|d)\$[\w=,\x24+/.-]{30,}"
    r"|\$(?:1|5|6|y|apr1|scrypt|pbkdf2[\w-]*|7)\$(?:rounds=\d+\$)?[\w./+\x24=,-]{20,}"
    r"|\{(?:SSHA|SHA|SMD5|MD5|SSHA256|SSHA512|CRYPT)\}[\w+/=\x24.]{16,}|\$[PH]\$[./A-Za-z0-9]{31}"
)
_WEBHOOKS = (
    r"\b(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks/\d+"
    r"|hooks\.zapier\.com/hooks/catch/\d+|maker\.ifttt\.com/trigger/\w+/with/key"
    r"|[\w.-]+\.webhook\.office\.com/webhookb2/[^\s\"'/]+/IncomingWebhook|api\.telegram\.org/bot"
    r"|outlook\.office\.com/webhook|hook\.\w+\.make\.com"
    r"|hooks\.airtable\.com/workflows/v1)/?([\w@:/.-]{10,})"
)
_LETTING_IN = (
    "resetpassword", "reset-password", "reset_password", "password-reset", "password_reset",
    "reset",
    "invite", "invites", "invitation", "invitations", "verify", "verify-email", "verification",
    "confirm", "confirmation", "confirm-email", "activate", "activation", "magic-link", "magic",
    "unsubscribe", "one-time", "onetime", "otl", "share", "shared", "s3cr3t", "unlock", "optout",
    "hooks/catch/[0-9]+", "webhook", "webhooks", "webhooks/[0-9]+", "impersonate", "recover",
    "join",
)  # fmt: skip

_LINKS = (
    rf"(?i)\b(?:{'|'.join(_LETTING_IN)})/?\?(?:[\w.-]+=[^&\s\"'<>\x00]{{0,60}}&){{0,3}}?"
    r"[\w.-]+=([\w%~-]{12,})"
)

CREDENTIALS: tuple[Rule, ...] = (
    Rule("private_key", "private_key", KEY_FIELDS[1:3], _PEM,
         check="pem", credential=True, about="private keys, PEM"),
    Rule("authorization", "authorization", AUTHORIZATION_FIELDS, credential=True,
         about="Authorization headers; their scheme stays"),
    Rule("cookie", "cookie", COOKIE_FIELDS, _COOKIES, check="cookies",
         credential=True,
         about="cookies; their names and attributes stay"),
    Rule("page_token", "page_token",
         ("pagetoken", "nextpagetoken", "prevpagetoken", "previouspagetoken", "synctoken",
          "nextsynctoken", "continuationtoken", "nextcursor", "startcursor", "endcursor",
          "?cursor", "pagecursor", "resumetoken", "deltatoken", "skiptoken", "?$skiptoken"),
         about="page and sync tokens: they hold what was asked for"),
    Rule("page_token_in_text", "page_token", pattern=_PAGES, check="opaque",
         about="`pageToken=...` in a text"),
    Rule("sign_in_parameter", "token",
         ("?state", "?nonce", "?code", "?codeverifier", "nonce", "cnonce", "nextnonce",
          "?relaystate", "relaystate", "?auth", "?hash", "?ticket", "?oauthverifier",
          "oauthverifier"),
         check="opaque", credential=True, about="what guards a sign-in"),
    Rule("assertion", "assertion", ASSERTION_FIELDS, credential=True, about="signed assertions"),
    Rule("token", "token",
         (*TOKEN_FIELDS, "*token", "devicecode", "usercode", "authorizationcode", "authcode",
          "codeverifier", "?usercode", "bearer", "jwt", "invitecode", "sastoken"), credential=True,
         about="tokens by the name of their field"),
    Rule("api_key", "api_key",
         ("apikey", "xapikey", "xgoogapikey", "accesskey", "*apikey", "?apikey",
          "subscriptionkey", "ocpapimsubscriptionkey", "licensekey", "signingkey",
          "encryptionkey", "hmackey", "masterkey", "authkey", "*authkey", "sessionkey",
          "*accountkey", "*accesskey", "ddapplicationkey", "appkey", "applicationkey",
          "consumerkey", "integrationkey", "*secretkey", "*encryptionkey", "*signingkey"),
         r"\bAIza[\w-]{30,40}", credential=True, about="API keys, anywhere"),
    Rule("random_key_field", "api_key",
         ("routingkey", "writekey", "*writekey", "streamkey", "ingestkey", "ingestionkey",
          "serverkey", "secretkeybase", "xhoneycombteam"), check="random", credential=True,
         about="keys of services that are called like others: only what looks made up"),
    Rule("api_key_in_query", "api_key", ("?key",), check="opaque", credential=True,
         about="API keys in queries"),
    Rule("password", "password",
         (*PASSWORD_FIELDS, "*password", "*passwd", "*secret", "*passphrase", "~pass", "~pw",
          "~pwd", "*passwordconfirmation", "*passwordhash", "*passwordsalt", "privatekeybase64",
          "clientkeydata", "accesscode", "doorcode",
          "*passwort", "*kennwort", "*secretaccesskey", "*connectionstring"),
         credential=True, about="passwords and shared secrets"),
    Rule("one_time_code", "one_time",
         ("~otp", "~totp", "~pin", "cvv", "cvv2", "cvc", "cvc2", "securitycode", "otpcode",
          "verificationcode", "recoverycode", "recoverycodes", "backupcode", "backupcodes",
          "mfacode", "twofactorcode", "totpcode", "smscode", "confirmationcode", "passcode",
          "onetimecode", "onetimepassword", "logincode"),
         _CODE, check="code",
         credential=True, about="codes that are used once"),
    Rule("signature", "signature", ("signature", "?sig", "xgoogsignature", "xamzsignature",
                                    "xhubsignature", "xhubsignature256", "xslacksignature",
                                    "stripesignature", "xtwiliosignature", "*signature",
                                    "?policy", "cloudfrontsignature", "cloudfrontpolicy"),
         check="opaque", credential=True, about="signatures of requests and URLs"),
    Rule("session", "session", ("sessionid", "xsessionid", "sid", "jsessionid", "phpsessid",
                                "mcpsessionid"), credential=True, about="session ids of a client"),
    Rule("user_info", "user_info", pattern=_USERINFO, credential=True,
         about="user and password in a URL"),
    Rule("jwe", "secret", pattern=r"\beyJ[\w-]{5,}(?:\.[\w-]*){4}", credential=True,
         about="JWTs that are encrypted"),
    Rule("jwt", "jwt", pattern=_JWT, credential=True, about="JWTs; claims stay readable"),
    Rule("google_access_token", "access_token", pattern=r"\bya29\.[\w.~+/=-]{6,}", credential=True,
         about="Google access tokens"),
    Rule("google_refresh_token", "refresh_token", pattern=r"\b1//[\w.~-]{6,}", credential=True,
         about="Google refresh tokens"),
    Rule("google_code", "secret", pattern=r"\b4/[0-9][\w-]{20,}", credential=True,
         about="Google authorization codes"),
    Rule("google_client_secret", "client_secret", pattern=r"\bGOCSPX-[\w-]{10,}", credential=True,
         about="Google OAuth client secrets"),
    Rule("vendor_token", "vendor_token", pattern=_VENDORS, credential=True,
         about="tokens that tell by their beginning whose they are", search_group=1),
    Rule("challenge_nonce", "secret",
         pattern=r"(?i)\b(?:c?nonce|nextnonce|opaque|response)=\"([^\"\x00]{6,})\"",
         credential=True, about="nonce and opaque of a challenge"),
    Rule("password_hash", "secret", pattern=_HASHES, credential=True,
         about="hashes of passwords", search_group=1),
    Rule("paseto", "secret", pattern=r"\bv[1-4]\.(?:local|public)\.[\w-]{20,}(?:\.[\w-]+)?",
         credential=True, about="PASETO tokens"),
    Rule("putty_key", "secret", pattern=_PUTTY, check="pem", credential=True,
         about="private keys of PuTTY"),
    Rule("mnemonic", "secret", pattern=WORDS_OF_WALLETS, check="mnemonic", credential=True,
         about="words that open a wallet"),
    Rule("totp_seed", "secret", pattern=_BASE32_SEED, credential=True,
         about="what one-time codes are made of"),
    Rule("one_time_code_of_google", "one_time", pattern=r"\bG-(\d{6})\b", credential=True,
         about="codes that Google sends"),
    Rule("one_time_code_to_use", "one_time", pattern=_CODE_USED, credential=True,
         about="codes that a sentence says to use"),
    Rule("one_time_code_on_page", "one_time", pattern=_CODE_SHOWN, credential=True,
         about="codes that a page shows"),
    Rule("one_time_code_first", "one_time", pattern=_CODE_FIRST, credential=True,
         about="codes that a sentence begins with"),
    *(Rule(name, "password", pattern=form, check="set", credential=True,
           about="passwords of command lines and of files of logins")
      for name, form in _LOGINS),
    *(Rule(name, "password", pattern=form, check="secretlike", credential=True,
           about="passwords of routers, of protocols, and beside their users")
      for name, form in _SAID_LIKE),
    Rule("login_command_quoted", "password", pattern=_LOGIN_QUOTED, check="phrase", credential=True,
         about="passwords of several words in a protocol"),
    *(Rule(name, "user_info", pattern=form, credential=True,
           about="user and password before a host, without a scheme")
      for name, form in _USERINFO_BARE),
    Rule("password_in_braces", "password", pattern=_BRACED, check="secretlike", credential=True,
         about="passwords in braces, as ODBC and JDBC write them"),
    Rule("password_option", "password", pattern=_FLAG, check="secretlike", credential=True,
         about="`--password ...` and the like"),
    Rule("path_token", "secret", collections=_LETTING_IN, check="random", credential=True,
         about="tokens in paths: what lets anybody in who has the link"),
    Rule("authentication_header", "authorization", ("authentication", "xauth", "xauthentication"),
         check="opaque", credential=True, about="headers in the place of Authorization"),
    Rule("link_token", "secret", pattern=_LINKS, check="random", credential=True,
         about="tokens in the query of a link that lets somebody in"),
    Rule("basic_auth_field", "secret", ("auth", "basicauth"), check="basic", credential=True,
         about="user and password in base64, as registries keep them"),
    Rule("telegram_path", "secret", pattern=r"/bot(\d{6,12}:[\w-]{20,})", credential=True,
         about="tokens of Telegram bots in paths"),
    Rule("webhook", "webhook", pattern=_WEBHOOKS,
         credential=True, about="webhook addresses that are a secret"),
    Rule("authorization_in_text", "authorization", pattern=_SCHEMES, check="scheme",
         credential=True, about="Bearer and Basic in a text"),
    Rule("credential_assigned", "assigned", pattern=_ASSIGNED, check="assigned", credential=True,
         about="`password=...` and the like in a text"),
    Rule("password_in_settings", "password", pattern=_CONFIGURED, check="set", credential=True,
         about="passwords that are words, where a program is set up: `DB_PASS=...`, `--token=...`"),
    Rule("password_in_sentence", "password", pattern=_PROSE, check="secretlike", credential=True,
         about="passwords that a sentence tells", search_group=2),
    Rule("mysql_argument", "secret", credential=True,
         about="`-pPASSWORD` of mysql and mariadb in a JSON list of arguments"),
    Rule("curl_argument", "secret", credential=True,
         about="the password after `-u` of curl in a JSON list of arguments"),
    Rule("smb_argument", "secret", credential=True,
         about="`-U USER%PASSWORD` of smbclient and its like in a JSON list of arguments"),
    Rule("program_argument", "secret", credential=True,
         about="what follows an option such as `sshpass -p` in a JSON list of arguments"),
    Rule("object_of_secrets", "secret", credential=True,
         about="texts in JSON objects called `secrets`, `secureJsonData` and the like"),
    Rule("stored_secret", "secret", credential=True,
         about="the value of a secret as a secret store gives it out in JSON"),
    Rule("typed_secret", "secret", credential=True,
         about="the value of a JSON object whose type is `password`, `SecureString` and the like"),
    Rule("kubernetes_secret", "secret", credential=True,
         about="`data` and `stringData` of a Kubernetes Secret in JSON and YAML"),
)  # fmt: skip
"""The table."""


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
    Rule("person_object", "person_name", ("name", "displayname", "fullname", "username", "title"),
         within=_PEOPLE, check="name", about="names in what tells of a person"),
    Rule("person_field", "person_name", _PERSON_TEXTS, check="name",
         about="who did it, where it is a name"),
    Rule("person_on_card", "person_name", pattern=_VCARD, about="names on a vCard"),
    Rule("person_parts_on_card", "person_name", pattern=_VCARD_PARTS,
         about="names in their parts on a vCard"),
    Rule("person_in_calendar", "person_name", pattern=rf"(?i:;CN=)\"?{_NAME_WORDS}",
         about="names in a calendar"),
    Rule("street_on_card", "street",
    pattern=r"(?i)\bADR(?:;[^:\r\n\x00]*)?:([^\r\n\x00]*\pL[^\r\n\x00]*)",
         about="addresses on a vCard"),
    Rule("name_beside_email", "person_name", ("name", "displayname", "username"),
         beside=_EMAIL_FIELDS[:-3], apart=_GROUP_FIELDS, about="names beside an e-mail address"),
    Rule("phone", "phone",
         ("phone", "phones", "phonenumber", "phonenumbers", "mobile", "mobilephone", "telephone",
          "recoveryphone", "fax", "*phonenumber", "msisdn"),
         _PHONES,
         about="phone numbers"),
    Rule("phone_in_text", "phone", pattern=_PHONE_SAID, about="phone numbers that a text calls so"),
    Rule("street", "street", _STREET_FIELDS,
         _STREETS,
         about="postal addresses", search_group=2),
    Rule("postal_code", "postal_code", _POSTAL_FIELDS,
         r"\b[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2}\b", about="postal codes"),
    Rule("city", "city", ("city", "town", "locality"), beside=(*_STREET_FIELDS, *_POSTAL_FIELDS),
         about="towns within an address"),
    Rule("birthday", "birth", ("birthdate", "birthday", "dateofbirth", "dob"), about="birthdays"),
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
    Rule("passport_in_text", "tax_number",
         pattern=r"(?i:\bpassport(?:[ \t]+(?:no|nr|number"
                 r"|id))?\.?[ \t:#]*)([A-Z0-9]{1,3}[A-Z0-9]*\d[A-Z0-9]{4,8})\b",
         about="passports that a text calls so"),
    Rule("passport_machine_line", "tax_number",
         pattern=r"\b[PIAC][A-Z<][A-Z]{3}([A-Z]+<[A-Z<]{20,})",
         about="the line of a passport that machines read"),
    Rule("coordinates", "coordinate",
         ("latitude", "longitude", "lat", "lng", "lon", "latlng", "coordinates", "geolocation"),
         r"-?\d{1,2}\.\d{4,}, ?-?\d{1,3}\.\d{4,}", optional=True, about="where somebody is"),
    Rule("etag", "etag", ("etag", "ifmatch", "ifnonematch"), check="etag",
         about="entity tags: they name who holds what"),
)  # fmt: skip
"""The table."""
