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

* ``solve``, ``check``, ``prove``, ``sweep``, ``compare``, ``verify``, ``simulate``: a model, from its file or its text.
* ``export``, ``report``: a solution.
* ``advise``, ``fit``, ``replay``: a log, an array with a row for each step and a column for each rank, or a file.
* ``Controller``, ``Monitor``, ``Statistics``: in a running program, fed once a step.

What is wrong with what was given is said by a ``RemappingError``, with the words of the command line. Ctrl-C stops a
computation; ``Interrupted`` is a ``KeyboardInterrupt`` that has in ``partial`` what was known by then. Computations
do not hold the interpreter lock.
"""

from ._remapping import Controller, Decision, RemappingError, Statistics, __version__
from ._commands import Advice, Check, Proof, advise, check, export, prove, report, simulate
from ._documents import (
    Comparison,
    Fit,
    FittedModel,
    Interrupted,
    Log,
    Replay,
    Solution,
    Sweep,
    Verification,
    compare,
    fit,
    replay,
    solve,
    sweep,
    verify,
)
from ._monitor import Monitor

__all__ = [
    "Advice",
    "Check",
    "Comparison",
    "Controller",
    "Decision",
    "Fit",
    "FittedModel",
    "Interrupted",
    "Log",
    "Monitor",
    "Proof",
    "RemappingError",
    "Replay",
    "Solution",
    "Statistics",
    "Sweep",
    "Verification",
    "advise",
    "check",
    "compare",
    "export",
    "fit",
    "prove",
    "replay",
    "report",
    "simulate",
    "solve",
    "sweep",
    "verify",
    "__version__",
]
