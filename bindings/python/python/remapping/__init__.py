"""When should a parallel program remap its work?

Models solved with certified bounds, logs replayed, and controllers for running programs:

>>> import remapping
>>> job = '''Model(title: "80 cycles", problem: PhaseChange(lifetime: Fixed(80),
...     cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 5.0, install: 0.0),
...     detector: (false_alarm: 0.05, missed: 0.05), hazard: Constant(0.01)))'''
>>> solution = remapping.solve(job)
>>> solution.status, len(solution.threshold)
('converged', 81)
>>> bool((solution.threshold_upper - solution.threshold_lower <= 1e-9).all())
True

* ``solve``, ``check``, ``prove``, ``sweep``, ``compare``, ``regret``, ``verify``, ``simulate``: a model, from its file or its text.
* ``export``, ``report``: a solution.
* ``advise``, ``fit``, ``replay``: a log, an array with a row for each step and a column for each rank, or a file.
* ``Controller``, ``Monitor``, ``Statistics``: in a running program, fed once a step.

What is wrong with what was given is said by a ``RemappingError``, with the words of the command line, and where: ``file``,
``line``, ``column``. Ctrl-C stops a computation; ``Interrupted`` is a ``KeyboardInterrupt`` that has in ``partial`` what was
known by then. Computations do not hold the interpreter lock.
"""

from ._remapping import Controller, Decision, RemappingError, Statistics, __version__
from ._documents import (
    ContinuousDriftSolution,
    Document,
    LoadDriftSolution,
    ManyPhasesSolution,
    PeriodicSolution,
    PhaseChangeSolution,
    PhaseSwitchingSolution,
    ScenarioSolution,
    Solution,
    StoppingSolution,
)
from ._logs import Log
from ._monitor import Monitor
from ._results import (
    Advice,
    Check,
    Comparison,
    Fit,
    FittedModel,
    Interrupted,
    Proof,
    Regret,
    Replay,
    Sweep,
    Verification,
)
from ._verbs import advise, check, compare, export, fit, prove, regret, replay, report, simulate, solve, sweep, verify

__all__ = [
    "Advice",
    "Check",
    "Comparison",
    "ContinuousDriftSolution",
    "Controller",
    "Decision",
    "Document",
    "Fit",
    "FittedModel",
    "Interrupted",
    "LoadDriftSolution",
    "Log",
    "ManyPhasesSolution",
    "Monitor",
    "PeriodicSolution",
    "PhaseChangeSolution",
    "PhaseSwitchingSolution",
    "Proof",
    "Regret",
    "RemappingError",
    "Replay",
    "ScenarioSolution",
    "Solution",
    "Statistics",
    "StoppingSolution",
    "Sweep",
    "Verification",
    "advise",
    "check",
    "compare",
    "export",
    "fit",
    "prove",
    "regret",
    "replay",
    "report",
    "simulate",
    "solve",
    "sweep",
    "verify",
    "__version__",
]
