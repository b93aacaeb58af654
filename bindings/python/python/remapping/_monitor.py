"""Bayes' rule and optimal thresholds in a running program."""

from __future__ import annotations

from typing import Callable, Optional, Tuple

from . import _remapping
from ._remapping import Decision
from ._verbs import Model, source


class Monitor:
    """Watches a running program for a change of phase.

    ``model`` is a PhaseChange or PhaseSwitching model, its file or its text; it is solved first. With ``cluster`` (and
    ``batch``) the program hands over measurements, such as the time of each cycle: means of ``batch`` of them make up
    clusters, every cluster is tested against the first one and is a step of the model. Without, it hands over
    the levels that its own detector reports, from 0 on.

    >>> text = '''Model(title: "a job", problem: PhaseChange(lifetime: Fixed(400),
    ...     cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 20.0, install: 0.0),
    ...     detector: (false_alarm: 0.05, missed: 0.05), hazard: Constant(0.01)))'''
    >>> monitor = Monitor(text, batch=4, cluster=5)
    >>> seconds = lambda cycle: (1.0 if cycle < 2000 else 1.5) + 0.01 * (cycle * 7 % 11)
    >>> next(cycle for cycle in range(4000) if monitor.step(seconds(cycle))) in range(2000, 2100)
    True
    """

    def __init__(self, model: Model, *, batch: Optional[int] = None, cluster: Optional[int] = None) -> None:
        self._inner = _remapping.Monitor(*source(model), batch, cluster)

    @classmethod
    def restore(cls, text: str) -> Monitor:
        """A monitor as ``save`` wrote it."""
        made = cls.__new__(cls)
        made._inner = _remapping.Monitor.restored(text)
        return made

    def save(self) -> str:
        """All that it is between two steps, as text for a checkpoint. Monitors can also be pickled."""
        return self._inner.save()

    def __reduce__(self) -> Tuple[Callable[[str], Monitor], Tuple[str]]:
        return (Monitor.restore, (self.save(),))

    def observe(self, measurement: float) -> Optional[Decision]:
        """Takes a measurement in: a ``Decision`` if it completes a cluster, otherwise None."""
        return self._inner.observe(measurement)

    def report(self, level: int) -> Decision:
        """Takes the detector's report of the next step in: a ``Decision``."""
        return self._inner.report(level)

    def step(self, measurement: float) -> bool:
        """Takes a measurement in, and says whether to remap now."""
        decision = self._inner.observe(measurement)
        return decision is not None and decision.remap

    def remapped(self) -> None:
        """The program has remapped, or switched to the other mapping."""
        self._inner.remapped()

    @property
    def belief(self) -> float:
        """The belief that the phase has changed, or that the second phase is on."""
        return self._inner.belief
