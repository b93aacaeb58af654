"""Types of the fields of documents, and values of JSON as what their fields are declared to be."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
# Whatever JSON can hold: of what is rarely asked for.
Json = Union[None, bool, int, float, str, List["Json"], Dict[str, "Json"]]
Status = Literal["converged", "iteration_limit", "time_limit", "memory_limit", "interrupted"]


class Bounds(TypedDict):
    """What something lies between: proved, except where the answer says that it is statistical."""

    lower: float
    upper: float


class Estimate(TypedDict):
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float


class Percent(Bounds):
    """A share in percent, with its 95 % interval."""

    percent: float


class BoundsOfMeans(TypedDict):
    lower: Estimate
    upper: Estimate


# `from` is a word of Python.
ThresholdFrom = TypedDict("ThresholdFrom", {"from": int, "threshold": Optional[float]})
Period = TypedDict("Period", {"from": int, "initial_load": float, "interval": Optional[int]})


class Fits(TypedDict):
    verdict: Literal["yes", "no"]
    why: str


class Certified(TypedDict):
    file: str
    model: str


class BeliefOfChange(TypedDict):
    false_alarm: float
    missed: float
    hazard: Union[float, Floats]


class ExactChange(TypedDict):
    threshold: List[Fraction]
    threshold_decimal: Floats
    n0: int
    value: Fraction


class ExactSwitching(TypedDict):
    to_second: List[Fraction]
    to_first: List[Fraction]
    value: Fraction


class _Switching(TypedDict):
    threshold: Floats
    lower: Floats
    upper: Floats


class Switching(_Switching, total=False):
    """Thresholds of recurring phases, step by step; many steps may share the stationary one."""

    stationary: float
    stationary_lower: float
    stationary_upper: float
    stationary_through: int
    head: Floats


class BeliefOfPhase(TypedDict):
    initial: float
    to_second: float
    to_first: float
    first: Floats
    second: Floats


class Counts(TypedDict):
    balanced: float
    remap: float
    continued: float


class MovedCost(TypedDict):
    fixed: float
    per_unit_moved: float


class PartialRemaps(TypedDict):
    units: Ints
    average_of_whole: Bounds


class Spread(TypedDict):
    mean: int
    spread: int
    remap: float
    balanced: bool


class _Interval(TypedDict):
    interval: Optional[int]
    value: float


class Interval(_Interval, total=False):
    """A fixed interval, None for never, and what it costs."""

    utilization: float


class Overlap(TypedDict):
    steps: int
    slowdown: float


class _Curve(TypedDict):
    by_steps_since: List[ThresholdFrom]
    by_step: List[ThresholdFrom]
    remaps: float


class Curve(_Curve, total=False):
    """Remap where max - mean is above both thresholds."""

    cost: Estimate
    gap_percent: float
    gap_interval: Floats


class Closest(TypedDict):
    step: int
    threshold: Optional[float]
    disagreement: float


class BestThreshold(TypedDict):
    threshold: Optional[float]
    value: float
    searched: Floats


class KeptSlopes(TypedDict):
    deviation: float
    change: float


class RankClass(TypedDict):
    count: int
    mean: float
    deviation: float


class _Method(TypedDict):
    interval: Optional[int]
    real: Optional[float]
    guarantee: str
    error: Optional[float]


class Method(_Method, total=False):
    at_least: int
    confidence: Floats


class BestSoFar(TypedDict):
    interval: int
    cost_per_step: float
    looked_through: int


class _CostAware(TypedDict):
    remap_cost: float
    interval: Optional[int]
    tolerance_max_over_mean: Optional[float]
    tolerance_max_deviation: Optional[float]


class CostAware(_CostAware, total=False):
    cost_per_step: float
    best_so_far: BestSoFar
    tolerance_max_deviation_error: float


class Scenario(TypedDict, total=False):
    at: float
    parameters: Dict[str, float]
    threshold: Floats


class _PolicyOnModel(TypedDict):
    policy: str
    mean: float
    half_width: Optional[float]
    lower: Optional[float]
    upper: Optional[float]
    level: float
    per_metric: Dict[str, Json]


class PolicyOnModel(_PolicyOnModel, total=False):
    """What a policy costs on a model: between bounds, or on sample paths."""

    exact: Optional[float]
    fitted_to_runs: bool


class _PolicyOnLog(TypedDict):
    policy: str
    cost: float
    regret: Optional[float]
    remaps: int
    time: float
    utilization: float
    percent_of_time: float
    against_best: Percent
    in_use: bool


class PolicyOnLog(_PolicyOnLog, total=False):
    """What a policy costs on the judged steps of a log."""

    few_remaps: bool
    against_recorded: Percent
    note: str
    training: List[List[Json]]


class Reading(TypedDict):
    """What was understood of a log."""

    format: str
    recognized_by: str
    row: str
    columns: Dict[str, List[str]]
    unit: str
    left_out: List[str]


class Parameter(TypedDict):
    """An estimate with its 95 % interval."""

    name: str
    value: float
    low: float
    high: float
    level: float


class Growth(TypedDict):
    steps: int
    recorded: float
    model: float


class FitOfModel(TypedDict):
    problem: str
    unit_seconds: float
    stride: int
    fits: Fits


class _Point(TypedDict):
    value: str
    factor: Optional[float]
    threshold: Optional[float]
    cost: Bounds
    regret: Bounds
    lost: Optional[Bounds]


class Point(_Point, total=False):
    place: int


# `true` is the true value; `points` are wrong ones.
RegretCurve = TypedDict("RegretCurve", {"path": str, "true": Optional[float], "points": List[Point]})


class Counterexample(TypedDict):
    place: str
    reason: str
    model: Optional[str]


class Claim(TypedDict):
    statement: str
    source: str
    expected: str
    found: str
    on_the_model: str
    cases: int
    counterexample: Optional[Counterexample]


class NamedBounds(Bounds):
    name: str


class _ProvedFields(TypedDict):
    proved: List[str]
    not_proved: List[str]
    recomputed: List[str]


class ProvedFields(_ProvedFields, total=False):
    why: Dict[str, str]


fields_of = functools.lru_cache(maxsize=None)(get_type_hints)


def shaped(kind: Any, value: Any) -> Any:
    """A value of JSON as what its field is declared to be: arrays, fractions. A TypeError says that it is something else."""
    if kind == Json:
        return value
    if kind in (Floats, Ints):
        if not isinstance(value, list):
            raise TypeError(f"{value!r:.80} is no list")
        # None is NaN: a number that is not finite, or that there is not.
        return np.array(value, dtype=float if kind == Floats else int)
    inner = get_args(kind)
    origin = get_origin(kind)
    if origin is Union:
        for each in inner:
            try:
                return shaped(each, value)
            except (TypeError, ValueError):
                pass
    elif origin is Literal and value in inner:
        return value
    elif origin is list and isinstance(value, list):
        return [shaped(inner[0], each) for each in value]
    elif origin is dict and isinstance(value, dict):
        return {name: shaped(inner[1], each) for name, each in value.items()}
    elif hasattr(kind, "__required_keys__") and isinstance(value, dict):
        fields = fields_of(kind)
        if kind.__required_keys__ <= set(value) <= set(fields):
            return {name: shaped(fields[name], each) for name, each in value.items()}
        raise TypeError(f"{kind.__name__} has other fields than {', '.join(value)}")
    elif kind is Fraction and isinstance(value, str):
        return Fraction(value)
    elif kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    elif isinstance(kind, type) and not hasattr(kind, "__required_keys__") and type(value) is kind:
        return value
    raise TypeError(f"{value!r:.80} is not {kind}")
