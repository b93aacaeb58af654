"""What the verbs return beside solutions."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from ._documents import Document, Solution, axes_or_new
from ._fields import (
    BestThreshold, Bounds, Claim, FitOfModel, Fits, Floats, Growth, Ints, Json, NamedBounds, Overlap, Parameter, Percent,
    PolicyOnLog, PolicyOnModel, ProvedFields, Reading, RegretCurve, Status,
)

Value = Union[str, int, float, bool]


class Sweep(List[Tuple[Dict[str, Value], Solution]]):
    """Pairs of the values set and the solution, in the order of the sweep."""

    def values(self, field: str) -> Floats:
        """A field of every solution, as an array: of a value between bounds the middle."""

        def number(found: Any) -> float:
            if isinstance(found, dict):
                return float(found["lower"] + found["upper"]) / 2
            return float("nan") if found is None else float(found)

        return np.array([number(solution.document.get(field)) for _, solution in self])


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a computation; ``partial`` is what was known by then, bounds included."""

    def __init__(self, partial: Union[Document, Sweep, None]) -> None:
        super().__init__("interrupted")
        self.partial = partial


class Check(Document):
    """What is derived from a model without solving it: ``facts`` has all, by name."""

    title: str
    problem: str
    states: int
    classes: int
    memory_bytes: float
    last_step: Optional[int]
    steps: int
    processors: int
    phases: int
    levels: int
    shape: Ints
    representation: str
    ranks_that_share_the_work: int
    why_no_more: str

    @property
    def facts(self) -> Dict[str, Json]:
        return {name: value for name, value in self.document.items() if name not in ("title", "problem", "warnings")}

    def _sentence(self) -> str:
        facts = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in self.facts.items())
        return f"{self.problem}; {facts}"


class _Table(Document):
    """Policies with a cost each."""

    def _costs(self) -> List[Tuple[str, float]]:
        raise NotImplementedError

    def cost(self, policy: str) -> float:
        """What one of the policies costs."""
        return dict(self._costs())[policy]

    def _sentence(self) -> str:
        policy, cost = min(self._costs(), key=lambda each: each[1])
        return f"of {len(self._costs())} policies {policy} costs least: {cost:.6g}"

    def _repr_html_(self) -> str:
        rows = (f"<tr><td>{policy}</td><td>{cost:.6g}</td></tr>" for policy, cost in sorted(self._costs(), key=lambda each: each[1]))
        return f"<table><tr><th>policy</th><th>cost</th></tr>{''.join(rows)}</table>"

    def plot(self, axes: Any = None) -> Any:
        """Draws the costs with matplotlib, and returns the axes."""
        axes = axes_or_new(axes)
        costs = sorted(self._costs(), key=lambda each: -each[1])
        axes.barh([policy for policy, _ in costs], [cost for _, cost in costs])
        axes.set(xlabel="cost")
        return axes


class Comparison(_Table):
    """Policies side by side on one model: ``policies`` has what each came to."""

    title: str
    problem: str
    status: Status
    tolerance: float
    version: str
    seconds: float
    policies: List[PolicyOnModel]
    runs: int
    seed: int
    clairvoyant: Optional[Dict[str, Optional[float]]]
    best_threshold: BestThreshold
    # Of the model problems.
    axis: str
    sampled: bool
    at: Floats
    parameters: List[Dict[str, float]]
    curves: List[Dict[str, Json]]
    envelope: List[Dict[str, Json]]
    speedup: List[Dict[str, float]]
    scaling: List[Dict[str, float]]

    def _costs(self) -> List[Tuple[str, float]]:
        # What no policy goes below is a row among them, but none of them.
        return [(line["policy"], line["mean"]) for line in self.document["policies"] if line["policy"] != "lower_bound"]


class Regret(Document):
    """What it costs to be wrong about a parameter: ``curves``, one for each parameter."""

    title: str
    problem: str
    status: Status
    tolerance: float
    version: str
    seconds: float
    optimum: Optional[Bounds]
    never: Optional[Bounds]
    curves: List[RegretCurve]

    def _sentence(self) -> str:
        worst = ((point["regret"]["upper"], curve["path"], point["value"]) for curve in self.curves for point in curve["points"])
        regret, path, value = max(worst, default=(0.0, "no parameter", "it is"))
        return f"at most {regret:.6g} is lost, where {path} is taken for {value}"


class Verification(Document):
    """The lemmas of the papers on a model and near it: ``claims``, and ``as_expected``."""

    title: str
    problem: str
    status: Status
    as_expected: bool
    cases: int
    seed: int
    claims: List[Claim]
    version: str
    seconds: float

    def __bool__(self) -> bool:
        return bool(self.document["as_expected"])

    def _sentence(self) -> str:
        wrong = [claim["statement"] for claim in self.claims if claim["expected"] != claim["found"]]
        return f"not as expected: {wrong[0]}" if wrong else f"{len(self.claims)} claims are as expected"


class Proof(Document):
    """What of a solution was proved, in sentences: ``proved``, and the ``solution`` where it was solved for this."""

    model: str
    certificate: str
    status: str
    proved: List[str]
    proof: Dict[str, Json]
    intervals: List[NamedBounds]
    fields: ProvedFields
    version: str
    seconds: float
    solution: Optional[Solution] = None

    def __repr__(self) -> str:
        return "; ".join(self.proved)


class _OfLog(Document):
    """What is said of a log."""

    trace: str
    log: Reading
    ranks: int
    steps: int
    recorded_remaps: int
    remap_cost: float
    stride: int
    overlap: Overlap
    judged_from: int
    judged: int
    assumption: str
    clairvoyant: Optional[float]
    best_in_use: Optional[str]
    policies: List[PolicyOnLog]


class Advice(_OfLog):
    """What the log of a job says of when to remap: ``advice`` in a sentence, ``policy``, what it ``saves``."""

    advice: str
    policy: Optional[str]
    saves: Optional[Percent]
    later: Dict[str, Json]
    models: List[FitOfModel]
    notes: List[str]
    files: List[str]

    def __repr__(self) -> str:
        return self.advice


class Replay(_OfLog, _Table):
    """What policies would have cost on the later steps of a log: ``policies``, ``clairvoyant``, ``best_in_use``."""

    splits: int
    trained_from: int
    remaps_at_starts: int
    clairvoyant_from_actual: float
    verdict: str
    what_if: List[Dict[str, Json]]
    q_learning_regret: Floats
    repairs: List[str]

    @property
    def start(self) -> str:
        """Where the judged steps start: "balance" or "actual"."""
        return str(self.document["from"])

    def _costs(self) -> List[Tuple[str, float]]:
        return [(line["policy"], line["cost"]) for line in self.document["policies"]]

    def __repr__(self) -> str:
        return str(self.document.get("verdict") or self._sentence())

    def plot(self, axes: Any = None) -> Any:
        axes = super().plot(axes)
        if self.clairvoyant is not None:
            axes.axvline(self.clairvoyant, color="black", linestyle="--")
            axes.set(xlabel="cost; dashed: best possible in hindsight")
        return axes


class FittedModel(Document):
    """A model fitted to a log: ``problem``, ``parameters``, ``fits``, ``why`` and ``file``, which ``solve`` takes."""

    problem: str
    unit: float
    unit_seconds: float
    stride: int
    fits: Fits
    parameters: List[Parameter]
    growth: List[Growth]
    misfits: List[str]
    file: str

    @property
    def why(self) -> str:
        """Why it fits, or does not."""
        return self.fits["why"]

    def __repr__(self) -> str:
        return f"{self.problem} {'fits' if self.fits['verdict'] == 'yes' else 'does not fit'}: {self.why}"

    def solve(self, **options: Any) -> Solution:
        """Solves it."""
        from ._verbs import solve

        return solve(self, **options)


class Fit(Document):
    """All models that can be fitted to a log; ``best`` is the recommended one."""

    trace: str
    log: Reading
    ranks: int
    steps: int
    tested_steps: int
    recorded_remaps: int
    remap_cost: float
    ranks_alike: float
    repairs: List[str]

    @property
    def models(self) -> List[FittedModel]:
        return [FittedModel(model) for model in self.document["models"]]

    @property
    def best(self) -> FittedModel:
        return self.models[0]

    def __repr__(self) -> str:
        return repr(self.best)
