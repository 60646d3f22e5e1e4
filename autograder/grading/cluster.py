"""Hands submissions to workers, on this machine's cores or behind a dask scheduler."""

import contextlib
import itertools
import logging
import os
import queue
import signal
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import resource_tracker

import dask
import distributed

from autograder.course.chapters import CourseError
from autograder.grading import worker
from autograder.kernels.fork_server import ForkServer
from autograder.kernels.kernel import ForkServerError

# Keras on one thread a kernel: as many kernels run at once as there are cores.
WORKER_ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "-1",
}
SECONDS_TO_A_WORKER = 30
# What grading a submission may take beside its cells and checks: the start of a fork server, of
# several kernels, and pages to be made, on a busy machine.
SECONDS_BEYOND = 300.0
SECONDS_BETWEEN_LOOKS = 5.0
# A fork server needs a fiftieth of a second to start a kernel; a worker asks for two a second.
WORKERS_TO_A_FORK_SERVER = 16


def graded_results(tasks, scheduler, workers, run):
    """Yield one result a task, as workers bring them.

    A worker that is lost has its task tried again; a task that does not come back is given up.
    """
    if not tasks:
        return
    with _client(scheduler, workers, tasks) as (client, fork_servers):
        run.workers = len(client.scheduler_info()["workers"])
        pairs = zip(tasks, itertools.cycle(fork_servers), strict=False)
        tasks = [replace(task, fork_server=directory) for task, directory in pairs]
        futures = {client.submit(worker.grade, task, pure=False, retries=1): task for task in tasks}
        done = queue.SimpleQueue()
        for future in list(futures):
            future.add_done_callback(done.put)
        watchdog = _Watchdog(client, futures)
        while futures:
            with contextlib.suppress(queue.Empty):
                future = done.get(timeout=SECONDS_BETWEEN_LOOKS)
                task = futures.pop(future, None)
                if task is not None:  # else it was given up
                    yield _result(task, future)
                    future.release()
            yield from watchdog.give_up_overdue()


def _result(task, future):
    try:
        error = future.exception()
    except CancelledError as cancelled:
        raise CourseError(
            "the dask scheduler was lost; run it again when it is back, "
            "what was graded until now is kept"
        ) from cancelled
    if isinstance(error, ForkServerError):  # no sandbox there: true of every submission
        raise CourseError(str(error)) from error
    return future.result() if error is None else worker.ungraded(task, error)


class _Watchdog:
    """Gives up a task that takes far longer than a submission may, and restarts its worker."""

    def __init__(self, client, futures):
        self._client = client
        self._futures = futures
        self._looked = time.monotonic()
        # By worker: the keys of the tasks that it has, the oldest first, and since when no task
        # of it has come to an end. Behind a scheduler of other settings some may wait in a queue.
        self._held = {}

    def give_up_overdue(self):
        """Yield a result for each task that is overdue, and take it from the futures."""
        now = time.monotonic()
        if now - self._looked < SECONDS_BETWEEN_LOOKS:
            return
        self._looked = now
        tasks = {future.key: (future, task) for future, task in self._futures.items()}
        for address, keys in self._client.processing().items():
            held, since = self._held.get(address, ([], now))
            if not set(held) <= set(keys):
                since = now
            held = [key for key in held if key in keys] + [key for key in keys if key not in held]
            self._held[address] = held, since
            future, task = next((tasks[key] for key in held if key in tasks), (None, None))
            if task is None or now - since <= task.limits.submission_seconds + SECONDS_BEYOND:
                continue
            del self._futures[future]
            future.cancel(force=True)
            error = TimeoutError(f"the worker did not come back within {now - since:.0f} seconds")
            yield worker.ungraded(task, error)
            # What else it holds goes elsewhere. Without a nanny nobody can restart it.
            with contextlib.suppress(ValueError, OSError):
                self._client.restart_workers([address], raise_for_error=False)


@contextlib.contextmanager
def _client(scheduler, workers, tasks):
    """Yield a dask client and the directories of the fork servers that its workers share."""
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout="10s", set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise CourseError(f"no dask scheduler answers at {scheduler}") from error
        with client:
            try:
                client.wait_for_workers(1, timeout=SECONDS_TO_A_WORKER)
            except TimeoutError as error:
                raise CourseError(
                    f"the dask scheduler at {scheduler} has no workers; start some"
                ) from error
            yield client, [None]
        return
    count = min(workers or os.cpu_count() or 1, len(tasks))
    with contextlib.ExitStack() as stack:
        fork_servers = [
            stack.enter_context(contextlib.closing(ForkServer(tasks[0].limits, tasks[0].sandboxed)))
            for _ in range(0, count, WORKERS_TO_A_FORK_SERVER)
        ]
        # They take seconds, and so does the cluster: all start side by side.
        starter = stack.enter_context(ThreadPoolExecutor(len(fork_servers)))
        starts = [starter.submit(fork_server.start) for fork_server in fork_servers]
        # One task at a worker: when it is lost, no other submission is blamed for it.
        stack.enter_context(dask.config.set({"distributed.scheduler.worker-saturation": 1.0}))
        with _out_of_reach():
            cluster = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=count,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                    env=WORKER_ENVIRONMENT,
                    preload=["autograder.grading.worker"],
                )
            )
        client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        try:
            for start in starts:
                start.result()
        except ForkServerError as error:
            raise CourseError(str(error)) from error
        yield client, [fork_server.directory for fork_server in fork_servers]


@contextlib.contextmanager
def _out_of_reach():
    """Keep Ctrl-C from the processes that are started: who starts them is the one to end them."""
    resource_tracker.ensure_running()  # to start it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
