"""A certificate as an installation has one, and a desk that checks what it signs."""

import base64
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID
from django.utils import timezone

DOMAIN = "opendsr.example.com"
REQUEST_ID = "a7551968-d5d6-44b2-9831-815ac9017798"


def make_request(user: str = "alice", *, kind: str = "access", **changes: Any) -> dict[str, Any]:
    """The body of a request as the specification shows it."""
    identity = {"identity_type": "controller_customer_id", "identity_value": user, "identity_format": "raw"}
    return {
        "regulation": "gdpr",
        "subject_request_id": REQUEST_ID,
        "subject_request_type": kind,
        "submitted_time": "2026-10-02T15:00:00Z",
        "subject_identities": [identity],
        "api_version": "2.0",
        **changes,
    }


@cache
def make_pair(domain: str = DOMAIN, *, days: int = 30) -> tuple[bytes, bytes]:
    """A certificate that an authority issued to the domain, and its key; both in PEM."""
    authority, key = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
    now = timezone.now()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, domain)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "An authority")]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=60))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(domain)]), critical=False)
        .sign(authority, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM), secret


def install(settings: Any, folder: Path, pair: tuple[bytes, bytes]) -> None:
    """Have the service sign with a pair."""
    for name, content in zip(("CERTIFICATE", "KEY"), pair, strict=True):
        path = folder / f"{name}.pem"
        path.write_bytes(content)
        setattr(settings, f"UNDE_OPENDSR_{name}", str(path))


@pytest.fixture
def opendsr(settings: Any, tmp_path: Path) -> Iterator[None]:
    """OpenDSR, set up."""
    install(settings, tmp_path, make_pair())
    yield


def check_signature(body: bytes, headers: Mapping[str, str], *, pem: bytes) -> None:
    """As a desk does it: the domain is that of the certificate, and its key signed just these bytes."""
    certificate = x509.load_pem_x509_certificate(pem)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert headers["x-opendsr-processor-domain"] in names.get_values_for_type(x509.DNSName)
    key = certificate.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    signature = base64.b64decode(headers["x-opendsr-signature"], validate=True)
    key.verify(signature, body, padding.PKCS1v15(), hashes.SHA256())
