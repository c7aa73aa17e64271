"""Schedules and task results: other people's admin pages under our permissions and styles."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django_celery_beat.admin import PeriodicTaskForm, TaskSelectWidget
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule
from django_celery_results.models import GroupResult, TaskResult
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from memory.tenants.access import is_installation_staff
from memory.tenants.admin_base import ConsoleAdmin, LongListAdmin, show_badge

for model in (PeriodicTask, CrontabSchedule, IntervalSchedule, ClockedSchedule, SolarSchedule, TaskResult, GroupResult):
    if admin.site.is_registered(model):
        admin.site.unregister(model)

TONES = {"SUCCESS": "good", "FAILURE": "bad", "STARTED": "info", "RETRY": "warn"}
CRON_KEY = " (m/h/dM/MY/d)"
"""What the library writes behind the five parts of a cron line."""


def describe_seconds(seconds: int) -> str:
    """A period in the largest unit that it is a whole number of: "every 6 hours". Pure."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds and seconds % length == 0:
            count = seconds // length
            return f"every {unit}" if count == 1 else f"every {count} {unit}s"
    return f"every {seconds} seconds" if seconds != 1 else "every second"


class InstallationAdmin(ConsoleAdmin):
    """What operators may read. It works for all tenants, so the installation's staff alone change it."""

    view_permissions = ("operate",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_installation_staff(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_installation_staff(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_installation_staff(request)


class ScheduledTaskSelect(UnfoldAdminSelectWidget, TaskSelectWidget):
    """The names of registered tasks."""


class ScheduleForm(PeriodicTaskForm):
    """The form of a schedule with the console's fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["task"].widget = UnfoldAdminTextInputWidget()
        self.fields["regtask"].widget = ScheduledTaskSelect()


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(InstallationAdmin):
    form = ScheduleForm
    list_display = ("name", "task", "schedule", "enabled", "last_run_at", "total_run_count")
    list_select_related = ("interval", "crontab", "clocked", "solar")
    list_filter = ("enabled",)
    search_fields = ("name", "task")
    search_help_text = "A part of the name or of the task"
    ordering = ("name",)
    readonly_fields = ("last_run_at", "total_run_count")
    fieldsets = (
        (None, {"fields": ("name", "regtask", "task", "enabled", "description")}),
        ("When", {"fields": ("interval", "crontab", "one_off", "last_run_at", "total_run_count")}),
        ("Where", {"fields": ("queue", "priority", "expire_seconds")}),
    )

    @display(description="Schedule")
    def schedule(self, task: PeriodicTask) -> str:
        if task.interval and task.interval.period == IntervalSchedule.SECONDS:
            return describe_seconds(task.interval.every)
        return str(task.interval or task.crontab or task.clocked or task.solar or "–").replace(CRON_KEY, "")


@admin.register(IntervalSchedule)
class IntervalScheduleAdmin(InstallationAdmin):
    list_display = ("__str__", "every", "period")


@admin.register(CrontabSchedule)
class CrontabScheduleAdmin(InstallationAdmin):
    list_display = ("__str__", "timezone")


@admin.register(TaskResult)
class TaskResultAdmin(LongListAdmin):
    """Outcomes alone: arguments, results and tracebacks are neither stored nor shown (D-16)."""

    view_permissions = ("operate",)
    list_display = ("short_id", "task_name", "periodic_task_name", "badge", "worker", "date_created", "date_done")
    list_filter = ("status", "task_name")
    search_fields = ("task_id__exact",)
    ordering = ("-id",)
    fields = ("task_id", "task_name", "periodic_task_name", "status", "worker", "date_created", "date_done")

    @display(description="Task")
    def short_id(self, result: TaskResult) -> str:
        return str(result.task_id)[-12:]

    @display(description="Status", ordering="status")
    def badge(self, result: TaskResult) -> Any:
        return show_badge(result.status.lower(), TONES.get(result.status, "plain"))
