"""WSGI entry point for the web workers (API and admin in one process)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")

application = get_wsgi_application()

# Only now: the checks need Django's settings and models.
from config.checks import refuse_unfit_role  # noqa: E402

refuse_unfit_role()
