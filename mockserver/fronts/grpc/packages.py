"""Which package of PyPI has the messages of a gRPC service; told to who has to install it.

Documents of Discovery have names and types of fields and not their numbers, so that without the
package no message can be read or written.
"""

import re

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
