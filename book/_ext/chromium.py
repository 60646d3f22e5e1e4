"""The Chromium that prints the book, and in which tests and benchmarks open its pages."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

# As Linux distributions and Google call it; `system-packages` looks for the same names.
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    # Its own sandbox refuses to start for root, which is who CI and containers are.
    "--no-sandbox",
    "--disable-gpu",
    # It asks the network for nothing of its own.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find_chromium() -> str:
    """Return where Chromium is installed; FileNotFoundError says what installs it."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    raise FileNotFoundError("there is no Chromium; ./system-packages installs it")


def start_chromium(playwright: Playwright) -> Browser:
    """Start Chromium without a window."""
    return playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
