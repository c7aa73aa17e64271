"""From a bare checkout and a bare Python to the project's own environment: standard library only, nothing of ours.

`script/server`, `script/test` and `script/manage` run this file by its path, since nothing else is installed yet.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import NoReturn

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / "installed.json"
PYTHON = ENVIRONMENT / "bin" / "python"
OPTIMISED = "--enable-optimizations"  # what a Python that was built with optimisation by profile says of itself
NEWER_PYTHONS = [f"python3.{minor}" for minor in range(OLDEST_PYTHON[1], OLDEST_PYTHON[1] + 4)]
SYSTEM_PYTHON = Path(f"/usr/bin/python3.{sys.version_info[1]}")  # distributions build theirs so, whatever it says
NEEDED = "import ctypes, ensurepip, sqlite3, ssl, venv, zlib; ensurepip.version()"  # with the pip that it installs


def enter(module: str, *, requirements: list[str], usage: str = "", has_own_help: bool = False) -> NoReturn:
    """Make or refresh `.venv` for these requirement files and become `python -m module` in it.

    Writes `.venv` in the checkout. Ends the process with a plain sentence when something is missing. `--help` prints
    `usage` and installs nothing; a module that `has_own_help` is asked instead where it is installed.
    """
    if sys.argv[1:2] in (["-h"], ["--help"]) and not (has_own_help and is_installed(requirements)):
        print(usage.strip())
        sys.exit(0)
    if sys.version_info < OLDEST_PYTHON:
        newer = next(filter(shutil.which, NEWER_PYTHONS), f"python3.{OLDEST_PYTHON[1]}")
        sys.exit(
            f"Python 3.{OLDEST_PYTHON[1]} or newer is needed; this is {sys.version.split()[0]}. "
            f"With a newer one: {newer} {sys.argv[0]}"
        )
    try:
        if not is_installed(requirements):
            prepare_environment(requirements)
    except OSError as error:
        sys.exit(f"The environment {ENVIRONMENT} cannot be made: {error.strerror} ({error.filename}).")
    except KeyboardInterrupt:
        sys.exit("Stopped; the next start goes on from here.")
    variables = dict(os.environ)
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    sys.stdout.flush()
    # -P: whatever lies in the current folder must not stand before the project's own packages.
    os.execve(PYTHON, [str(PYTHON), "-P", "-m", module, *sys.argv[1:]], variables)


def prepare_environment(requirements: list[str]) -> None:
    """Make `.venv` if there is none and install what the requirement files name. One start at a time does this."""
    handle = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another start is preparing the environment. Waiting for it ...", flush=True)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        if is_installed(requirements):
            return
        if not is_usable():
            make_environment()
        install(requirements)
        compile_packages()
        for name in requirements:
            write_stamp(name)
    finally:
        os.close(handle)


def is_installed(requirements: list[str]) -> bool:
    """Whether `.venv` holds exactly what these requirement files name, as far as their text tells."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return False
    return PYTHON.exists() and all(stamp.get(name) == fingerprint(name) for name in requirements)


def is_usable() -> bool:
    """Whether `.venv` has a Python that starts and has pip: a start may have been killed while it was made."""
    if not PYTHON.exists():
        return False
    test = f"import sys, pip; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    return subprocess.run([str(PYTHON), "-c", test], stderr=subprocess.DEVNULL, check=False).returncode == 0


def make_environment() -> None:
    """Make an empty `.venv` in place of whatever is there."""
    python = choose_python()
    refuse_old_python(python)
    if python == sys.executable and None in (importlib.util.find_spec("ensurepip"), importlib.util.find_spec("venv")):
        sys.exit("This Python cannot make environments. On Debian and Ubuntu: apt-get install python3-venv")
    print(f"Creating the environment {ENVIRONMENT} with {python} ...", flush=True)
    if ENVIRONMENT.is_symlink():
        ENVIRONMENT.unlink()
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    made = subprocess.run([python, "-m", "venv", str(ENVIRONMENT)], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        sys.exit(f"The environment {ENVIRONMENT} cannot be made: {last_lines(made.stdout + made.stderr)}")


def choose_python() -> str:
    """The Python that the environment is made of: the one named by UNDE_PYTHON, else the one that runs this file.

    Where that one was compiled without optimisation by profile (pyenv's by default), the distribution's of the same
    version takes its place, if it is complete: each request then costs an eighth less CPU (bench/results.md).
    """
    named = os.environ.get("UNDE_PYTHON")
    if named:
        return named
    is_optimised = OPTIMISED in (sysconfig.get_config_var("CONFIG_ARGS") or "")
    is_system = Path(sys.executable).resolve() == SYSTEM_PYTHON.resolve()
    return sys.executable if is_optimised or is_system or not is_complete(SYSTEM_PYTHON) else str(SYSTEM_PYTHON)


def refuse_old_python(python: str) -> None:
    """End the process when the Python that UNDE_PYTHON names is none, or too old."""
    test = f"import sys; print(sys.version.split()[0]); sys.exit(sys.version_info < {OLDEST_PYTHON})"
    try:
        asked = subprocess.run([python, "-c", test], capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"The Python {python} that UNDE_PYTHON names cannot be started: {error.strerror}.")
    if asked.returncode != 0:
        said = asked.stdout.strip() or "none that starts"
        sys.exit(f"Python 3.{OLDEST_PYTHON[1]} or newer is needed; {python}, which UNDE_PYTHON names, is {said}.")


def is_complete(python: Path) -> bool:
    """Whether a Python is there with all of the standard library that environments and the service want."""
    if not python.exists():
        return False
    return subprocess.run([str(python), "-c", NEEDED], capture_output=True, check=False).returncode == 0


def install(names: list[str]) -> None:
    """Install requirement files with one call of pip, saying how far it is. Ends the process when pip fails."""
    told = " and ".join(names)
    print(f"Installing {told} (the first time takes a minute or two) ...", flush=True)
    command = [str(PYTHON), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--no-compile"]
    command += ["--only-binary", ":all:", "--root-user-action", "ignore"]
    command += [part for name in names for part in ("-r", str(ROOT / name))]
    said: list[str] = []
    collected, told_at = 0, time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        for line in pip.stdout or ():
            said.append(line)
            collected += line.startswith("Collecting ")
            if time.monotonic() - told_at > 10:
                told_at = time.monotonic()
                doing = "installing them" if line.startswith("Installing") else "found so far"
                print(f"  {collected} packages, {doing} ...", flush=True)
    if pip.returncode != 0:
        sys.exit(f"pip could not install {told}. Its last lines:\n{last_lines(''.join(said))}")


def compile_packages() -> None:
    """Write the bytecode of what is installed, on every core: pip would do it on one.

    What cannot be compiled, such as templates that are named as modules, is left alone, as pip leaves it.
    """
    command = [str(PYTHON), "-m", "compileall", "-qq", "-j", "0", str(ENVIRONMENT / "lib")]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def write_stamp(name: str) -> None:
    """Note that a requirement file is installed in its present text."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        stamp = {}
    stamp[name] = fingerprint(name)
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps(stamp))
    fresh.replace(STAMP)


def fingerprint(name: str) -> str:
    """A hash of a requirement file and of the Python that `.venv` was made with."""
    parts = [(ROOT / name).read_bytes(), (ENVIRONMENT / "pyvenv.cfg").read_bytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def last_lines(text: str) -> str:
    """The last lines of what a program said."""
    return "\n".join(text.strip().splitlines()[-8:])
