"""What stands around the corpus: decoys that must not change, a server that nobody must reach."""

import contextlib
import http.server
import threading
from html.parser import HTMLParser
from pathlib import Path

from hostile.outside import PORT
from hostile.resources import LEFT_BEHIND
from hostile.submissions import HONEST

# When one of these is there, a submission got out.
TRACES = [
    Path(folder) / name
    for folder in ("/tmp", "/dev/shm", "/var/tmp")
    for name in ("hostile_answers.py", "hostile_late.txt", "hostile_zip.ipynb", "hostile_zip.txt")
]
RESULTS = ("marks.csv", "reports/marks.csv", ".autograder/results.json")
IN_HOME = (".ipython/profile_default/startup/00.py", ".local/lib/hostile_written.py")


def lay_decoys(folder):
    """Write the files into a folder that submissions try to overwrite and remove."""
    (folder / "hostile-decoys").mkdir(parents=True, exist_ok=True)
    (folder / "hostile-decoy.txt").write_text("untouched")
    (folder / "hostile-decoys" / "one.txt").write_text("untouched")


def damage(home, course):
    """List what submissions did where they may do nothing."""
    found = [str(path) for path in TRACES if path.exists()]
    for folder, words in ((home, "home folder"), (course, "course folder")):
        for name in ("hostile-decoy.txt", "hostile-decoys/one.txt"):
            path = folder / name
            if not path.exists() or path.read_text() != "untouched":
                found.append(f"a file of the {words}")
    found += [f"start-up file {name}" for name in IN_HOME if (home / name).exists()]
    found += [name for name in ("hostile_answers.py", "hostile_late.txt") if (home / name).exists()]
    found += [f"{name} in the course" for name in RESULTS if (course / name).exists()]
    return sorted(set(found))


def installation_damage():
    """List what submissions wrote into installed packages."""
    import ipykernel
    import numpy as np

    import coursekit

    written = [Path(p.__file__).parent / "hostile_written.txt" for p in (np, coursekit, ipykernel)]
    installed = list(Path(np.__file__).parent.parent.glob("hostile_decoy*"))
    return [str(path) for path in [*written, *installed] if path.exists()]


def left_behind(mark=LEFT_BEHIND):
    """Return the numbers of processes whose command line or environment holds a mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            text = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            if mark.encode() in text:
                found.append(int(process.name))
    return found


@contextlib.contextmanager
def listening():
    """Listen where submissions try to connect, answer with a solution, and list who came."""
    came = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def setup(self):
            came.append(self.client_address)
            super().setup()

        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(HONEST["make_windows"].encode())

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield came
        server.shutdown()


def active_content(page, mark="hostile37"):
    """List the places of an HTML page where a browser would run a submission's code."""
    finder = _Finder(mark)
    finder.feed(page)
    return finder.found


class _Finder(HTMLParser):
    def __init__(self, mark):
        super().__init__()
        self.mark = mark
        self.found = []
        self.inside = None

    def handle_starttag(self, tag, attributes):
        self.inside = tag if tag in ("script", "style", "iframe", "object") else None
        for name, value in attributes:
            text = (value or "").lower()
            runs = name.startswith("on") or name == "srcdoc" or "javascript:" in text
            if self.mark in text and runs:
                self.found.append(f"<{tag} {name}>")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside and self.mark in data:
            self.found.append(f"<{self.inside}>")
