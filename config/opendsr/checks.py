"""What `manage.py check` and the doctor say of the certificate."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.utils import timezone

from config.opendsr.signing import CertificateUnusable, Signer, find_signer

MANUAL = "docs/opendsr.md says how to set it up."


@register(Tags.security)
def check_certificate(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A certificate that is named must sign, be valid, and be for the domain that desks call."""
    try:
        signer = find_signer()
    except CertificateUnusable as error:
        return [Error(f"OpenDSR cannot sign. {error}", hint=MANUAL, id="unde.E022")]
    return list_doubts(signer) if signer else []


def list_doubts(signer: Signer) -> list[CheckMessage]:
    """What privacy desks would find wrong with it."""
    found: list[CheckMessage] = []
    host = urlsplit(settings.UNDE_PUBLIC_URL).hostname
    if signer.ends_at <= timezone.now():
        found.append(Error("The certificate of OpenDSR has ended.", hint=MANUAL, id="unde.E023"))
    if host and host != signer.domain:
        sentence = f"The certificate of OpenDSR is for {signer.domain}, and desks call {host} (UNDE_PUBLIC_URL)."
        found.append(Warning(sentence, hint=MANUAL, id="unde.W024"))
    if signer.is_self_signed:
        sentence = "The certificate of OpenDSR is signed by itself: privacy desks will not accept it."
        found.append(Warning(sentence, hint=MANUAL, id="unde.W025"))
    return found
