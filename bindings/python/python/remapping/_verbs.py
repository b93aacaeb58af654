"""The verbs of the command line.

``solve`` and ``sweep`` compute in this process. The others run the command in a process of its own: what they say is what
the command says.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np

from . import _remapping
from ._documents import D, Path, Solution
from ._logs import Log, Remaps, Times, file_of, simulated
from ._results import (
    Advice, Check, Comparison, Fit, FittedModel, Interrupted, Proof, Regret, Replay, Sweep, Value, Verification,
)

# The path of a model file, its text, or a model that was fitted.
Model = Union[Path, FittedModel]
# The value of an option of the command; True is an option without a value, None and False leave it out.
Option = Union[None, bool, int, float, str, "os.PathLike[str]"]

# Loads the compiled module by its path, without the package: neither the folder of the caller nor numpy matter.
_START = """import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("_remapping", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
code, place = module.command(["remap", *sys.argv[2:]])
print(json.dumps(place), file=sys.stderr)
sys.exit(code)"""


# Options that name a file or a folder.
_PATHS = {"advised", "certificate", "out", "plot", "solution"}


def _options(options: Mapping[str, Option]) -> List[str]:
    given = []
    for name, value in options.items():
        if name in _PATHS and isinstance(value, (str, os.PathLike)):
            # The command may work in another folder.
            value = os.path.abspath(value)
        if value is not None and value is not False:
            given.append(f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}"))
    return given


def _run(*arguments: Union[Path, Sequence[str]], folder: Optional[Path] = None) -> Tuple[int, bytes]:
    """The exit code of the command and what it prints. It is told of Ctrl-C, and may print what is known by then."""
    words = [word for each in arguments for word in ([os.fspath(each)] if isinstance(each, (str, os.PathLike)) else each)]
    start = [sys.executable, "-I", "-c", _START, _remapping.__file__, *words]
    pipe = subprocess.PIPE
    # A session of its own: a terminal's Ctrl-C comes from here alone, and once.
    run = subprocess.Popen(
        start, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, start_new_session=True, cwd=folder
    )
    try:
        printed, said = run.communicate()
    except BaseException as stopped:
        run.send_signal(signal.SIGINT)
        try:
            printed, said = run.communicate(timeout=20)
        except BaseException:
            run.kill()
            run.communicate()
            raise
        if not isinstance(stopped, KeyboardInterrupt):
            raise
        return 130, printed
    text, _, place = said.decode(errors="replace").rstrip().rpartition("\n")
    if run.returncode in (1, 2) or (run.returncode == 3 and not printed.strip()):
        # Wrong options end the command before it says where something stands.
        error = _remapping.RemappingError((text if run.returncode != 2 else f"{text}\n{place}").strip())
        if run.returncode != 2 and place != "null":
            error.file, error.line, error.column = json.loads(place)
        raise error
    # A theorem that fails is a bug with a document.
    if run.returncode not in (0, 3, 130) and not (run.returncode == 4 and printed.strip()):
        raise RuntimeError(f"a bug: the command ended with {run.returncode}\n{text}")
    return run.returncode, printed


def _document(kind: Type[D], *arguments: Union[Path, Sequence[str]], folder: Optional[Path] = None) -> D:
    code, printed = _run(*arguments, ["--json"], folder=folder)
    found = kind(json.loads(printed)) if printed.strip() else None
    if code == 130 or found is None:
        raise Interrupted(found)
    return found


def _text(*arguments: Union[Path, Sequence[str]], folder: Optional[Path] = None) -> bytes:
    code, printed = _run(*arguments, folder=folder)
    if code == 130:
        raise Interrupted(None)
    return printed


def source(model: Model) -> Tuple[Optional[str], Optional[str]]:
    """The path and the text of a model, one of them None."""
    if isinstance(model, FittedModel):
        return None, model.file
    if isinstance(model, os.PathLike):
        return os.fspath(model), None
    if isinstance(model, str):
        # Models have brackets; so may have names of files.
        is_path = "(" not in model or model.endswith(".ron") or os.path.exists(model)
        return (model, None) if is_path else (None, model)
    raise TypeError(f"a model is a path, a text or a fitted model, not {type(model).__name__}")


@contextlib.contextmanager
def _model(model: Model) -> Iterator[Tuple[Optional[str], str]]:
    """The folder and the name of a model; what has no file is written to a folder that is removed afterwards."""
    path, text = source(model)
    if text is None:
        yield None, str(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "model.ron").write_text(text, encoding="utf-8")
        yield folder, "model.ron"


@contextlib.contextmanager
def _solution(held: Union[Solution, Path]) -> Iterator[pathlib.Path]:
    """The same of a solution."""
    if not isinstance(held, Solution):
        yield pathlib.Path(held)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "solution.json"
        held.save(path)
        yield path


def _written(value: Value) -> str:
    """A value as it is written in a model."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def solve(
    model: Model,
    *,
    set: Optional[Mapping[str, Value]] = None,
    tolerance: Optional[float] = None,
    time_limit: Optional[float] = None,
    values: bool = False,
    method: Optional[str] = None,
    critical_costs: bool = False,
    exact: bool = False,
    **options: Option,
) -> Solution:
    """Solves a model and returns a ``Solution``, of the class for its kind of problem.

    ``model`` is the path of a model file, its text, or a fitted model. ``set`` puts other values into it, as
    ``{"problem.remap_cost": 4}``. ``tolerance`` bounds the certified width of what is reported, 1e-9 if it is left
    out; between bounds (many phases, loads without levels, loads of many ranks) it is their relative gap, 0.0025 to
    0.05 if it is left out. After ``time_limit`` seconds, and on Ctrl-C, the computation ends with the bounds it has:
    the former returns a solution whose ``status`` says so, the latter raises ``Interrupted``. ``critical_costs`` gives the
    remap cost at which each decision of ``Stopping`` switches; ``exact`` gives fractions for short changes of phase.
    Other ``options`` are those of ``remap solve``: ``segments``, ``step``, ``simulate``, ``seed``.
    """
    options = {
        **options, "tolerance": tolerance, "time_limit": time_limit, "values": values, "method": method,
        "critical_costs": critical_costs, "exact": exact,
    }
    places = [(path, _written(value)) for path, value in (set or {}).items()]
    text, stopped = _remapping.solve(*source(model), places, _options(options))
    found = Solution(json.loads(text))
    if stopped:
        raise Interrupted(found)
    return found


def sweep(model: Model, axes: Mapping[str, Iterable[Value]], **options: Any) -> Sweep:
    """Solves a model for all combinations of some values, ``{"problem.remap_cost": [1, 2, 4]}``; the last
    path varies fastest. ``options`` are those of ``solve``. On Ctrl-C, ``Interrupted`` has those solved by then."""
    solved = Sweep()
    for values in itertools.product(*axes.values()):
        chosen: Dict[str, Value] = dict(zip(axes, values))
        try:
            solved.append((chosen, solve(model, set=chosen, **options)))
        except KeyboardInterrupt:
            raise Interrupted(solved) from None
    return solved


def check(model: Model, *, ranks: Optional[int] = None) -> Check:
    """Validates a model and says what is derived from it. With ``ranks``, also what memory each of so many ranks of
    ``remap-mpi`` needs."""
    with _model(model) as (folder, name):
        return _document(Check, "check", name, _options({"ranks": ranks}), folder=folder)


def compare(model: Model, policies: Iterable[str] = (), **options: Option) -> Comparison:
    """Policies side by side on one model, on the same sample paths where costs are not exact. Without ``policies``, all that
    apply. ``options`` are those of ``remap compare``: ``runs``, ``seed``, ``time_limit``."""
    more = _options({"policies": ",".join(policies) or None, **options})
    with _model(model) as (folder, name):
        return _document(Comparison, "compare", name, more, folder=folder)


def regret(model: Model, *, set: Optional[Mapping[str, Iterable[Value]]] = None, **options: Option) -> Regret:
    """What it costs to be wrong about a parameter: policies that are optimal for wrong models, in the true one. ``set``
    gives the wrong values of some parameters; without it, multiples of the true ones of all."""
    axes = [f"--set={path}={','.join(map(_written, values))}" for path, values in (set or {}).items()]
    with _model(model) as (folder, name):
        return _document(Regret, "regret", name, axes, _options(options), folder=folder)


def verify(model: Model, *, cases: int = 32, seed: int = 1) -> Verification:
    """Examines the lemmas of the papers on a model and on ``cases`` models near it: true if theorems hold and what is known
    to be false is refuted."""
    with _model(model) as (folder, name):
        return _document(Verification, "verify", name, _options({"cases": cases, "seed": seed}), folder=folder)


def prove(model: Model, *, certificate: Optional[Path] = None, tolerance: Optional[float] = None) -> Proof:
    """Solves a model with a certificate, which is then checked by code that shares nothing with the solver: a ``Proof``,
    with the ``solution``. The certificate stays if ``certificate`` is the path of a file that is not there yet. The path
    of a solution (``.json``) that names its certificate is checked without solving anything."""
    if isinstance(model, (str, os.PathLike)) and os.fspath(model).endswith(".json"):
        return _document(Proof, "verify", model)
    with _model(model) as (place, name), tempfile.TemporaryDirectory() as folder:
        more = {"certificate": certificate or os.path.join(folder, "certificate"), "tolerance": tolerance}
        solved = _document(Solution, "solve", os.path.abspath(os.path.join(place or "", name)), _options(more))
        with _solution(solved) as written:
            proof = _document(Proof, "verify", written)
        proof.solution = solved
        return proof


def simulate(model: Model, **options: Option) -> Log:
    """Simulates a model of drifting loads, a Periodic or a PhaseChange model: a ``Log``, which ``fit``, ``replay`` and
    ``advise`` take. ``options`` are those of ``remap simulate``: ``steps``, ``policy`` (of drifting loads: the rule by which
    they are remapped), ``seed``."""
    with _model(model) as (folder, name):
        return simulated(_text("simulate", name, _options(options), folder=folder).decode())


def export(solution: Union[Solution, Path], to: str) -> Union[str, bytes]:
    """A solution, or the path of one, as the command exports it to the target ``to``: text, or bytes of what is none."""
    with _solution(solution) as path:
        found = _text("export", path, _options({"to": to}))
    try:
        return found.decode()
    except UnicodeDecodeError:
        return found


def report(*inputs: Union[Solution, Model, Times]) -> str:
    """A page about models, solutions or a log, as the text of an HTML file that needs no other."""

    with contextlib.ExitStack() as stack:

        def page(thing: Any) -> str:
            if isinstance(thing, Solution):
                return os.fspath(stack.enter_context(_solution(thing)))
            is_model = isinstance(thing, (str, os.PathLike, FittedModel))
            folder, name = stack.enter_context(_model(thing) if is_model else file_of(thing))
            return os.path.join(folder or "", name)

        return _text("report", [page(each) for each in inputs]).decode()


def _overlap(overlap: Optional[Tuple[int, float]]) -> Optional[str]:
    return None if overlap is None else f"{overlap[0]}:{overlap[1]}"


def fit(log: Union[Times, Path], remap_cost: Optional[float] = None, *, remaps: Optional[Remaps] = None, **options: Option) -> Fit:
    """Fits models to a log, the recommended model first.

    ``log`` is a file that the command reads, a ``Log``, or an array or a data frame with a row for each step and a column for
    each rank. It has to say what a remap costs where ``remap_cost`` does not. ``remaps`` are the steps before which the run
    was remapped, or pairs of those and what it cost. ``options`` are those of ``remap fit``: ``steps``, the job's length;
    ``model``, ``chain``, ``columns``, ...
    """
    with file_of(log, remaps) as (folder, name):
        return _document(Fit, "fit", name, _options({"remap_cost": remap_cost, **options}), folder=folder)


def replay(
    log: Union[Times, Path],
    remap_cost: Optional[float] = None,
    policies: Iterable[str] = (),
    *,
    remaps: Optional[Remaps] = None,
    start: Optional[str] = None,
    overlap: Optional[Tuple[int, float]] = None,
    **options: Option,
) -> Replay:
    """What policies would have cost: trained on the first steps of a log, judged on the others.

    The log and ``remaps`` are as in ``fit``. Without ``policies``, all of them. ``start`` is "balance", or "actual" for where
    the recorded run stood. ``overlap`` is how many steps a remap goes on beside them, and the share by which these are
    slower. ``options`` are those of ``remap replay``: ``split``, ``splits``, ``what_if``, ``seed``, ``solution``, ... It is
    assumed that a remap restores balance and does not change later increments.
    """
    more = {"remap_cost": remap_cost, "policies": ",".join(policies) or None, "from": start, "overlap": _overlap(overlap)}
    with file_of(log, remaps) as (folder, name):
        return _document(Replay, "replay", name, _options({**more, **options}), folder=folder)


def advise(
    log: Union[Times, Path],
    *,
    remap_cost: Optional[float] = None,
    steps: Optional[int] = None,
    remaps: Optional[Remaps] = None,
    overlap: Optional[Tuple[int, float]] = None,
    **options: Option,
) -> Advice:
    """When a job should have been remapped, from its log, which is as in ``fit``. ``steps`` is how long the job will be.
    ``overlap`` is as in ``replay``. ``options`` are those of ``remap advise``: ``seed``; ``out``, a folder for the rule, a
    report, the model and settings; ``force``."""
    more = {"remap_cost": remap_cost, "steps": steps, "overlap": _overlap(overlap)}
    with file_of(log, remaps) as (folder, name):
        return _document(Advice, "advise", name, _options({**more, **options}), folder=folder)
