"""When should a parallel program remap its work?

Models solved with certified bounds, logs replayed, and controllers for running programs:

>>> import remapping
>>> solution = remapping.solve("models/phase_change/nr90_figure3.ron")    # doctest: +SKIP
>>> solution.threshold[:3]                                                # doctest: +SKIP

* ``solve``, ``sweep``, ``compare``, ``verify``: a model, from its file or its text.
* ``fit``, ``replay``: a log, an array with a row for each step and a column for each rank.
* ``Controller``, ``Monitor``, ``Statistics``: in a running program, fed once a step.

What is wrong with what was given is said by a ``RemappingError``, with the words of the command line. Ctrl-C stops a
computation; ``Interrupted`` is a ``KeyboardInterrupt`` that has in ``partial`` what was known by then. Computations
do not hold the interpreter lock.
"""

from ._remapping import Controller, Decision, RemappingError, Statistics, __version__
from ._documents import (
    Comparison,
    Fit,
    FittedModel,
    Interrupted,
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
    "Comparison",
    "Controller",
    "Decision",
    "Fit",
    "FittedModel",
    "Interrupted",
    "Monitor",
    "RemappingError",
    "Replay",
    "Solution",
    "Statistics",
    "Sweep",
    "Verification",
    "compare",
    "fit",
    "replay",
    "solve",
    "sweep",
    "verify",
    "__version__",
]
