"""The documents of the command line, with typed fields and arrays."""

from __future__ import annotations

import importlib
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Type, TypeVar, Union

import numpy as np

from . import _remapping
from ._fields import (
    BeliefOfChange, BeliefOfPhase, BestThreshold, Bounds, BoundsOfMeans, Certified, Closest, CostAware, Counts, Curve,
    ExactChange, ExactSwitching, Fits, Floats, Interval, Ints, Json, KeptSlopes, Method, MovedCost, Overlap, PartialRemaps,
    Period, RankClass, Scenario, Spread, Status, Switching, fields_of, shaped,
)

Path = Union[str, "os.PathLike[str]"]
D = TypeVar("D", bound="Document")


class Document:
    """What the command prints with --json. Fields are attributes; those that this document does not have are not there."""

    warnings: List[str]

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document
        self._shaped: Dict[str, Any] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name.startswith("__") or name in ("document", "_shaped"):
                raise AttributeError(name)
            if name not in self._shaped:
                if name not in self.document:
                    raise AttributeError(f"no {name}: there are {', '.join(sorted(self.document))}")
                self._shaped[name] = shaped(fields_of(type(self)).get(name, Json), self.document[name])
            return self._shaped[name]

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self.document})

    def __reduce__(self) -> Tuple[Type[Document], Tuple[Dict[str, Any]]]:
        return type(self), (self.document,)

    def __str__(self) -> str:
        return json.dumps(self.document, indent=2)

    def __repr__(self) -> str:
        return f"{self.document.get('title', '')}: {self._sentence()}"

    def _sentence(self) -> str:
        return str(self.document.get("problem", type(self).__name__))

    def to_json(self) -> str:
        """The document as text."""
        return json.dumps(self.document)

    def save(self, path: Path) -> None:
        """Writes the document to a file that ``remap report``, ``export`` and ``verify`` read."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())


class Solution(Document):
    """The solution of a model: one of the classes below, by the kind of its problem.

    Fields are those of ``remap solve --json``; dir() lists them. repr() is the answer in a sentence, str() the summary
    that the command prints; notebooks show its picture.
    """

    title: str
    problem: str
    status: Status
    tolerance: float
    version: str
    seconds: float
    recommended: Union[str, Dict[str, float]]
    certificate: Certified
    # Of a model that was fitted to a log.
    unit_seconds: float
    stride: int
    fits: Fits
    job_steps: int

    def __new__(cls, document: Dict[str, Any]) -> Solution:
        return object.__new__(KINDS.get(document.get("problem", ""), cls) if cls is Solution else cls)

    def __repr__(self) -> str:
        try:
            return _remapping.summary(self.to_json()).splitlines()[1].strip()
        except (_remapping.RemappingError, IndexError):
            return super().__repr__()

    def __str__(self) -> str:
        return _remapping.summary(self.to_json())

    def _repr_html_(self) -> Optional[str]:
        try:
            return _remapping.picture(self.to_json())
        except _remapping.RemappingError:
            return None

    def export(self, to: str) -> Union[str, bytes]:
        """The answer for another tool, as ``remap export --to``: see ``export``."""
        from ._verbs import export

        return export(self, to)

    def report(self) -> str:
        """A page about the solution: see ``report``."""
        from ._verbs import report

        return report(self)

    def plot(self, axes: Any = None) -> Any:
        """Draws the solution with matplotlib, and returns the axes."""
        axes = axes_or_new(axes)
        self._draw(axes)
        axes.set_title(self.title)
        return axes

    def _draw(self, axes: Any) -> None:
        raise ValueError(f"there is no picture of this {self.problem} solution")


def axes_or_new(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'remapping[plot]'") from error
    return pyplot.subplots()[1]


class PhaseChangeSolution(Solution):
    """One change of phase: a threshold of the belief for each step, between proved bounds."""

    last_step: int
    n0: Optional[int]
    n0_between: Ints
    threshold: Floats
    threshold_lower: Floats
    threshold_upper: Floats
    value: Optional[Bounds]
    never: float
    segments: int
    belief: BeliefOfChange
    premature: Union[str, Dict[str, float]]
    threshold_stationary: float
    threshold_stationary_lower: float
    threshold_stationary_upper: float
    stationary_through: int
    threshold_head: Floats
    first_step: int
    exact: ExactChange

    def _draw(self, axes: Any) -> None:
        if not len(self.threshold):
            super()._draw(axes)
        steps = _steps(self.document, self.document, len(self.threshold))
        axes.fill_between(steps, self.threshold_lower, self.threshold_upper, alpha=0.3)
        axes.plot(steps, self.threshold)
        axes.set(xlabel="step", ylabel="remap above this belief", ylim=(0, 1.02))


def _steps(document: Dict[str, Any], curve: Dict[str, Any], count: int) -> Ints:
    """The steps that a list of ``count`` thresholds is for: after those that share one, or from the first that was
    reached."""
    through = curve.get("stationary_through")
    first = (document.get("first_step") or 0) if through is None else through + 1
    return np.arange(first, first + count)


class PhaseSwitchingSolution(Solution):
    """Recurring phases: thresholds for switching to either mapping."""

    last_step: Optional[int]
    to_second: Switching
    to_first: Switching
    value: Bounds
    average: Bounds
    never: float
    segments: int
    first_step: int
    belief: BeliefOfPhase
    exact: ExactSwitching

    def _draw(self, axes: Any) -> None:
        for name, label in (("to_second", "to the second mapping"), ("to_first", "back")):
            values = np.asarray(self.document[name]["threshold"])
            steps = _steps(self.document, self.document[name], len(values))
            axes.plot(steps, values, "." if len(values) == 1 else "-", label=label)
        axes.set(xlabel="step", ylabel="belief", ylim=(-0.02, 1.02))
        axes.legend()


class ManyPhasesSolution(Solution):
    """Several phases, several mappings: a policy on a set of beliefs, between bounds."""

    phases: int
    reports: int
    last_step: int
    discount: float
    fitted: bool
    value: Bounds
    exact: str
    beliefs: List[Floats]
    decision: List[List[int]]
    vectors: int


class StoppingSolution(Solution):
    """Optimal stopping of random walks: which load vectors remap."""

    shape: Ints
    lowest: Ints
    loads: Ints
    remap_cost: float
    cost_by_state: Union[MovedCost, Floats]
    steps: int
    steps_done: int
    remaps_from: Floats
    partial_remaps: PartialRemaps
    kept_levels: int
    states: Union[int, float]
    classes: int
    decision: str
    ties: Ints
    counts: Counts
    value_gap: float
    remap_value: float
    remap_bounds: Floats
    iterations: int
    representation: str
    largest_value: float
    value: Floats
    average: Bounds
    average_of_stop: Bounds
    critical_cost: Floats
    by_spread: List[Spread]
    dynamics: Dict[str, Json]

    def _draw(self, axes: Any) -> None:
        if not (self.document.get("decision") and len(self.shape) == 2):
            super()._draw(axes)
        letters = np.frombuffer(self.decision.encode(), dtype=np.uint8)
        axes.imshow(letters.reshape(self.shape) == ord("R"), origin="lower", cmap="Greys")
        axes.set(xlabel="load of the second process", ylabel="of the first; dark: remap")


class _Drift(Solution):
    """What all solutions for drifting loads have."""

    processors: int
    steps: int
    remap_cost: float
    overlap: Overlap
    representation: str
    statistical: bool
    value_bounds: Bounds
    bounds: BoundsOfMeans
    gap_percent: float
    gap_interval: Floats
    paths: int
    threshold_curve: Curve


class LoadDriftSolution(_Drift):
    """Loads that drift on levels: a value, and rules of a few numbers that come near it."""

    lowest: float
    levels: int
    initial_load: float
    cost_by_state: Union[MovedCost, Floats]
    before_step: bool
    states: Optional[int]
    active_states: int
    value: Optional[float]
    time: Optional[float]
    work: Optional[float]
    remaps: Optional[float]
    utilization: Optional[float]
    best_fixed: Interval
    intervals_evaluated: int
    never: Interval
    least_average_cost: int
    closest_threshold: List[Closest]
    closest_value: float
    best_threshold: BestThreshold
    decision_step: int
    decision: str
    cost_to_go: Floats
    fixed_utilization: Floats
    dynamics: Dict[str, Json]

    def _draw(self, axes: Any) -> None:
        held = self.closest_threshold
        if not held:
            super()._draw(axes)
        axes.step([each["step"] for each in held], [each["threshold"] for each in held], where="post")
        axes.set(xlabel="step", ylabel="remap above this max - mean")


class ContinuousDriftSolution(_Drift):
    """Loads that drift by continuous steps: a rule of a few numbers, between statistical bounds."""

    per_unit_moved: float
    mean_load: float
    kept_slopes: KeptSlopes
    classes: List[RankClass]
    remaps: float
    best_fixed: Interval
    never: float


class PeriodicSolution(Solution):
    """Fixed intervals: by each method that applies, and the cheapest where a remap has a cost."""

    quantity: str
    bound: float
    processors: int
    initial_load: float
    methods: Dict[str, Method]
    interval: Optional[int]
    interval_by: str
    at_least: int
    deviation: Floats
    deviation_is: str
    deviation_error: float
    deviation_through: int
    nonnegative_through: int
    cost_aware: CostAware
    sequence: List[Period]
    simulated: Dict[str, Json]

    def _draw(self, axes: Any) -> None:
        if not len(self.deviation):
            super()._draw(axes)
        axes.plot(np.arange(len(self.deviation)), self.deviation)
        axes.set(xlabel="steps since the last remap", ylabel="expected deviation")


class ScenarioSolution(Solution):
    """The model problems fluids and land battle: thresholds in each scenario."""

    axis: str
    scenarios: List[Scenario]


KINDS: Dict[str, Type[Solution]] = {
    "phase_change": PhaseChangeSolution,
    "phase_switching": PhaseSwitchingSolution,
    "many_phases": ManyPhasesSolution,
    "stopping": StoppingSolution,
    "load_drift": LoadDriftSolution,
    "continuous_drift": ContinuousDriftSolution,
    "periodic": PeriodicSolution,
    "fluids": ScenarioSolution,
    "land_battle": ScenarioSolution,
}

