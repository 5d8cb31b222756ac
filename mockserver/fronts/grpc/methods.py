"""What is known of each gRPC call: its messages, and the methods that it may mean.

Client packages are imported when one of their services is first called, on a thread of its own;
what was learned is kept.
"""

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from mockserver.fronts.grpc.answers import MessageWriter
from mockserver.fronts.grpc.descriptor_pack import known_services
from mockserver.fronts.grpc.mapping import Transcoding, transcodings
from mockserver.fronts.grpc.registry import Rpc, Service, rpcs_of_service
from mockserver.googleapi import Call, not_emulated
from mockserver.model import JsonObject, Miss
from mockserver.routing import Route, Routes

_VERSION = re.compile(r"^v\d+\w*$")

_PACKAGES = {
    "google.ads.googleads": "google-ads",
    "google.ai.generativelanguage": "google-ai-generativelanguage",
    "google.analytics.admin": "google-analytics-admin",
    "google.analytics.data": "google-analytics-data",
    "google.api.servicecontrol": "google-cloud-service-control",
    "google.api.servicemanagement": "google-cloud-service-management",
    "google.api.serviceusage": "google-cloud-service-usage",
    "google.appengine": "google-cloud-appengine-admin",
    "google.apps.chat": "google-apps-chat",
    "google.apps.meet": "google-apps-meet",
    "google.bigtable": "google-cloud-bigtable",
    "google.cloud.accessapproval": "google-cloud-access-approval",
    "google.cloud.apigateway": "google-cloud-api-gateway",
    "google.cloud.apigeeconnect": "google-cloud-apigee-connect",
    "google.cloud.apigeeregistry": "google-cloud-apigee-registry",
    "google.cloud.assuredworkloads": "google-cloud-assured-workloads",
    "google.cloud.baremetalsolution": "google-cloud-bare-metal-solution",
    "google.cloud.binaryauthorization": "google-cloud-binary-authorization",
    "google.cloud.certificatemanager": "google-cloud-certificate-manager",
    "google.cloud.clouddms": "google-cloud-dms",
    "google.cloud.contactcenterinsights": "google-cloud-contact-center-insights",
    "google.cloud.datafusion": "google-cloud-data-fusion",
    "google.cloud.essentialcontacts": "google-cloud-essential-contacts",
    "google.cloud.gkebackup": "google-cloud-gke-backup",
    "google.cloud.gkeconnect.gateway": "google-cloud-gke-connect-gateway",
    "google.cloud.gkehub": "google-cloud-gke-hub",
    "google.cloud.gkemulticloud": "google-cloud-gke-multicloud",
    "google.cloud.lifesciences": "google-cloud-life-sciences",
    "google.cloud.managedidentities": "google-cloud-managed-identities",
    "google.cloud.mediatranslation": "google-cloud-media-translation",
    "google.cloud.metastore": "google-cloud-dataproc-metastore",
    "google.cloud.networkconnectivity": "google-cloud-network-connectivity",
    "google.cloud.networkmanagement": "google-cloud-network-management",
    "google.cloud.networksecurity": "google-cloud-network-security",
    "google.cloud.networkservices": "google-cloud-network-services",
    "google.cloud.orgpolicy": "google-cloud-org-policy",
    "google.cloud.osconfig": "google-cloud-os-config",
    "google.cloud.oslogin": "google-cloud-os-login",
    "google.cloud.phishingprotection": "google-cloud-phishing-protection",
    "google.cloud.privatecatalog": "google-cloud-private-catalog",
    "google.cloud.recaptchaenterprise": "google-cloud-recaptcha-enterprise",
    "google.cloud.recommendationengine": "google-cloud-recommendations-ai",
    "google.cloud.resourcemanager": "google-cloud-resource-manager",
    "google.cloud.resourcesettings": "google-cloud-resource-settings",
    "google.cloud.secretmanager": "google-cloud-secret-manager",
    "google.cloud.secrets": "google-cloud-secret-manager",
    "google.cloud.security.privateca": "google-cloud-private-ca",
    "google.cloud.servicedirectory": "google-cloud-service-directory",
    "google.cloud.translation": "google-cloud-translate",
    "google.cloud.video.livestream": "google-cloud-video-live-stream",
    "google.cloud.vpcaccess": "google-cloud-vpc-access",
    "google.container": "google-cloud-container",
    "google.datastore": "google-cloud-datastore",
    "google.devtools.artifactregistry": "google-cloud-artifact-registry",
    "google.devtools.cloudbuild": "google-cloud-build",
    "google.devtools.clouderrorreporting": "google-cloud-error-reporting",
    "google.devtools.cloudtrace": "google-cloud-trace",
    "google.devtools.containeranalysis": "google-cloud-containeranalysis",
    "google.firestore": "google-cloud-firestore",
    "google.iam.admin": "google-cloud-iam",
    "google.iam.credentials": "google-cloud-iam",
    "google.identity.accesscontextmanager": "google-cloud-access-context-manager",
    "google.logging": "google-cloud-logging",
    "google.monitoring": "google-cloud-monitoring",
    "google.monitoring.dashboard": "google-cloud-monitoring-dashboards",
    "google.monitoring.metricsscope": "google-cloud-monitoring-metrics-scopes",
    "google.privacy.dlp": "google-cloud-dlp",
    "google.pubsub": "google-cloud-pubsub",
    "google.spanner": "google-cloud-spanner",
    "google.storage": "google-cloud-storage",
    "google.storage.control": "google-cloud-storage-control",
    "google.storagetransfer": "google-cloud-storage-transfer",
}
"""Beginnings of services to packages, as far as the package is not told by the service."""


def package_of(service: str) -> str:
    """The package with the messages of a service, or an empty string for one that is not Google's.

    >>> package_of("google.cloud.secretmanager.v1.SecretManagerService")
    'google-cloud-secret-manager'
    >>> package_of("google.cloud.bigquery.storage.v1.BigQueryRead"), package_of("acme.v1.Orders")
    ('google-cloud-bigquery-storage', '')
    """
    parts = service.split(".")[:-1]
    for end in range(len(parts), 0, -1):
        found = _PACKAGES.get(".".join(parts[:end]))
        if found is not None:
            return found
    if parts[:2] != ["google", "cloud"]:
        return ""
    return "-".join(part for part in parts if not _VERSION.match(part))


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PossibleMethod:
    """One method that a call may mean.

    Attributes:
        transcoding: How its requests are requests to the method.
        route: The method's route, handler included.
        host: The API's host.
    """

    transcoding: Transcoding
    route: Route
    host: str


class KnownCall:
    """One call that can be read and answered.

    Attributes:
        request: The class of its request.
        writer: Writes its answers.
        meanings: The methods that it may mean, those with a handler and the narrower ones first.
        is_shared: Whether several APIs have it, so that only the connection tells which is meant.
    """

    def __init__(self, rpc: Rpc, meanings: Sequence[PossibleMethod]) -> None:
        self.request = rpc.request
        self.writer = MessageWriter(rpc.response)
        self.meanings = tuple(sorted(meanings, key=_rank))
        self.is_shared = len({meaning.host for meaning in meanings}) > 1

    def meaning_of(self, request: JsonObject, host: str = "") -> tuple[PossibleMethod, str]:
        """The method that a request means, and the parameter of its path that is missing, if any.

        Args:
            request: The message as JSON.
            host: The API that the connection asked before, or an empty string.
        """
        misfits = [each.transcoding.misfit(request) for each in self.meanings]
        fitting = [each for each, misfit in zip(self.meanings, misfits, strict=True) if not misfit]
        if not fitting:
            return self.meanings[0], misfits[0]
        return next((each for each in fitting if each.host == host), fitting[0]), ""

    def completed(self, first: bytes, content: bytes) -> bytes:
        """A later request of a stream with what the first one named, which it need not repeat."""
        try:
            message = self.request.FromString(content)
            missing = self.meaning_of(json_format.MessageToDict(message))[1]
        except (DecodeError, TypeError, json_format.Error):
            return content
        named = self.request.DESCRIPTOR.fields_by_camelcase_name.get(missing)
        if named is None:
            return content
        # nothing else: what the first one asked is done
        setattr(message, named.name, getattr(self.request.FromString(first), named.name))
        text: bytes = message.SerializeToString()
        return text


def _rank(meaning: PossibleMethod) -> tuple[bool, int]:
    return meaning.route.handler is None, -meaning.transcoding.specific


class GrpcMethods:
    """All that is known of gRPC calls.

    Args:
        routes: The routes of the emulated APIs.
        services: The services that can be spoken; those of the installed packages when None.
    """

    def __init__(self, routes: Routes, services: Mapping[str, Service] | None = None) -> None:
        self._routes = routes
        self._services = known_services() if services is None else services
        self._kinds = {
            f"/{service.name}/{call}": kind
            for service in self._services.values()
            for call, kind in service.kinds.items()
        }
        self._calls: dict[str, KnownCall] = {}
        self._rpcs: dict[str, Rpc] = {}
        self._broken: set[str] = set()
        self._learning: dict[str, asyncio.Task[None]] = {}

    def kind(self, path: str) -> str:
        """How many messages go each way in a call: `unary_unary`, `stream_stream`, ..."""
        return self._kinds.get(path, "unary_unary")

    def at_hand(self, path: str) -> KnownCall | None:
        """A call that was learned before."""
        return self._calls.get(path)

    async def find(self, path: str) -> KnownCall | None:
        """A call by its path, or None for one that means no method; its service is learned."""
        name = path[1:].partition("/")[0]
        service = self._services.get(name)
        if service is None:
            return None
        learning = self._learning.get(name)
        if learning is None:
            learning = asyncio.create_task(asyncio.to_thread(self._learn, service))
            self._learning[name] = learning
        await asyncio.shield(learning)
        return self._calls.get(path)

    async def rpc(self, path: str) -> Rpc | None:
        """The messages of a call, also of one that means no method; None where nobody has them."""
        if path not in self._rpcs:
            await self.find(path)
        return self._rpcs.get(path)

    def _learn(self, service: Service) -> None:
        try:
            self._calls |= self._calls_of(service)
        except Exception:  # noqa: BLE001  (a package that somebody else wrote)
            _log.exception("the client of %s cannot be used", service.name)
            self._broken.add(service.name)

    def _calls_of(self, service: Service) -> dict[str, KnownCall]:
        calls = {}
        rpcs: dict[str, list[Rpc]] = {}
        for rpc in rpcs_of_service(service):
            rpcs.setdefault(rpc.path, []).append(rpc)
        for path, same in rpcs.items():
            self._rpcs[path] = same[0]
            meanings = [meaning for rpc in same for meaning in self._meanings(rpc)]
            if meanings:
                calls[path] = KnownCall(same[0], meanings)
        return calls

    def _meanings(self, rpc: Rpc) -> Iterator[PossibleMethod]:
        for transcoding in transcodings(rpc, self._routes.catalog.methods_on(rpc.host)):
            route = self._routes.route_of_call(transcoding.method, rpc.path)
            yield PossibleMethod(transcoding, route, rpc.host)

    def unknown(self, path: str) -> Route:
        """The route of a call that nothing is known of: it refuses, and says why."""
        name = path[1:].replace("/", ".")
        service = path[1:].partition("/")[0]
        reason = ""
        if service in self._broken:
            reason = f" The installed client of {service} cannot be used; see the server's log."
        elif service not in self._services:
            reason = _not_installed(service)
        else:
            reason = " No Discovery document has it, so that no fixture can answer it."

        def refuse(call: Call) -> JsonObject:
            error = not_emulated(name)
            text = error.message + reason
            raise replace(error, message=text, miss=Miss(blame="not_emulated", reason=text))

        return Route("GRPC", "", path, journal_path=path, method_id=name, handler=refuse)


def _not_installed(service: str) -> str:
    package = package_of(service)
    reason = (
        f" No client package with the messages of {service} is installed beside the mock server"
    )
    return f"{reason}: pip install {package} there." if package else f"{reason}."
