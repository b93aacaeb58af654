import os
from typing import Any, Iterable, Mapping, Optional, Sequence, Tuple, TypedDict, Union

import numpy as np
import numpy.typing as npt

__version__: str

Path = Union[str, "os.PathLike[str]"]
Model = Union[Path, "FittedModel"]
Array = npt.NDArray[np.float64]
# An array, a list of rows or a DataFrame.
Times = Any
Remaps = Iterable[Union[int, Tuple[int, Optional[float]]]]

class RemappingError(ValueError): ...

class Interrupted(KeyboardInterrupt):
    partial: Any

class Bounds(TypedDict):
    lower: float
    upper: float

class Document:
    document: dict[str, Any]
    title: str
    problem: str
    status: str
    warnings: list[str]
    def to_json(self) -> str: ...
    def save(self, path: Union[str, "os.PathLike[str]"]) -> None: ...

class Solution(Document):
    """Fields of other problems than its own are not there: asking for one is an AttributeError."""

    tolerance: float
    version: str
    seconds: float
    # Changes of phase.
    last_step: int
    n0: Optional[int]
    threshold: Array
    threshold_lower: Array
    threshold_upper: Array
    # Changes of phase, recurring phases and many phases: bounds; drifting loads: a number.
    value: Union[Bounds, float]
    segments: int
    to_second: dict[str, Any]
    to_first: dict[str, Any]
    # Optimal stopping.
    shape: npt.NDArray[np.int_]
    states: int
    decision: str
    ties: npt.NDArray[np.int_]
    value_gap: float
    remap_value: float
    iterations: int
    representation: str
    # Drifting loads.
    time: float
    work: float
    remaps: float
    utilization: float
    # Fixed intervals.
    methods: dict[str, dict[str, Any]]
    interval: Optional[int]
    deviation: Array
    def export(self, to: str) -> Union[str, bytes]: ...
    def report(self) -> str: ...
    def plot(self, axes: Any = None) -> Any: ...

class Sweep(list[Tuple[dict[str, Any], Solution]]):
    def values(self, field: str) -> npt.NDArray[np.float64]: ...

class Check(Document): ...

class Proof(Document):
    proved: list[str]
    solution: Optional[Solution]

class Advice(Document):
    advice: str
    policy: str
    saves: Optional[dict[str, float]]
    policies: list[dict[str, Any]]
    files: list[str]

class Log:
    times: Array
    remaps: list[Tuple[int, Optional[float]]]
    def __init__(self, times: Times, remaps: Remaps = ()) -> None: ...
    def save(self, path: Path, *, marked: bool = True) -> None: ...

class Comparison(Document):
    policies: list[dict[str, Any]]

class Verification(Document):
    as_expected: bool
    claims: list[dict[str, Any]]
    def __bool__(self) -> bool: ...

class FittedModel(Document):
    fits: bool
    why: str
    file: str
    def solve(
        self,
        *,
        set: Optional[Mapping[str, Any]] = None,
        tolerance: Optional[float] = None,
        time_limit: Optional[float] = None,
        values: bool = False,
        method: str = "auto",
    ) -> Solution: ...

class Fit(Document):
    @property
    def models(self) -> list[FittedModel]: ...
    @property
    def best(self) -> FittedModel: ...

class Replay(Document):
    policies: list[dict[str, Any]]
    clairvoyant: float
    best_in_use: str
    def cost(self, policy: str) -> float: ...
    def plot(self, axes: Any = None) -> Any: ...

def solve(
    model: Model,
    *,
    set: Optional[Mapping[str, Any]] = None,
    tolerance: Optional[float] = None,
    time_limit: Optional[float] = None,
    values: bool = False,
    method: str = "auto",
) -> Solution: ...
def sweep(model: Model, axes: Mapping[str, Sequence[Any]], **options: Any) -> Sweep: ...
def compare(
    model: Model, policies: Iterable[str] = (), *, runs: int = 1000, seed: int = 1
) -> Comparison: ...
def verify(model: Model, *, cases: int = 32, seed: int = 1) -> Verification: ...
def check(model: Model, *, ranks: Optional[int] = None) -> Check: ...
def simulate(
    model: Model, *, steps: Optional[int] = None, policy: Optional[str] = None, seed: int = 1
) -> Log: ...
def export(solution: Union[Document, Path], to: str) -> Union[str, bytes]: ...
def report(*inputs: Any) -> str: ...
def prove(
    model: Model, *, certificate: Optional[Path] = None, tolerance: Optional[float] = None
) -> Proof: ...
def advise(
    log: Union[Times, Log, Path],
    *,
    remap_cost: Optional[float] = None,
    steps: Optional[int] = None,
    overlap: Optional[Tuple[int, float]] = None,
    remaps: Optional[Remaps] = None,
    seed: int = 1,
    out: Optional[Path] = None,
    force: bool = False,
) -> Advice: ...
def fit(
    times: Union[Times, Log],
    remap_cost: float,
    *,
    remaps: Remaps = (),
    job_steps: Optional[int] = None,
) -> Fit: ...
def replay(
    times: Union[Times, Log, Path],
    remap_cost: Optional[float] = None,
    policies: Iterable[str] = (),
    *,
    remaps: Optional[Remaps] = None,
    split: float = 0.5,
    seed: int = 1,
    overlap: Optional[Tuple[int, float]] = None,
    start: Optional[str] = None,
    splits: Optional[int] = None,
) -> Replay: ...

class Controller:
    def __init__(self, policy: str, remap_cost: float) -> None: ...
    @staticmethod
    def trained(
        policy: str,
        remap_cost: float,
        times: npt.NDArray[np.float64],
        steps_left: Optional[int] = None,
    ) -> Controller: ...
    @staticmethod
    def restore(text: str) -> Controller: ...
    def save(self) -> str: ...
    def step(self, times: Union[npt.NDArray[np.float64], Sequence[float]]) -> bool: ...
    def steps_left(self, steps: int) -> None: ...
    def step_summary(self, max: float, mean: float, min: Optional[float] = None) -> bool: ...
    def begun(self) -> None: ...
    def remapped(self, seconds: Optional[float] = None) -> None: ...
    @property
    def needs(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def remaps(self) -> int: ...
    @property
    def remap_cost(self) -> Optional[float]: ...

class Decision:
    @property
    def step(self) -> int: ...
    @property
    def reported(self) -> Optional[bool]: ...
    @property
    def belief(self) -> float: ...
    @property
    def threshold(self) -> float: ...
    @property
    def remap(self) -> bool: ...
    def __bool__(self) -> bool: ...

class Monitor:
    def __init__(
        self, model: Model, *, batch: Optional[int] = None, cluster: Optional[int] = None
    ) -> None: ...
    @classmethod
    def restore(cls, text: str) -> Monitor: ...
    def save(self) -> str: ...
    def observe(self, measurement: float) -> Optional[Decision]: ...
    def report(self, level: int) -> Decision: ...
    def step(self, measurement: float) -> bool: ...
    def remapped(self) -> None: ...
    @property
    def belief(self) -> float: ...

class Statistics:
    def __init__(self) -> None: ...
    @staticmethod
    def restore(text: str) -> Statistics: ...
    def save(self) -> str: ...
    def step(self, seconds: float, mean: float) -> None: ...
    def remapped(self, seconds: Optional[float] = None) -> None: ...
    def pack(self) -> npt.NDArray[np.float64]: ...
    def merge(self, numbers: npt.NDArray[np.float64]) -> None: ...
    def interval(self, remap_cost: float) -> Optional[int]: ...
    def model(self, remap_cost: float) -> str: ...
    @property
    def ranks(self) -> int: ...
    @property
    def deviation(self) -> float: ...
    @property
    def drift_deviation(self) -> float: ...
    @property
    def noise(self) -> float: ...
