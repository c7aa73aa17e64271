"""Workers log as the web does, and a task's lines carry the id of the request that asked for it."""

from __future__ import annotations

from typing import Any, Final

import structlog
from celery import Task
from celery.signals import setup_logging, worker_init, worker_process_init
from django.conf import settings

from config.observability.logs import configure_logging
from config.observability.tracing import start_tracing
from memory.disks import is_storage_full
from memory.erasure.generation import forget_erased

logger = structlog.get_logger(__name__)

# Their unfinished work is rows, and the next round does it: on a full disk nothing is added to what is known.
HELD_ON_FULL_DISK: Final = frozenset(
    {
        "memory.extraction.tasks.extract_pending",
        "retrieval.tasks.embed_pending",
        "retrieval.tasks.plan_embeddings",
        "retrieval.tasks.sweep_embeddings",
        "retrieval.tasks.make_snippets",
        "retrieval.tasks.fold_usefulness",
    }
)


class TracedTask(Task):  # type: ignore[type-arg]  # takes no arguments where it runs
    """The base of all tasks: takes the request id along in the task's headers and binds it where the task runs.

    Tasks that add to what is stored do nothing while the disk is full. Words of erased users leave the process first.
    """

    abstract = True

    def apply_async(  # type: ignore[override]  # its thirty options are passed on as they are
        self, args: Any = None, kwargs: Any = None, **options: Any
    ) -> Any:
        """As Celery's, with `request_id` among the headers when there is one."""
        request_id = structlog.contextvars.get_contextvars().get("request_id")
        if request_id:
            options["headers"] = {"request_id": request_id, **(options.get("headers") or {})}
        return super().apply_async(args, kwargs, **options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = {"task": self.name, "task_id": self.request.id}
        request_id = self.request.get("request_id") or (self.request.headers or {}).get("request_id")
        if request_id:
            bound["request_id"] = request_id
        with structlog.contextvars.bound_contextvars(**bound):
            if self.name in HELD_ON_FULL_DISK and is_storage_full():
                logger.warning("task_held_storage_full")
                return None
            forget_erased()
            return super().__call__(*args, **kwargs)


def prepare_workers() -> None:
    """Make workers keep the logging of settings and refuse an unfit database role at their start (D-14).

    Celery installs handlers of its own and has no other place for a check unless told in this way.
    """
    setup_logging.connect(_configure_logging, weak=False)
    worker_init.connect(_check_role, weak=False)
    worker_process_init.connect(_start_tracing, weak=False)


def _start_tracing(**_: Any) -> None:
    start_tracing()


def _configure_logging(**_: Any) -> None:
    configure_logging(settings.LOGGING)


def _check_role(**_: Any) -> None:
    from config.checks import refuse_unfit_role

    refuse_unfit_role()
