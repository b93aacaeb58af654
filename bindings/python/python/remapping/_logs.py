"""Logs: arrays, data frames and files."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
from typing import Any, Iterable, Iterator, List, Optional, Protocol, Sequence, Tuple, Union, cast

import numpy as np
import numpy.typing as npt

from ._documents import Path
from ._fields import Floats
from ._remapping import RemappingError


class Frame(Protocol):
    """A data frame, as pandas and others have them."""

    @property
    def columns(self) -> Any: ...

    def __getitem__(self, name: Any, /) -> Any: ...


# With a row for each step and a column for each rank.
Times = Union["Log", npt.NDArray[Any], Sequence[Sequence[float]], Frame]
# Steps before which the run was remapped, or pairs of those and what it cost.
Remaps = Iterable[Union[int, Tuple[int, Optional[float]]]]

_STEPS = {"step", "iteration", "iter", "cycle", "timestep"}


def rows(times: Times) -> Floats:
    """Times as an array of doubles. A column of steps in a frame is left out."""
    if isinstance(times, Log):
        return times.times
    if hasattr(times, "columns"):
        frame = cast(Frame, times)
        names = [name for name in frame.columns if str(name).strip().lower() not in _STEPS]
        for name in names:
            if isinstance(name, str) and not name.strip().lower().startswith("rank_"):
                raise RemappingError(f"the column `{name}` is not the time of a rank, which is called rank_0, rank_1, ...")
        times = frame[names]
    array = np.ascontiguousarray(times, dtype=float)
    if array.ndim != 2:
        raise RemappingError(f"times have {array.ndim} dimensions: give a row for each step, a column for each rank")
    wrong = np.argwhere(~(np.isfinite(array) & (array >= 0)))
    if len(wrong):
        step, rank = wrong[0]
        raise RemappingError(f"the time of rank {rank} at step {step} is negative or not finite")
    return array


def _step(step: Any) -> int:
    whole = int(step)
    if whole != step or whole < 0:
        raise RemappingError(f"a remap before step {step}: steps are whole numbers from 0 on")
    return whole


def _pair(remap: Any) -> Tuple[int, Optional[float]]:
    if np.ndim(remap) == 0:
        return _step(remap), None
    step, cost = remap
    return _step(step), None if cost is None else float(cost)


class Log:
    """A recorded or simulated run: ``times``, with a row for each step and a column for each rank, and ``remaps``, pairs
    of the step right after a remap and what it cost (None if that is not known)."""

    def __init__(self, times: Times, remaps: Remaps = ()) -> None:
        self.times: Floats = rows(times)
        self.remaps: List[Tuple[int, Optional[float]]] = [_pair(remap) for remap in remaps]

    def __repr__(self) -> str:
        steps, ranks = self.times.shape
        return f"{steps} steps of {ranks} ranks, {len(self.remaps)} remaps"

    def save(self, path: Path, *, marked: bool = True) -> None:
        """Writes a table that the command reads, with a line for each step; unless ``marked``, it does not say when the
        run was remapped."""
        costs = dict(self.remaps)
        with open(path, "w", encoding="utf-8") as file:
            names = ["step", *(f"rank_{rank}" for rank in range(self.times.shape[1]))]
            file.write(",".join([*names, "remapped", "remap_seconds"] if marked else names) + "\n")
            for step, row in enumerate(self.times.tolist()):
                cost = costs.get(step)
                more = f",{int(step in costs)},{'' if cost is None else repr(cost)}" if marked else ""
                file.write(f"{step},{','.join(map(repr, row))}{more}\n")


def simulated(text: str) -> Log:
    """A log as ``remap simulate`` prints it."""
    times: dict[int, List[float]] = {}
    remaps: dict[int, float] = {}
    for row in csv.DictReader(io.StringIO(text)):
        step = int(row["step"])
        times.setdefault(step, []).append(float(row["seconds"]))
        if row.get("remapped") == "1":
            remaps[step] = float(row.get("remap_seconds") or 0)
    places = {step: place for place, step in enumerate(times)}
    return Log(np.array(list(times.values())), [(places[step], cost) for step, cost in remaps.items()])


@contextlib.contextmanager
def file_of(log: Union[Times, Path], remaps: Optional[Remaps] = None) -> Iterator[Tuple[Optional[str], str]]:
    """The folder and the name of a log; an array or a data frame is written to a folder that is removed afterwards. The
    command reads the columns of a frame as it reads those of a table, where they have names."""
    if isinstance(log, (str, os.PathLike)):
        if remaps is not None:
            raise RemappingError("remaps are read from the file: give them with an array")
        yield None, os.fspath(log)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.csv")
        named = [isinstance(name, str) for name in getattr(log, "columns", ())]
        if named and all(named) and remaps is None:
            write = getattr(log, "to_csv", None)
            if write is not None:
                write(path, index=False)
            else:
                getattr(log, "write_csv")(path)
        else:
            held = log if isinstance(log, Log) else Log(log, () if remaps is None else remaps)
            held.save(path, marked=remaps is not None or isinstance(log, Log))
        yield folder, "log.csv"
