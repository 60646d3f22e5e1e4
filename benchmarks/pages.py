"""How heavy are the pages? What a browser loads for the first view of each page of the site.

    .venv/bin/python -m benchmarks.pages

`make book` has to have built the site. Bytes are counted as a server sends them: what is text
compressed by gzip, fonts and pictures as they are.
"""

import functools
import gzip
import http.server
import threading
from dataclasses import dataclass
from pathlib import Path

from bookext.chromium import start_chromium
from playwright.sync_api import sync_playwright

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"
_COMPRESSED_ALREADY = {".woff2", ".png"}


@dataclass(frozen=True)
class FirstView:
    """What one page made the browser load: bytes on the way, files, and addresses elsewhere."""

    size: int
    requests: int
    elsewhere: tuple[str, ...]


def first_view(browser, site: str, page: str) -> FirstView:
    """Open a page of the site at an address, with a final slash, and return what it loaded."""
    addresses = []
    context = browser.new_context(viewport={"width": 1280, "height": 844})
    tab = context.new_page()
    tab.on("request", lambda request: addresses.append(request.url))
    tab.goto(f"{site}{page}", wait_until="networkidle")
    context.close()
    here = [address for address in addresses if address.startswith(site)]
    return FirstView(
        size=sum(sent_bytes(address.removeprefix(site)) for address in here),
        requests=len(addresses),
        elsewhere=tuple(a for a in addresses if not a.startswith((site, "data:"))),
    )


@functools.cache
def sent_bytes(address: str) -> int:
    """Return how many bytes of a file of the site are sent."""
    file = SITE / address.partition("?")[0].partition("#")[0]
    content = file.read_bytes()
    return len(content if file.suffix in _COMPRESSED_ALREADY else gzip.compress(content))


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main() -> None:
    """Print a line for every page, the heaviest first."""
    handler = functools.partial(_Silent, directory=SITE)
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = start_chromium(playwright)
        pages = [
            page.relative_to(SITE).as_posix()
            for folder in ("book", "notebooks")
            for page in (SITE / folder).rglob("*.html")
        ]
        views = {
            page: first_view(browser, f"http://127.0.0.1:{server.server_port}/", page)
            for page in pages
        }
        server.shutdown()
    print("compressed  requests  elsewhere  page")
    for page, view in sorted(views.items(), key=lambda item: -item[1].size):
        print(f"{view.size / 1000:7.0f} kB  {view.requests:8d}  {len(view.elsewhere):9d}  {page}")


if __name__ == "__main__":
    main()
