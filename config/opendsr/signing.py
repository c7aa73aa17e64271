"""The certificate that answers and callbacks are signed with, and the signature."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from django.conf import settings

from memory.errors import CodedError

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
DOMAIN_HEADER: Final = "X-OpenDSR-Processor-Domain"
SIGNATURE_HEADER: Final = "X-OpenDSR-Signature"


class OpenDsrOff(CodedError):
    """Nothing can be signed, so nothing is taken on."""

    code = "opendsr_off"
    status = 404
    default_message = "OpenDSR is not set up: the service has no certificate (UNDE_OPENDSR_CERTIFICATE)."


class CertificateUnusable(ValueError):
    """The files that the settings name cannot sign; the text says why, in a sentence for operators."""


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key with its certificate. `domain` is the first name that the certificate is for."""

    key: PrivateKey
    pem: bytes
    domain: str
    ends_at: datetime
    is_self_signed: bool

    def sign(self, body: bytes) -> dict[str, str]:
        """The two headers of a body: FIPS 186-4 over SHA-256, in Base64. RSA by PKCS #1 v1.5, as its readers expect."""
        if isinstance(self.key, rsa.RSAPrivateKey):
            signature = self.key.sign(body, padding.PKCS1v15(), hashes.SHA256())
        else:
            signature = self.key.sign(body, ec.ECDSA(hashes.SHA256()))
        return {DOMAIN_HEADER: self.domain, SIGNATURE_HEADER: base64.b64encode(signature).decode()}


def find_signer() -> Signer | None:
    """The signer of this installation, None where it has none. Raises CertificateUnusable.

    A certificate that is renewed in place is noticed at once.
    """
    paths = (settings.UNDE_OPENDSR_CERTIFICATE, settings.UNDE_OPENDSR_KEY)
    if not all(paths):
        return None
    try:
        stamps = tuple(Path(path).stat().st_mtime_ns for path in paths)
        return _load(*paths, stamps)
    except OSError as error:
        raise CertificateUnusable(f"{error.filename} cannot be read: {error.strerror}.") from None


def get_signer() -> Signer:
    """The signer. Raises OpenDsrOff where there is none that works; `manage.py check` says why."""
    try:
        signer = find_signer()
    except CertificateUnusable:
        signer = None
    if signer is None:
        raise OpenDsrOff
    return signer


def make_base(signer: Signer) -> str:
    """Where desks reach this service, without a path."""
    return settings.UNDE_PUBLIC_URL or f"https://{signer.domain}"


@lru_cache(maxsize=2)
def _load(certificate_path: str, key_path: str, stamps: tuple[int, ...]) -> Signer:
    pem = Path(certificate_path).read_bytes()
    try:
        certificate = x509.load_pem_x509_certificates(pem)[0]
        key = serialization.load_pem_private_key(Path(key_path).read_bytes(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise CertificateUnusable("Certificate or key is not PEM, or the key has a password.") from None
    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise CertificateUnusable("The key must be RSA or of an elliptic curve.")
    if key.public_key() != certificate.public_key():
        raise CertificateUnusable("The key is not that of the certificate.")
    return Signer(
        key=key,
        pem=pem,
        domain=_find_domain(certificate),
        ends_at=certificate.not_valid_after_utc.astimezone(UTC),
        is_self_signed=certificate.issuer == certificate.subject,
    )


def _find_domain(certificate: x509.Certificate) -> str:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        raise CertificateUnusable("The certificate names no domain (subjectAltName).") from None
    domains = names.get_values_for_type(x509.DNSName)
    if not domains:
        raise CertificateUnusable("The certificate names no domain (subjectAltName).")
    return domains[0]
