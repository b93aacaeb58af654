"""Verbs that run the command ``remap`` in a process of its own, so that what they say is what the command says."""

import contextlib
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from . import _remapping
from ._documents import Document, Interrupted, Log, Replay, Solution, source

# Loads the compiled module by its path, without the package: neither the folder of the caller nor numpy matter.
_START = """import importlib.util, sys
spec = importlib.util.spec_from_file_location("_remapping", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.exit(module.command(["remap", *sys.argv[2:]]))"""


def _run(*arguments, of=None):
    """What the command prints. With ``of``, a class of documents, that is JSON, and what was known at an interrupt is kept."""
    words = [os.fspath(each) if isinstance(each, os.PathLike) else str(each) for each in arguments]
    start = [sys.executable, "-I", "-c", _START, _remapping.__file__, *words]
    done = subprocess.run(start, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode in (1, 2) or (done.returncode == 3 and not done.stdout.strip()):
        raise _remapping.RemappingError(said)
    if done.returncode not in (0, 3, 130):
        raise RuntimeError(f"a bug: the command ended with {done.returncode}\n{said}")
    found = done.stdout
    if of is not None and found.strip():
        found = of(json.loads(found))
    if done.returncode == 130:
        raise Interrupted(found if isinstance(found, Document) else None)
    return found


@contextlib.contextmanager
def _given(thing):
    """The path of a model, a solution or a log; what has none is written to a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if isinstance(thing, Document) and not hasattr(thing, "file"):
            path = folder / "solution.json"
            thing.save(path)
        else:
            given, text = source(thing)
            path = pathlib.Path(given) if text is None else folder / "model.ron"
            if text is not None:
                path.write_text(text, encoding="utf-8")
        yield path


@contextlib.contextmanager
def _recorded(log, remaps=None):
    """The path of a log: that of a file, or of an array or a DataFrame that is written down."""
    if isinstance(log, (str, os.PathLike)):
        if remaps is not None:
            raise _remapping.RemappingError("remaps are read from the file: give them with an array")
        yield pathlib.Path(log)
        return
    held = log if isinstance(log, Log) else Log(log, () if remaps is None else remaps)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "log.csv"
        held.save(path, marked=remaps is not None or isinstance(log, Log))
        yield path


def _options(**options):
    """Options of the command; those that are None are left out."""
    for name, value in options.items():
        if value is not None:
            yield f"--{name.replace('_', '-')}={value}"


class Check(Document):
    """What is derived from a model without solving it, as ``remap check`` prints it."""


class Proof(Document):
    """What of a solution was proved, in sentences: ``proved``, and the ``solution`` where it was solved for this."""

    solution = None

    def __repr__(self):
        return "; ".join(self.document["proved"])


class Advice(Document):
    """What the log of a job says of when to remap: ``advice`` in a sentence, ``policy``, what it ``saves``."""

    def __repr__(self):
        return self.document["advice"]


def check(model, *, ranks=None):
    """Validates a model and says what is derived from it: a ``Check``. With ``ranks``, also what memory each of so many
    ranks of ``remap-mpi`` needs."""
    with _given(model) as path:
        return _run("check", path, "--json", *_options(ranks=ranks), of=Check)


def simulate(model, *, steps=None, policy=None, seed=1):
    """Simulates a model of drifting loads, a Periodic or a PhaseChange model: a ``Log``, which ``fit``, ``replay`` and ``advise``
    take. ``policy`` is the rule by which drifting loads are remapped; never, if it is left out."""
    with _given(model) as path:
        text = _run("simulate", path, *_options(steps=steps, policy=policy, seed=seed)).decode()
    return _read(text)


def _read(text):
    """A log as ``remap simulate`` prints it."""
    rows, remaps = {}, {}
    for row in csv.DictReader(io.StringIO(text)):
        step = int(row["step"])
        rows.setdefault(step, []).append(float(row["seconds"]))
        if row.get("remapped") == "1":
            remaps[step] = float(row.get("remap_seconds") or 0)
    places = {step: place for place, step in enumerate(rows)}
    return Log(np.array(list(rows.values())), [(places[step], cost) for step, cost in remaps.items()])


def export(solution, to):
    """A solution, or the path of one, as the command exports it to the target ``to``: text, or bytes of what is none."""
    with _exported(solution) as path:
        found = _run("export", path, f"--to={to}")
    try:
        return found.decode()
    except UnicodeDecodeError:
        return found


def report(*inputs):
    """A page about models, solutions or a log, as the text of an HTML file that needs no other."""
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(_page(each)) for each in inputs]
        return _run("report", *paths).decode()


def _page(thing):
    is_log = isinstance(thing, (Log, np.ndarray)) or hasattr(thing, "columns")
    return _recorded(thing) if is_log else _exported(thing)


def _exported(thing):
    is_path = isinstance(thing, os.PathLike) or isinstance(thing, str) and "(" not in thing
    return contextlib.nullcontext(pathlib.Path(thing)) if is_path else _given(thing)


def prove(model, *, certificate=None, tolerance=None):
    """Solves a model with a certificate, which is then checked by code that shares nothing with the solver: a ``Proof``,
    with the ``solution``. The certificate stays if ``certificate`` is the path of a file that is not there yet. The path
    of a solution (``.json``) that names its certificate is checked without solving anything."""
    if isinstance(model, (str, os.PathLike)) and os.fspath(model).endswith(".json"):
        return _run("verify", model, "--json", of=Proof)
    with _given(model) as path, tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(certificate or pathlib.Path(folder) / "certificate").absolute()
        more = _options(certificate=file, tolerance=tolerance)
        solution = _run("solve", path.absolute(), "--json", *more, of=Solution)
        solution.save(pathlib.Path(folder) / "solution.json")
        proof = _run("verify", pathlib.Path(folder) / "solution.json", "--json", of=Proof)
        proof.solution = solution
        return proof


def advise(log, *, remap_cost=None, steps=None, overlap=None, remaps=None, seed=1, out=None, force=False):
    """When a job should have been remapped, from its log: an ``Advice``.

    ``log`` is a file that the command reads, an array, a DataFrame or a ``Log``. ``steps`` is how long the job will be.
    ``overlap`` is how many steps a remap goes on beside them and the share by which these are slower. Into the folder
    ``out`` go the rule, a report, the model and settings.
    """
    with _recorded(log, remaps) as path:
        more = _options(remap_cost=remap_cost, steps=steps, overlap=_pair(overlap), seed=seed, out=out)
        return _run("advise", path, "--json", *more, *(["--force"] if force else []), of=Advice)


def _pair(overlap):
    return None if overlap is None else f"{overlap[0]}:{overlap[1]}"


def replay_log(log, remap_cost, policies, remaps, **options):
    """``replay`` by the command: of files of logs, and with options that only it has."""
    names = ",".join(policies) or None
    with _recorded(log, remaps) as path:
        return _run("replay", path, "--json", *_options(remap_cost=remap_cost, policies=names, **options), of=Replay)
