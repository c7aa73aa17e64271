from typing import Any

class error(Exception): ...

class Options:
    log_errors: bool
    max_mem: int

def compile(pattern: str | bytes, options: Options | None = ...) -> Any: ...
def purge() -> None: ...
