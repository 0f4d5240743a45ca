"""Work on many programs in several processes; one that ends or hangs loses only the program that it works on."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

RESTART_EVERY = 400
"""Tasks after which a process is replaced, so that memory stays bounded."""
SECONDS = 300.0
"""What one task may take."""

Work = Callable[[Any], Any]


class Lost(Exception):
    """A process ended, or did not answer."""


def _serve(pipe: multiprocessing.connection.Connection, work: Work) -> None:
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        pipe.send(work(task))


class _Worker:
    def __init__(self, work: Work) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, work), daemon=True)
        self.process.start()
        other.close()
        self.done = 0
        self.task: Any = None
        self.started = time.monotonic()

    def stop(self) -> None:
        self.pipe.close()
        self.process.join(2)
        if self.process.is_alive():
            self.process.kill()


def each(work: Work, tasks: Iterable[Any], jobs: int) -> Iterator[tuple[Any, Any]]:
    """Yield each task with what came of it, or `Lost`, in no order.

    Processes are forked from this one, so what it has imported is not imported again. torch uses one thread in them: a
    pool of threads does not survive a fork.
    """
    torch.set_num_threads(1)
    waiting = iter(tasks)
    workers: list[_Worker] = []
    for task in waiting:
        worker = _Worker(work)
        workers.append(worker)
        _give(worker, task)
        if len(workers) == jobs:
            break
    while workers:
        ready = multiprocessing.connection.wait([worker.pipe for worker in workers], 5)
        now = time.monotonic()
        for worker in [one for one in workers if one.pipe in ready or now - one.started > SECONDS]:
            answer: Any = Lost()
            try:
                if worker.pipe in ready:
                    answer = worker.pipe.recv()
            except (EOFError, ConnectionError):
                pass
            yield worker.task, answer
            workers.remove(worker)
            following = next(waiting, None)
            if isinstance(answer, Lost) or worker.done >= RESTART_EVERY or following is None:
                worker.stop()
                worker = None if following is None else _Worker(work)  # type: ignore[assignment]
            if worker is not None:
                _give(worker, following)
                workers.append(worker)


def _give(worker: _Worker, task: Any) -> None:
    worker.task = task
    worker.started = time.monotonic()
    worker.done += 1
    worker.pipe.send(task)
