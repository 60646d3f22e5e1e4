"""Hands submissions to workers, on this machine's cores or behind a dask scheduler.

The processes take longer to start than anything else, so they are started before this one imports
what it needs to talk to them.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import multiprocessing
import os
import queue
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from typing import Any

from autograder.course_error import CourseError
from autograder.grading.task import Task
from autograder.kernels.fork_server import ForkServer
from autograder.kernels.imports import modules_of_setup_cells
from autograder.kernels.kernel import ForkServerError
from autograder.kernels.sandbox import WITHOUT_ONEDNN
from autograder.results import Result
from coursekit.cores import available_cores

# Keras on one thread a kernel: as many kernels run at once as there are cores.
WORKER_ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "-1",
    **WITHOUT_ONEDNN,
}
# What has to stand in the environment before Python and NumPy start.
FIRST_ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
# In seconds.
SCHEDULER_TIMEOUT, WORKER_TIMEOUT = 10, 30
# What grading a submission may take beside its cells and checks: the start of a fork server, of
# several kernels, and pages to be made, on a busy machine.
GRADING_OVERHEAD = 300.0
SECONDS_BETWEEN_LOOKS = 5.0
# A fork server needs a fiftieth of a second to start a kernel; a worker asks for two a second.
WORKERS_TO_A_FORK_SERVER = 16
# A task that is handed out lies in memory several times; no worker may wait for one either.
TASKS_AT_ONCE, TASKS_TO_A_WORKER = 64, 4
# dask's log of recent messages would keep a thousand notebooks a connection in memory.
NO_LOG = {"distributed.admin.low-level-log-length": 0}


@contextlib.contextmanager
def prepare_workers(
    tasks: Sequence[Task], scheduler: str | None, workers: int | None
) -> Iterator[Callable[[], contextlib.AbstractContextManager[Dispatch]]]:
    """Start what takes longest to start, and yield a function that begins the grading.

    It returns a context with a `Dispatch`. Meanwhile the caller has time for its own imports.
    """
    with contextlib.ExitStack() as stack:
        fork_servers = None
        if tasks and scheduler is None:
            count = min(workers or available_cores(), len(tasks))
            fork_servers = stack.enter_context(_LocalForkServers(tasks[0], count))
        yield partial(_dispatch, tasks, scheduler, fork_servers)


@contextlib.contextmanager
def _dispatch(
    tasks: Sequence[Task], scheduler: str | None, fork_servers: _LocalForkServers | None
) -> Iterator[Dispatch]:
    """Hand the first tasks to workers and yield the `Dispatch`."""
    if not tasks:
        yield Dispatch(None, [], [None])
        return
    with _client(scheduler, fork_servers) as (client, directories):
        yield Dispatch(client, tasks, directories)


class Dispatch:
    """Tasks that are handed out to workers; ``workers`` is the number of these at the beginning."""

    def __init__(
        self, client: Any, tasks: Sequence[Task], directories: Sequence[Path | None]
    ) -> None:
        self._client = client
        self.workers = len(client.nthreads()) if client else 0
        self._most = max(TASKS_AT_ONCE, TASKS_TO_A_WORKER * self.workers)
        pairs = zip(tasks, itertools.cycle(directories), strict=False)
        self._waiting = (replace(task, shared_directory=directory) for task, directory in pairs)
        self._futures: dict[Any, Task] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._hand_out()

    def results(self) -> Iterator[Result]:
        """Yield one result a task, as workers bring them.

        A worker that is lost has its task tried again; a task that does not come back is given up.
        """
        watchdog = _Watchdog(self._client, self._futures)
        while self._futures:
            with contextlib.suppress(queue.Empty):
                future = self._done.get(timeout=SECONDS_BETWEEN_LOOKS)
                task = self._futures.pop(future, None)
                if task is not None:  # else it was given up
                    result = _result(task, future)
                    future.release()
                    self._hand_out()
                    yield result
            yield from watchdog.give_up_overdue()
            self._hand_out()

    def _hand_out(self) -> None:
        from autograder.grading import worker

        for task in itertools.islice(self._waiting, self._most - len(self._futures)):
            future = self._client.submit(worker.grade, task, pure=False, retries=1)
            self._futures[future] = task
            future.add_done_callback(self._done.put)


def _result(task: Task, future: Any) -> Result:
    try:
        error = future.exception()
    except CancelledError as cancelled:
        raise CourseError(
            "the dask scheduler was lost; run it again when it is back, "
            "what was graded until now is kept"
        ) from cancelled
    # No sandbox there, or another version of the repository: true of every submission.
    if isinstance(error, (CourseError, ForkServerError)):
        raise CourseError(str(error)) from error
    return future.result() if error is None else _ungraded(task, error)


def _ungraded(task: Task, error: BaseException) -> Result:
    from autograder.grading import worker

    return worker.ungraded(task, error)


class _Watchdog:
    """Gives up a task that takes far longer than a submission may, and restarts its worker."""

    def __init__(self, client: Any, futures: dict[Any, Task]) -> None:
        self._client = client
        self._futures = futures
        self._looked = time.monotonic()
        # By worker: the keys of the tasks that it has, the oldest first, and since when it has had
        # some and none has come to an end. Behind a scheduler of other settings some may wait.
        self._held: dict[str, tuple[list[str], float]] = {}

    def give_up_overdue(self) -> Iterator[Result]:
        """Yield a result for each task that is overdue, and take it from the futures."""
        now = time.monotonic()
        if now - self._looked < SECONDS_BETWEEN_LOOKS:
            return
        self._looked = now
        tasks = {future.key: (future, task) for future, task in self._futures.items()}
        for address, keys in self._client.processing().items():
            held, since = self._held.get(address, ([], now))
            if not held or not set(held) <= set(keys):
                since = now
            held = [key for key in held if key in keys] + [key for key in keys if key not in held]
            self._held[address] = held, since
            oldest = next((tasks[key] for key in held if key in tasks), None)
            if oldest is None:
                continue
            future, task = oldest
            if now - since <= task.limits.submission_seconds + GRADING_OVERHEAD:
                continue
            del self._futures[future]
            future.cancel(force=True)
            error = TimeoutError(f"the worker did not come back within {now - since:.0f} seconds")
            yield _ungraded(task, error)
            # What else it holds goes elsewhere. Without a nanny nobody can restart it.
            with contextlib.suppress(ValueError, OSError):
                self._client.restart_workers([address], raise_for_error=False)


@contextlib.contextmanager
def _client(
    scheduler: str | None, fork_servers: _LocalForkServers | None
) -> Iterator[tuple[Any, Sequence[Path | None]]]:
    """Yield a dask client and the directories of the fork servers that its workers share."""
    with contextlib.ExitStack() as stack:
        if fork_servers:
            client = _local_client(stack, fork_servers.workers)
            yield client, fork_servers.directories()
        else:
            assert scheduler is not None  # without one there are local fork servers
            yield _remote_client(stack, scheduler), [None]


def _remote_client(stack: contextlib.ExitStack, scheduler: str) -> Any:
    import asyncio

    import dask
    import distributed

    stack.enter_context(dask.config.set(NO_LOG))
    # Before Python 3.11, asyncio's `TimeoutError`, which dask raises, is not the built-in one.
    try:
        client = distributed.Client(scheduler, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
    except (OSError, asyncio.TimeoutError, ValueError) as error:
        raise CourseError(f"no dask scheduler answers at {scheduler}") from error
    stack.enter_context(client)
    try:
        client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
    except asyncio.TimeoutError as error:
        raise CourseError(
            f"the dask scheduler at {scheduler} has no workers; start some"
        ) from error
    threads = client.nthreads().values()
    if several := sum(number > 1 for number in threads):
        have = "has" if several == 1 else "have"
        raise CourseError(
            f"a worker grades one submission at a time, but at {scheduler} {several} of "
            f"{len(threads)} {have} several threads; start workers with --nthreads 1"
        )
    return client


def _local_client(stack: contextlib.ExitStack, workers: int) -> Any:
    import dask
    import distributed

    settings = NO_LOG | {
        # One task at a worker: when it is lost, no other submission is blamed for it.
        "distributed.scheduler.worker-saturation": 1.0,
        # The default of `multiprocessing`, which `_start_importing` has set.
        "distributed.worker.multiprocessing-method": None,
        # Nobody looks at what workers would note of themselves up to a hundred times a second.
        "distributed.worker.profile.enabled": False,
        "distributed.worker.memory.monitor-interval": "1s",
        "distributed.admin.system-monitor.interval": "10s",
        "distributed.admin.tick.interval": "500ms",
    }
    stack.enter_context(dask.config.set(settings))
    with _interrupts_blocked():
        cluster = stack.enter_context(
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                env=WORKER_ENVIRONMENT,
            )
        )
    return stack.enter_context(distributed.Client(cluster, set_as_default=False))


class _LocalForkServers:
    """The fork servers of this machine's workers, and the process that those are forked from."""

    def __init__(self, task: Task, workers: int) -> None:
        self.workers = workers
        modules = modules_of_setup_cells(task.released)
        with _interrupts_blocked():
            _start_importing(modules)
        self._fork_servers = [
            ForkServer(task.limits, task.sandboxed, modules)
            for _ in range(0, workers, WORKERS_TO_A_FORK_SERVER)
        ]
        self._starter = ThreadPoolExecutor(len(self._fork_servers))
        self._starts = [self._starter.submit(server.start) for server in self._fork_servers]

    def __enter__(self) -> _LocalForkServers:
        return self

    def __exit__(self, *error: object) -> None:
        self._starter.shutdown()
        for server in self._fork_servers:
            server.close()

    def directories(self) -> list[Path | None]:
        """Wait until all have started, and return what their workers must know of them."""
        try:
            for start in self._starts:
                start.result()
        except ForkServerError as error:
            raise CourseError(str(error)) from error
        return [server.directory for server in self._fork_servers]


def _start_importing(modules: Sequence[str]) -> None:
    """Start the process that workers are forked from, so that what they import is imported once.

    Where students' ``modules`` are Keras's, the reference answers and the checks need it as well.
    """
    multiprocessing.set_start_method("forkserver", force=True)
    needed = ["distributed", "autograder.grading.worker"]
    if {name.partition(".")[0] for name in modules} & {"keras", "tensorflow"}:
        needed.append("autograder.grading.with_keras")
    multiprocessing.set_forkserver_preload(needed)
    before = dict(os.environ)
    os.environ.update(WORKER_ENVIRONMENT | FIRST_ENVIRONMENT)
    try:
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keep Ctrl-C from the processes that are started: who starts them is the one to end them."""
    resource_tracker.ensure_running()  # to start it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
