"""How a tenant's page looks, and who may embed it. Text is read on any colour that a tenant chooses (WCAG 2.2 AA)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from config.headers import write_policy
from memory.errors import InvalidRequest
from memory.tenants.models import Tenant
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import TenantSettings

USUAL_COLOUR: Final = "#2f5bd7"
COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}")
LOGO: Final = re.compile(
    r"https://[^\s\"'<>;,]{1,500}|data:image/(?:png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/=]{1,40000}"
)
LIGHT, DARK, DARKER = "#ffffff", "#1b1e26", "#12141a"

Rgb = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Look:
    """What a tenant has set for its page."""

    name: str
    colour: str
    logo: str
    words: str
    origins: tuple[str, ...]

    @property
    def policy(self) -> str:
        """What browsers are told: no script but ours, no frame but on the tenant's sites."""
        logo = urlsplit(self.logo)
        pictures = f"'self' data: https://{logo.netloc}" if logo.scheme == "https" else "'self' data:"
        return write_policy(
            {
                "default-src": "'none'",
                "script-src": "'self'",
                "style-src": "'self'",
                "img-src": pictures,
                "font-src": "'self'",
                "connect-src": "'self'",
                "form-action": "'self'",
                "base-uri": "'none'",
                "frame-ancestors": " ".join(self.origins) or "'none'",
            }
        )


NOBODYS: Final = Look("", USUAL_COLOUR, "", "", ())
"""Of a page that is shown to somebody who has no session."""


def find_look(tenant: Tenant, *, locale: str) -> Look:
    """The tenant's page in a language."""
    found = read_settings(tenant)
    return Look(
        name=found.page_name or tenant.name,
        colour=found.page_colour or USUAL_COLOUR,
        logo=found.page_logo,
        words=found.page_words.get(locale, ""),
        origins=tuple(found.page_origins),
    )


def check_return_url(url: str, *, own: TenantSettings) -> None:
    """Raise InvalidRequest unless a page of one of the tenant's own sites is meant."""
    try:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
    except ValueError:
        origin = ""
    if origin not in own.page_origins or re.search(r"[\s\\]", url):
        raise InvalidRequest(fields={"return_url": "must be on one of the sites in the settings of the memory page"})


def is_origin(text: str) -> bool:
    """Whether it is the origin of a site: https and a host, or plain HTTP on this machine. Pure."""
    if not re.fullmatch(r"https?://[A-Za-z0-9.-]{1,253}(:\d{1,5})?", text):
        return False
    return text.startswith("https://") or urlsplit(text).hostname in ("localhost", "127.0.0.1")


# --- colours ----------------------------------------------------------------------------------------------------------


def write_colours(colour: str) -> str:
    """The variables of the page for a tenant's colour: filled, with text on it, and as text on light and on dark."""
    parts = {
        "--accent": colour,
        "--on-accent": choose_text(colour),
        "--accent-text": reach_contrast(colour, on=LIGHT, towards=(0, 0, 0)),
    }
    dark = {**parts, "--accent-text": reach_contrast(colour, on=DARK, towards=(1, 1, 1))}
    light, other = ("".join(f"{name}:{value};" for name, value in each.items()) for each in (parts, dark))
    return (
        f":root{{{light}}}\n:root[data-theme=dark]{{{other}}}\n"
        f"@media (prefers-color-scheme:dark){{:root[data-theme=auto]{{{other}}}}}\n"
    )


def choose_text(colour: str) -> str:
    """Black or white, whichever is read better on a colour: one of them always has a contrast of 4.5. Pure."""
    return max(("#ffffff", "#000000"), key=lambda text: find_contrast(text, colour))


def reach_contrast(colour: str, *, on: str, towards: Rgb) -> str:
    """The colour, moved towards black or white until it is read on a ground. Pure."""
    for step in range(21):
        mixed = _mix(_read(colour), towards, step / 20)
        if find_contrast(mixed, on) >= settings.UNDE_TUNING.PAGE_CONTRAST:
            return mixed
    return mixed


def find_contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21 (WCAG). Pure."""
    light, dark = sorted((_weigh(_read(one)), _weigh(_read(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _read(colour: str) -> Rgb:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def _mix(colour: Rgb, towards: Rgb, share: float) -> str:
    parts = (round(255 * (own + (aim - own) * share)) for own, aim in zip(colour, towards, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


def _weigh(colour: Rgb) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
