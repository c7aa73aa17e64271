"""Found by Django's admin autodiscovery: pages of installed apps that are not ours, in the console's frame."""

from config.console import privacy, schedules, webhooks  # noqa: F401
from config.console.rules import listing  # noqa: F401
