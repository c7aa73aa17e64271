"""Settings of a production installation: as `base`, nothing left to defaults, TLS in front."""

import os

os.environ.setdefault("UNDE_ENVIRONMENT", "production")

from config.settings.base import *  # noqa: F403
from config.settings.base import env

# No defaults here: missing values stop the start with their names, before anything else is looked at.
_missing = [name for name in ("UNDE_SECRET_KEY", "UNDE_MASTER_KEYS", "ALLOWED_HOSTS") if not os.environ.get(name)]
if _missing:
    raise SystemExit(
        f"In production these variables must be set: {', '.join(_missing)}. "
        "See docs/going-to-production.md for how to create them."
    )
SECRET_KEY = env.str("UNDE_SECRET_KEY")
UNDE_MASTER_KEYS = env.str("UNDE_MASTER_KEYS")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS")

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", 31536000)
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True

# Whether everything else under the domain is served over TLS, and may be said so for good, is not ours to decide.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SECURE_HSTS_INCLUDE_SUBDOMAINS", False)
SECURE_HSTS_PRELOAD = env.bool("SECURE_HSTS_PRELOAD", False)
SILENCED_SYSTEM_CHECKS = [
    # CSRF protection is on where browsers send cookies, in the console: ConsoleCsrfMiddleware is Django's own, and the
    # API takes a key that no browser sends by itself.
    "security.W003",
    # The two above.
    "security.W005",
    "security.W021",
]
