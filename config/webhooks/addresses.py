"""Where a webhook may go: not into the network that the service itself stands in (server-side request forgery)."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from memory.errors import InvalidRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Sequence[str]]

_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_GIVEN_OUT: Final = ipaddress.ip_network("2000::/3")
_EXAMPLES: Final = ipaddress.ip_network("3fff::/20")
"""For documentation (RFC 9637); this Python does not know it yet."""
PORTS: Final = {"https": 443, "http": 80}


class AddressRefused(InvalidRequest):
    """The URL leads, or now resolves, to an address that webhooks may not reach."""

    code = "address_refused"
    default_message = "Webhooks may not be sent to this address."


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart, and the address that it was found to mean: the connection goes to this one and no other."""

    scheme: str
    host: str
    port: int
    path: str
    address: str


def resolve_host(host: str, port: int) -> Sequence[str]:
    """The addresses of a host by the system's resolver. Raises OSError."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def find_target(url: str, *, allowed: Sequence[Network], resolve: Resolve = resolve_host) -> Target:
    """Take a URL apart and choose the address to connect to.

    Every address that the host has must be public or in one of the `allowed` networks, so that a name can't hide an
    inner address among public ones. Plain HTTP is for allowed networks only. Raises AddressRefused; OSError where the
    host has no address now.
    """
    scheme, host, port, path = _split(url)
    addresses = [ipaddress.ip_address(each.partition("%")[0]) for each in resolve(host, port)]
    for address in addresses:
        is_allowed = any(address in network for network in allowed)
        if not is_allowed and not _is_public(address):
            raise AddressRefused(fields={"url": "leads into a private network"})
        if not is_allowed and scheme == "http":
            raise AddressRefused(fields={"url": "must start with https://"})
    if not addresses:
        raise OSError("no address")
    return Target(scheme, host, port, path, str(addresses[0]))


def _is_public(address: Address) -> bool:
    """Also for an IPv4 address inside an IPv6 one. Multicast is global by its number and no place for a request.

    Of IPv6 only what is given out for the internet: old ranges beside it (site-local, IPv4 in other wrappings) count
    as global and may still lead inside.
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner:
            return _is_public(inner)
        if address not in _GIVEN_OUT or address in _EXAMPLES:
            return False
    return address.is_global and not address.is_multicast


def _split(url: str) -> tuple[str, str, int, str]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused(fields={"url": "is not a URL"}) from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise AddressRefused(fields={"url": "must start with https:// and name a host"})
    if parts.username or parts.password:
        raise AddressRefused(fields={"url": "must not hold a name or password; deliveries are signed"})
    if parts.fragment or not url.isascii() or not url.isprintable() or " " in url:
        raise AddressRefused(fields={"url": "must be a plain address: ASCII letters, no spaces, no #"})
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, parts.hostname, port or PORTS[parts.scheme], path
