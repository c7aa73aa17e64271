"""What the service refuses, one exception for each code. All of them are `UndeError`; codes never change.

A code that this version does not know is raised as the nearest class by its status.
"""

# ruff: noqa: F403 - the modules are this package in pieces, and each name of them is one of its own.

from unde_memory.errors.bases import *
from unde_memory.errors.codes import *
from unde_memory.errors.table import *
