"""The wiring: settings, URLs, ways in, observability. It may import every room; no room imports it.

`celery -A config` finds the worker application here.
"""

import ctypes
import os
import sys

# Processes share the cores: threads of the linear algebra library would only wait for each other, busily. It is read
# when numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import msgspec  # noqa: F401 - loads the module that is kept below

from config.celery import app as celery_app

__all__ = ["celery_app"]

# At the end of a process Python may free the module of msgspec before the last values made by it, which then write to
# freed memory: one exit in seven was a segmentation fault. One more reference keeps it until the process is gone.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(sys.modules["msgspec._core"]))
