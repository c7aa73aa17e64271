"""Which certificates may sign, and what operators are told of those that may not."""

import base64
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from config.opendsr.checks import check_certificate
from config.opendsr.signing import CertificateUnusable, OpenDsrOff, Signer, find_signer, get_signer
from tests.privacy_desk import DOMAIN, check_signature, install, make_pair


def list_ids() -> list[str | None]:
    return [message.id for message in check_certificate(None)]


def test_a_certificate_of_an_authority_signs_and_is_noticed_when_it_is_renewed(settings: Any, tmp_path: Path) -> None:
    install(settings, tmp_path, make_pair())
    signer = get_signer()
    headers = {name.lower(): value for name, value in signer.sign(b"words").items()}
    check_signature(b"words", headers, pem=make_pair()[0])
    assert (signer.domain, list_ids()) == (DOMAIN, [])
    install(settings, tmp_path, make_pair("new.example.com"))
    assert get_signer().domain == "new.example.com"


def test_nothing_is_named_and_nothing_is_said(settings: Any) -> None:
    settings.UNDE_OPENDSR_CERTIFICATE = settings.UNDE_OPENDSR_KEY = ""
    assert (find_signer(), list_ids()) == (None, [])


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ((b"no PEM", b"no PEM"), "not PEM"),
        ((make_pair()[0], make_pair("other.example.com")[1]), "not that of the certificate"),
        (
            (
                make_pair()[0],
                ed25519.Ed25519PrivateKey.generate().private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                ),
            ),
            "must be RSA",
        ),
    ],
)
def test_files_that_cannot_sign_are_named_and_nothing_is_taken_on(
    settings: Any, tmp_path: Path, pair: tuple[bytes, bytes], sentence: str
) -> None:
    install(settings, tmp_path, pair)
    with pytest.raises(CertificateUnusable, match=sentence):
        find_signer()
    with pytest.raises(OpenDsrOff):
        get_signer()
    assert list_ids() == ["unde.E022"]


def test_a_file_that_is_not_there_is_named(settings: Any, tmp_path: Path) -> None:
    install(settings, tmp_path, make_pair())
    (tmp_path / "KEY.pem").unlink()
    with pytest.raises(CertificateUnusable, match="cannot be read"):
        find_signer()


def test_one_that_has_ended_or_is_for_another_domain_is_doubted(settings: Any, tmp_path: Path) -> None:
    install(settings, tmp_path, make_pair(days=-1))
    settings.UNDE_PUBLIC_URL = "https://memory.example.com"
    assert list_ids() == ["unde.E023", "unde.W024"]


def test_a_key_of_an_elliptic_curve_signs_too(settings: Any, tmp_path: Path) -> None:
    install(settings, tmp_path, make_pair())
    key = ec.generate_private_key(ec.SECP256R1())
    signer = get_signer()
    made = Signer(key, signer.pem, signer.domain, signer.ends_at, False).sign(b"words")
    key.public_key().verify(base64.b64decode(made["X-OpenDSR-Signature"]), b"words", ec.ECDSA(hashes.SHA256()))
