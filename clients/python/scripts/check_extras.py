"""Runs the example and the tests of each extra against a running service, with the framework as it is published today.

    python scripts/check_extras.py                          all of them; UNDE_URL and UNDE_API_KEY say where
    python scripts/check_extras.py langgraph anthropic      these alone
    python scripts/check_extras.py --venvs ~/venvs          keep the environments; the next run uses them again

Each framework has an environment of its own, as an app would have. A run that was interrupted goes on where it was: an
environment that is complete is not made again. Ends with 1 when an example failed or said something else, or a test
failed. The tests are those of `tests/`; each makes users of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Final

CLIENT: Final = Path(__file__).resolve().parent.parent
SECONDS: Final = 180  # an example takes two, tests ten; what hangs would hide those that follow
EXAMPLES: Final = {
    "langgraph": ("langgraph_store.py", "['boots']"),
    "openai-agents": ("openai_agents_session.py", "('body_params', 'M')"),
    "anthropic": ("anthropic_memory_tool.py", "2\thates wool"),
    "adk": ("adk_memory_service.py", "I am allergic to nickel"),
    "langchain": ("langchain_retriever.py", "I wear linen in summer"),
    "agent-framework": ("agent_framework_provider.py", "True"),
    "llama-index": ("llama_index_block.py", "True"),
}
"""For each extra its example, and what it must say."""


def make_environment(extra: str, venvs: Path) -> Path:
    """The Python of an environment that has the client and the framework. Raises CalledProcessError."""
    place = venvs / extra
    python, done = place / "bin" / "python", place / "complete"
    if not done.exists():
        venv.create(place, with_pip=True, clear=True)
        wanted = [str(python), "-m", "pip", "install", "--quiet", "pytest", f"{CLIENT}[{extra}]"]
        subprocess.run(wanted, check=True)
        done.touch()
    return python


def run_example(extra: str, python: Path) -> str | None:
    """What is wrong with the example; None when it says what it must."""
    name, wanted = EXAMPLES[extra]
    ran = run(python, str(CLIENT / "examples" / name))
    if ran.returncode:
        return ran.stderr.strip().splitlines()[-1]
    return None if wanted in ran.stdout else f"said something else: {ran.stdout.strip()}"


def run_tests(extra: str, python: Path) -> str | None:
    """What pytest said when a test of the extra failed; None when all passed."""
    tests = CLIENT / "tests"
    # A configuration of its own: the one of the repository is for tests that start servers.
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tests)]
    ran = run(python, "-m", "pytest", *options, str(tests / f"test_{extra.replace('-', '_')}.py"))
    return ran.stdout.strip() if ran.returncode else None


def run(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program with the client of this checkout. Raises TimeoutExpired."""
    environment = {**os.environ, "PYTHONPATH": str(CLIENT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(python), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=SECONDS, check=False)


def main() -> int:
    """Run them and say how each ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extras", nargs="*", metavar="extra", help=f"of {', '.join(EXAMPLES)}; default: all")
    parser.add_argument("--venvs", type=Path, help="folder for the environments; default: a temporary one")
    options = parser.parse_args()
    unknown = sorted({*options.extras} - {*EXAMPLES})
    if unknown:
        parser.error(f"there is no extra {unknown[0]}")
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for extra in options.extras or EXAMPLES:
            try:
                python = make_environment(extra, options.venvs or Path(temporary))
                fault = run_example(extra, python) or run_tests(extra, python)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                fault = str(error)
            failed += fault is not None
            sys.stdout.write(f"{extra}: {fault or 'ok'}\n")
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
