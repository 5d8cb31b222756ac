"""The emulated APIs, one folder each. To add one: write its folder, add its line here."""

from mockserver.apis.apphub import API as APPHUB
from mockserver.apis.chromemanagement import API as CHROMEMANAGEMENT
from mockserver.apis.chromemanagement import LEGACY_API as CHROMEMANAGEMENT_LEGACY
from mockserver.apis.chromepolicy import API as CHROMEPOLICY
from mockserver.apis.cloudasset import API as CLOUDASSET
from mockserver.apis.cloudidentity import API as CLOUDIDENTITY
from mockserver.apis.cloudtrace import API as CLOUDTRACE
from mockserver.apis.container import API as CONTAINER
from mockserver.apis.directory import API as DIRECTORY
from mockserver.apis.discovery import API as DISCOVERY
from mockserver.apis.errorreporting import API as ERRORREPORTING
from mockserver.apis.generic import API as GENERIC
from mockserver.apis.gmail import API as GMAIL
from mockserver.apis.iamcredentials import API as IAMCREDENTIALS
from mockserver.apis.logging import API as LOGGING
from mockserver.apis.mcp import API as MCP
from mockserver.apis.monitoring import API as MONITORING
from mockserver.apis.oauth import API as OAUTH
from mockserver.apis.observability import API as OBSERVABILITY
from mockserver.apis.reports import API as REPORTS
from mockserver.apis.resourcemanager import API as RESOURCEMANAGER
from mockserver.apis.sheets import API as SHEETS
from mockserver.apis.sts import API as STS
from mockserver.apis.tools import API as TOOLS
from mockserver.googleapi import Api

APIS: tuple[Api, ...] = (
    DIRECTORY,
    REPORTS,
    CHROMEPOLICY,
    CLOUDIDENTITY,
    CHROMEMANAGEMENT,
    CHROMEMANAGEMENT_LEGACY,
    RESOURCEMANAGER,
    GENERIC,
    APPHUB,
    OBSERVABILITY,
    CONTAINER,
    CLOUDASSET,
    GMAIL,
    SHEETS,
    OAUTH,
    STS,
    IAMCREDENTIALS,
    DISCOVERY,
    TOOLS,
    MCP,
    LOGGING,
    ERRORREPORTING,
    CLOUDTRACE,
    MONITORING,
)

__all__ = ["APIS"]
