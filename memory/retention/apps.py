"""Django's entry to the wing: its table. It holds nothing of a user, so no eraser has work there."""

from django.apps import AppConfig


class RetentionConfig(AppConfig):
    name = "memory.retention"
    label = "retention"
    verbose_name = "Retention"
