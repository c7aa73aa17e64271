"""One headless Chromium for all browser tests of a run; every test has tabs of its own, with cookies of their own."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.launch import paths
from tests.plugin.embedded import find_browser

NOTE_ERRORS = (
    "window.noted = []; window.addEventListener('error', e => window.noted.push(e.message));"
    "document.addEventListener('securitypolicyviolation', e => window.noted.push(e.violatedDirective + e.blockedURI));"
)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The browser itself; `script/screenshots` knows how to talk to it."""
    program = find_browser()
    assert program is not None
    running = _load_script().Chromium(program, str(tmp_path_factory.mktemp("chromium")))
    with _static_files_kept():
        yield running
    running.close()


@contextmanager
def _static_files_kept() -> Iterator[None]:
    """A tab asks once for a script or a style, as it does of the service itself, not again with every page."""
    serve = StaticFilesHandler.serve

    def serve_kept(self: StaticFilesHandler, request: HttpRequest) -> HttpResponseBase:
        response = serve(self, request)
        response["Cache-Control"] = "max-age=3600"
        return response

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticFilesHandler, "serve", serve_kept)
        yield


@pytest.fixture
def open_tab(chromium: Any) -> Iterator[Callable[[], Any]]:
    """Opens a tab that notes errors of every page in `window.noted`."""
    opened = []

    def make() -> Any:
        tab = chromium.open_tab()
        opened.append(tab)
        tab.send("Page.addScriptToEvaluateOnNewDocument", source=NOTE_ERRORS)
        return tab

    yield make
    for tab in opened:
        tab.close()


@pytest.fixture
def browser(open_tab: Callable[[], Any]) -> Any:
    """One such tab."""
    return open_tab()


def wait_for(holds: Callable[[], bool], *, seconds: float = 20) -> bool:
    """Whether it comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def _load_script() -> Any:
    loader = importlib.machinery.SourceFileLoader("screenshots", str(paths.ROOT / "script" / "screenshots"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
