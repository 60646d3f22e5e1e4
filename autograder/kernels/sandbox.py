"""The bubblewrap that keeps a submission from seeing anything but Python."""

import fcntl
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from autograder.kernels.inside.paths import HOME, KERNEL_DIR, RUN_DIR
from autograder.kernels.limits import Limits

# What runs in the sandbox, and its first file where it has been copied to.
INSIDE = Path(__file__).with_name("inside")
LAUNCHER = "inside/ipykernel_launcher.py"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/ssl/certs",
    "/etc/timezone",
)
_ETC = {
    "group": "root:x:0:\njovyan:x:1000:\n",
    "hosts": "127.0.0.1 localhost jupyter\n",
    "passwd": "root:x:0:0:root:/root:/bin/bash\njovyan:x:1000:1000::/home/jovyan:/bin/bash\n",
}
_RUN = "/tmp"
_PREFIX = "kernels-"
_INSTALL = (
    "install bubblewrap (Debian and Ubuntu: apt install bubblewrap) or grade with --no-sandbox"
)
_ALLOW = (
    "allow user namespaces (Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0; "
    "a container: run it privileged) or grade with --no-sandbox"
)


# Its number in linux/capability.h.
_CAP_DAC_OVERRIDE = 1

# Programs that have made a sandbox here, so that each process tries once.
_working: set[str] = set()


def sandbox_available() -> str | None:
    """Return None when submissions can be sandboxed here, else one sentence why not."""
    if not sys.platform.startswith("linux"):
        return f"The sandbox needs Linux, this is {sys.platform}: grade with --no-sandbox."
    program = shutil.which("bwrap")
    if program is None:
        return f"The sandbox needs the program bwrap, which is not installed: {_INSTALL}."
    if program in _working:
        return None
    if os.geteuid() == 0 and not _opens_all_files():
        return (
            "The sandbox gives every submission a user of its own, whose files root cannot open "
            "here, because it lacks the capability CAP_DAC_OVERRIDE: allow it in the container, "
            "or grade as another user."
        )
    directory, claim = make_run_directory()
    command = bwrap_command(directory, Limits(), ["--probe"])
    try:
        probe = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=30
        )
    except subprocess.TimeoutExpired:
        return f"The sandbox did not start within 30 seconds: {_ALLOW}."
    finally:
        remove_tree(directory)
        claim.close()
    if probe.returncode == 0:
        _working.add(program)
        return None
    lines = (probe.stderr or probe.stdout).strip().splitlines() or ["no message"]
    # Of a traceback the error, and of bubblewrap's words not where to read more.
    reason = lines[-1].partition(" See <")[0].rstrip(".")[-300:]
    return f"The sandbox cannot start here ({reason}): {_ALLOW}."


def _opens_all_files() -> bool:
    """Return whether this process may open any file, whoever owns it, as root usually may."""
    status = Path("/proc/self/status").read_text()
    (effective,) = re.findall(r"^CapEff:\s*(\w+)", status, re.MULTILINE)
    return bool(int(effective, 16) >> _CAP_DAC_OVERRIDE & 1)


def remove_tree(folder: Path) -> None:
    """Remove a folder and all that is in it; whatever cannot be removed is ignored."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:  # there are folders deeper than Python can go
        subprocess.run(["rm", "-rf", "--", str(folder)], stderr=subprocess.DEVNULL)


def make_run_directory() -> tuple[Path, IO[str]]:
    """Make a fork server's directory; return its path and the open file that claims it.

    Its name is short, for the name of a socket has at most 107 bytes. Directories whose owner
    was killed before it could remove them are removed here: nobody holds their claim.
    """
    for path in Path(_RUN).glob(f"{_PREFIX}*/claim"):
        _remove_unclaimed(path)
    directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_RUN))
    unlocked = directory / "claim.new"
    claim = unlocked.open("w")
    fcntl.flock(claim, fcntl.LOCK_EX)
    unlocked.rename(directory / "claim")  # from now on others find it, and the lock on it
    (directory / "etc").mkdir()
    for name, text in _ETC.items():
        (directory / "etc" / name).write_text(text)
    shutil.copytree(
        INSIDE, directory / "kernels" / "inside", ignore=shutil.ignore_patterns("__pycache__")
    )
    # Root gives each submission its own user, who must get through to its own directory.
    directory.chmod(0o711)
    return directory, claim


def _remove_unclaimed(claim: Path) -> None:
    try:
        with claim.open() as file:
            if os.fstat(file.fileno()).st_uid == os.geteuid():
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(claim.parent)
    except (BlockingIOError, FileNotFoundError, PermissionError):
        pass  # in use, just removed by another, or another user's


# Both of oneDNN's parts prepare themselves at length when an operation is first run, which is half
# of the time that a small model takes in a new process.
WITHOUT_ONEDNN = {"TENSORFLOW_USE_CUSTOM_CONTRACTION_KERNEL": "0", "TF_ENABLE_ONEDNN_OPTS": "0"}


def environment(limits: Limits) -> dict[str, str]:
    """Return the environment of a sandboxed kernel: what a plain Jupyter has, nothing of ours."""
    return {
        "CUDA_VISIBLE_DEVICES": "-1",
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "MKL_NUM_THREADS": str(limits.threads),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": f"{HOME}/.config/matplotlib",
        "OMP_NUM_THREADS": str(limits.threads),
        "OPENBLAS_NUM_THREADS": str(limits.threads),
        "PATH": f"{Path(sys.prefix) / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        # One order of sets and of dict views of strings: the same bytes get the same score.
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "SHELL": "/bin/bash",
        "TERM": "xterm-color",
        # What C++ says below the fatal is about our machines, not about the student's work.
        "TF_CPP_MIN_LOG_LEVEL": "3",
        # Two, because a blocking operation (tf.data) would stall one.
        "TF_NUM_INTEROP_THREADS": "2",
        "TF_NUM_INTRAOP_THREADS": str(limits.threads),
        "USER": "jovyan",
        **WITHOUT_ONEDNN,
    }


def bwrap_command(directory: Path, limits: Limits, arguments: Sequence[str] = ()) -> list[str]:
    """Return the command line that runs the fork server with a read-only view of Python alone.

    ``directory`` is the run directory that `make_run_directory` made: the fork server's code, the
    sockets of its kernels and the few files of /etc that we write ourselves.
    """
    command = [
        shutil.which("bwrap") or "bwrap",
        "--die-with-parent",
        "--new-session",
        "--unshare-ipc",
        "--unshare-net",
        "--unshare-pid",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--clearenv",
    ]
    if os.geteuid() == 0:
        # The kernel does not count the processes of root. Root therefore keeps the few powers
        # with which the fork server gives every submission a user ID of its own.
        for capability in ("KILL", "SETGID", "SETUID", "SYS_ADMIN", "SYS_PTRACE"):
            command += ["--cap-add", f"CAP_{capability}"]
    else:
        command += ["--unshare-user"]
    for name, value in environment(limits).items():
        command += ["--setenv", name, value]
    for path in _SYSTEM:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        else:
            command += ["--ro-bind-try", path, path]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for path in _SETTINGS:
        command += ["--ro-bind-try", path, path]
    for name in ("group", "hosts", "passwd"):
        command += ["--ro-bind", f"{directory}/etc/{name}", f"/etc/{name}"]
    # TensorFlow counts the processors here.
    command += ["--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu"]
    # For the fork server; every submission puts its own over them. Python may be installed below.
    for path in (HOME, "/dev/shm", "/tmp"):
        command += ["--tmpfs", path]
    python, coursekit = _interpreter(), _package("coursekit")
    for path in sorted({str(top) for shown in shown_paths() for top in Path(shown).parents}):
        # bubblewrap itself would make them for its own user alone.
        command += ["--dir", path]
    for path in python:
        command += ["--ro-bind", path, path]
    for path in _kept_out():
        command += ["--tmpfs", path, "--remount-ro", path]
    command += ["--ro-bind", coursekit, coursekit]
    for path in ("/mnt", KERNEL_DIR):
        command += ["--dir", path]
    command += ["--bind", f"{directory}/kernels", RUN_DIR]
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME]
    return [*command, sys.executable, f"{RUN_DIR}/{LAUNCHER}", *arguments]


def shown_paths() -> list[str]:
    """Return the directories outside the system's own that a submission is to see."""
    return [*_interpreter(), _package("coursekit")]


def _interpreter() -> list[str]:
    """Return the directories of Python, by the names under which it looks for itself."""
    prefixes = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    executable = sys.executable
    while os.path.islink(executable):
        executable = os.path.join(os.path.dirname(executable), os.readlink(executable))
        prefixes.append(os.path.dirname(os.path.dirname(os.path.normpath(executable))))
    found = {os.path.normpath(prefix) for prefix in prefixes}
    found |= {os.path.realpath(prefix) for prefix in found}
    return sorted(prefix for prefix in found if not _below(prefix, "/usr"))


def _kept_out() -> list[str]:
    """Return our own packages that lie inside what the sandbox shows.

    Installed as `make` does it they never do; they would after a plain ``pip install .``.
    """
    shown = ["/usr", *_interpreter()]
    packages = (_package(name) for name in ("autograder", "solutions"))
    return [path for path in packages if any(_below(path, top) for top in shown)]


def _package(name: str) -> str:
    """Return the directory of a package."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.submodule_search_locations
    return os.path.realpath(spec.submodule_search_locations[0])


def _below(path: str, top: str) -> bool:
    return Path(path) == Path(top) or Path(top) in Path(path).parents
