"""Fixtures for the whole suite."""

from hypothesis import HealthCheck, settings

from tests.browsers import browser, chromium, open_tab  # noqa: F401
from tests.cast import alice, bob, charlie, other_tenant, tenant  # noqa: F401
from tests.logs import log_stream  # noqa: F401
from tests.plugin.database import (  # noqa: F401
    database_cluster,
    database_name,
    django_db_setup,
    owner_connection,
    service_environment,
    superuser_connection,
    worker_connection,
)
from tests.plugin.unplugged import memory_stands_alone  # noqa: F401
from tests.privacy_desk import opendsr  # noqa: F401
from tests.roles import as_role  # noqa: F401
from tests.rule_sets import pack, rule_set, shipped_rules_stay_in_force  # noqa: F401
from tests.scripted_model import scripted_model  # noqa: F401
from tests.scripted_receiver import receiver  # noqa: F401

# How long an example takes says how busy the machine is: speed is measured in bench/, not here.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")
