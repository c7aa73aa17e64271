"""Settings of the test suite: the same house on its own servers."""

import os
from datetime import timedelta

os.environ.setdefault("UNDE_ENVIRONMENT", "test")
os.environ.setdefault("UNDE_MASTER_KEYS", "test:" + "dGVzdC1tYXN0ZXIta2V5LXRlc3QtbWFzdGVyLWtleSE=")

from config.settings import tuning
from config.settings.base import *  # noqa: F403
from config.settings.base import DATABASES, MIDDLEWARE, UNDE_DATA_DIR

SECRET_KEY = "test-only"
UNDE_KEY_DIR = UNDE_DATA_DIR / "test-keys"
UNDE_TOMBSTONE_DIR = UNDE_DATA_DIR / "test-tombstones"

# One connection per test process: a pool would keep connections of its own to a database that the runner drops.
DATABASES["default"]["OPTIONS"].pop("pool", None)

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_TASK_ALWAYS_EAGER = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# The suite serves no static files.
MIDDLEWARE = [name for name in MIDDLEWARE if "whitenoise" not in name]

# A test writes when it wants to see: a thread would do so in between, on a connection outside the test's transaction.
tuning.REFUSALS_WRITTEN_AFTER = timedelta(days=1)
