"""WSGI entry point for the web workers (API and admin in one process)."""

import contextlib
import os
from typing import cast

from django.core.wsgi import get_wsgi_application

from config.admission import Application, RequestGate

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")
django_application = get_wsgi_application()

# Only now: these need Django's settings and models.
from django.db import DatabaseError  # noqa: E402

from config.checks import refuse_unfit_role  # noqa: E402
from config.observability.tracing import start_tracing  # noqa: E402
from patterns.registry import RuleSetRefused, warm_rule_sets  # noqa: E402
from patterns.rules.pack import PackError  # noqa: E402

refuse_unfit_role()
if start_tracing():
    django_application = get_wsgi_application()  # again: its middleware has been made without traces
# The process starts without its database too, and with a refused rule, so that the console is there to mend it.
with contextlib.suppress(DatabaseError, PackError, RuleSetRefused):
    warm_rule_sets()

application = RequestGate(cast("Application", django_application))
