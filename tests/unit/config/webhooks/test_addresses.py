"""Webhooks don't reach into the network that the service stands in."""

import ipaddress

import pytest

from config.webhooks.addresses import AddressRefused, find_target

PUBLIC = "93.184.215.14"
INNER = [
    "127.0.0.1", "10.0.0.8", "172.16.4.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "::1", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1",
    "::127.0.0.1", "::ffff:0:127.0.0.1", "fec0::1", "3fff::1", "5f00::1",
]  # fmt: skip


def find(url: str, *addresses: str, allowed: tuple[str, ...] = ()) -> str:
    networks = [ipaddress.ip_network(each) for each in allowed]
    return find_target(url, allowed=networks, resolve=lambda host, port: addresses).address


def test_a_public_address_is_taken_and_pinned() -> None:
    target = find_target("https://hooks.example.com:8443/a/b?c=d", allowed=[], resolve=lambda host, port: [PUBLIC])
    assert (target.host, target.port, target.path, target.address) == ("hooks.example.com", 8443, "/a/b?c=d", PUBLIC)


@pytest.mark.parametrize("address", INNER)
def test_an_inner_address_is_refused(address: str) -> None:
    with pytest.raises(AddressRefused):
        find("https://hooks.example.com/", address)


def test_an_inner_address_among_public_ones_is_refused() -> None:
    with pytest.raises(AddressRefused):
        find("https://hooks.example.com/", PUBLIC, "10.0.0.8")


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/", "ftp://hooks.example.com/", "hooks.example.com", "https://", "https:///path",
        "https://name:word@hooks.example.com/", "https://hooks.example.com/#part", "https://hooks.example.com/a b",
        "https://hooks.example.com:99999/", "https://[::1", "https://пример.рф/", "file:///etc/passwd",
        "https://hooks.example.com/\x01", "https://hooks.example.com/\x7f",
    ],
)  # fmt: skip
def test_what_is_no_plain_https_url_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        find(url, PUBLIC)


def test_a_network_that_the_installation_allows_is_reached_also_without_tls() -> None:
    assert find("http://hooks.internal/", "10.1.2.3", allowed=("10.1.0.0/16",)) == "10.1.2.3"
    with pytest.raises(AddressRefused):
        find("http://hooks.internal/", "10.2.2.3", allowed=("10.1.0.0/16",))


def test_a_host_without_an_address_is_a_failure_of_the_network() -> None:
    with pytest.raises(OSError, match="no address"):
        find("https://hooks.example.com/")
