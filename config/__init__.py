"""The wiring: settings, URLs, ways in, observability. It may import every room; no room imports it.

`celery -A config` finds the worker application here.
"""

import atexit
import gc
import os

# Processes share the cores: threads of the linear algebra library would only wait for each other, busily. It is read
# when numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from config.celery import app as celery_app

__all__ = ["celery_app"]

# The last garbage collection of a process crashed in msgspec, one exit in seven (StructInfo_clear -> TypeNode_Free,
# msgspec 0.22; see its issue 717). Frozen objects are not collected: they go with the process.
atexit.register(gc.freeze)
