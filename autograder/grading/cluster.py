"""Hands submissions to workers, on this machine's cores or behind a dask scheduler."""

import contextlib
import itertools
import logging
import os
import signal
import traceback
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import resource_tracker

import dask
import distributed

from autograder.course.chapters import CourseError, load_chapter
from autograder.grading import worker
from autograder.grading.results import Outcome, Status
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
# A fork server needs a fiftieth of a second to start a kernel; a worker asks for two a second.
WORKERS_TO_A_FORK_SERVER = 16


def graded_results(tasks, scheduler, workers, run):
    """Yield results as workers bring them; a worker that is lost has its task tried again."""
    if not tasks:
        return
    with _client(scheduler, workers, tasks) as (client, fork_servers):
        run.workers = len(client.scheduler_info()["workers"])
        pairs = zip(tasks, itertools.cycle(fork_servers), strict=False)
        tasks = [replace(task, fork_server=fork_server) for task, fork_server in pairs]
        futures = {client.submit(worker.grade, task, pure=False, retries=1): task for task in tasks}
        for future in distributed.as_completed(list(futures), loop=client.loop):
            task = futures.pop(future)
            try:
                error = future.exception()
            except CancelledError as cancelled:
                raise CourseError(
                    "the dask scheduler was lost; run it again when it is back, "
                    "what was graded until now is kept"
                ) from cancelled
            if isinstance(error, ForkServerError):  # no sandbox there: true of every submission
                raise CourseError(str(error)) from error
            yield future.result() if error is None else ungraded(task, error)
            future.release()


def ungraded(task, error):
    """Return the result of a submission whose grading itself failed: to be looked at, no points."""
    reason = f"grading it failed: {type(error).__name__}: {error}".splitlines()[0][:300]
    chapter = load_chapter(task.assignment)
    # Without a digest it is no answer to this submission: the next run grades it again.
    task = replace(task, digest="")
    return replace(
        worker.result_without_run(task, chapter, Status.NEEDS_REVIEW, reason, Outcome.NOT_GRADED),
        log="".join(traceback.format_exception(error)),
    )


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
