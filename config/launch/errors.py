"""The one error of the launcher: a plain sentence for the person at the terminal."""


class LaunchError(Exception):
    """Something prevents the start; `str()` is a whole sentence that says what and, where known, what to do."""
