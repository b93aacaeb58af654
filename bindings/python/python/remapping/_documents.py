"""The verbs of the command line, and what they return: its documents, with arrays."""

import itertools
import json
import os

import numpy as np

from . import _remapping


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a computation; ``partial`` is what was known by then, bounds included."""

    def __init__(self, partial):
        super().__init__("interrupted")
        self.partial = partial


def source(model):
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


def _numbers(value):
    """A list of numbers, or of rows of them, as an array; anything else as it is."""
    if isinstance(value, list) and value and not isinstance(value[0], (str, dict)):
        try:
            array = np.array(value, dtype=float if None in value else None)
        except (TypeError, ValueError):
            return value
        return array if array.dtype.kind in "if" else value
    return value


class Document:
    """What the command line prints with --json. Fields are attributes; lists of numbers are arrays."""

    def __init__(self, document):
        self.document = document
        self._arrays = {}

    def __getattr__(self, name):
        if name.startswith("__") or name in ("document", "_arrays"):
            raise AttributeError(name)
        if name not in self._arrays:
            if name not in self.document:
                known = ", ".join(sorted(self.document))
                raise AttributeError(f"no {name}: there are {known}")
            self._arrays[name] = _numbers(self.document[name])
        return self._arrays[name]

    def __dir__(self):
        return sorted({*super().__dir__(), *self.document})

    def __str__(self):
        return json.dumps(self.document, indent=2)

    def __repr__(self):
        title = self.document.get("title")
        what = self.document.get("problem")
        words = [repr(word) for word in (title, what) if word]
        return f"<{type(self).__name__} {' '.join(words)}>"

    def to_json(self):
        """The document as text."""
        return json.dumps(self.document)

    def save(self, path):
        """Writes the document to a file that ``remap report``, ``export`` and ``verify`` read."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())


def _steps(document, curve, count):
    """The steps that a list of ``count`` thresholds is for: after those that share one, or from the first that was
    reached."""
    through = curve.get("stationary_through")
    first = (document.get("first_step") or 0) if through is None else through + 1
    return np.arange(first, first + count)


def _axes(axes):
    if axes is not None:
        return axes
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'remapping[plot]'") from error
    return pyplot.subplots()[1]


class Solution(Document):
    """The solution of a model, with certified bounds.

    Fields are those of ``remap solve --json``, for example ``threshold``, ``threshold_lower``, ``threshold_upper``,
    ``value`` and ``status`` of a change of phase; dir() lists them. repr() is the answer in a sentence, str() the summary
    that the command prints; notebooks show its picture.
    """

    def __repr__(self):
        try:
            return _remapping.summary(self.to_json()).splitlines()[1].strip()
        except (_remapping.RemappingError, IndexError):
            return super().__repr__()

    def __str__(self):
        return _remapping.summary(self.to_json())

    def _repr_html_(self):
        try:
            return _remapping.picture(self.to_json())
        except _remapping.RemappingError:
            return None

    def export(self, to):
        """The answer for another tool, as ``remap export --to``: see ``export``."""
        from ._commands import export

        return export(self, to)

    def report(self):
        """A page about the solution: see ``report``."""
        from ._commands import report

        return report(self)

    def plot(self, axes=None):
        """Draws the solution with matplotlib, and returns the axes."""
        axes = _axes(axes)
        document = self.document
        if "threshold" in document and len(self.threshold):
            steps = _steps(document, document, len(self.threshold))
            axes.fill_between(steps, self.threshold_lower, self.threshold_upper, alpha=0.3)
            axes.plot(steps, self.threshold)
            axes.set(xlabel="step", ylabel="remap above this belief", ylim=(0, 1.02))
        elif "to_second" in document:
            for name, label in (("to_second", "to the second mapping"), ("to_first", "back")):
                values = np.asarray(document[name]["threshold"])
                steps = _steps(document, document[name], len(values))
                axes.plot(steps, values, "." if len(values) == 1 else "-", label=label)
            axes.set(xlabel="step", ylabel="belief", ylim=(-0.02, 1.02))
            axes.legend()
        elif document.get("decision") and len(document.get("shape", ())) == 2:
            letters = np.frombuffer(document["decision"].encode(), dtype=np.uint8)
            axes.imshow(letters.reshape(document["shape"]) == ord("R"), origin="lower", cmap="Greys")
            axes.set(xlabel="load of the second process", ylabel="of the first; dark: remap")
        elif "deviation" in document and document["deviation"]:
            curve = np.asarray(document["deviation"], dtype=float)
            axes.plot(np.arange(len(curve)), curve)
            axes.set(xlabel="steps since the last remap", ylabel="expected deviation")
        elif document.get("closest_threshold"):
            held = document["closest_threshold"]
            axes.step([each["step"] for each in held], [each["threshold"] for each in held], where="post")
            axes.set(xlabel="step", ylabel="remap above this max - mean")
        else:
            raise ValueError(f"there is no picture of this {document['problem']} solution")
        axes.set_title(document["title"])
        return axes


class Sweep(list):
    """Pairs of the values set and the solution, in the order of the sweep."""

    def values(self, field):
        """A field of every solution, as an array: of a value between bounds the middle."""
        def number(found):
            if isinstance(found, dict):
                return (found["lower"] + found["upper"]) / 2
            return np.nan if found is None else found

        return np.array([number(solution.document.get(field)) for _, solution in self])


class Comparison(Document):
    """Policies side by side on one model: ``policies`` has what each came to."""


class Verification(Document):
    """The lemmas of the papers on a model and near it: ``claims``, and ``as_expected``."""

    def __bool__(self):
        return bool(self.document["as_expected"])


class FittedModel(Document):
    """A model fitted to a log: ``problem``, ``parameters``, ``fits``, ``why`` and ``file``, which ``solve`` takes."""

    def solve(self, **options):
        """Solves it."""
        return solve(self, **options)


class Fit(Document):
    """All models that can be fitted to a log; ``best`` is the recommended one."""

    @property
    def models(self):
        return [FittedModel(model) for model in self.document["models"]]

    @property
    def best(self):
        return self.models[0]


class Replay(Document):
    """What policies would have cost on the later steps of a log: ``policies``, ``clairvoyant``, ``best_in_use``."""

    def cost(self, policy):
        """What one of the policies cost."""
        for line in self.document["policies"]:
            if line["policy"] == policy:
                return line["cost"]
        raise KeyError(policy)

    def plot(self, axes=None):
        """Draws the costs with matplotlib, and returns the axes."""
        axes = _axes(axes)
        lines = sorted(self.document["policies"], key=lambda line: -line["cost"])
        axes.barh([line["policy"] for line in lines], [line["cost"] for line in lines])
        axes.axvline(self.document["clairvoyant"], color="black", linestyle="--")
        axes.set(xlabel="cost; dashed: knowing the steps in advance")
        return axes


def _finished(kind, found):
    text, stopped = found
    made = None if text is None else kind(json.loads(text))
    if stopped:
        raise Interrupted(made)
    return made


def _written(value):
    """A value as it is written in a model."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def solve(model, *, set=None, tolerance=None, time_limit=None, values=False, method="auto"):
    """Solves a model and returns a ``Solution``.

    ``model`` is the path of a model file, its text, or a fitted model. ``set`` puts other values into it, as
    ``{"problem.remap_cost": 4}``. ``tolerance`` bounds the certified width of what is reported, 1e-9 if it is left
    out; between bounds (many phases, loads without levels, loads of many ranks) it is their relative gap, 0.0025 to
    0.05 if it is left out. After ``time_limit`` seconds, and on Ctrl-C, the computation ends with the bounds it has:
    the former returns a solution whose ``status`` says so, the latter raises ``Interrupted``.
    """
    places = [(path, _written(value)) for path, value in (set or {}).items()]
    found = _remapping.solve(*source(model), places, tolerance, time_limit, values, method)
    return _finished(Solution, found)


def sweep(model, axes, **options):
    """Solves a model for all combinations of some values, ``{"problem.remap_cost": [1, 2, 4]}``; the last
    path varies fastest. ``options`` are those of ``solve``. Returns a ``Sweep``; on Ctrl-C, ``Interrupted`` has
    those solved by then.
    """
    solved = Sweep()
    for values in itertools.product(*axes.values()):
        chosen = dict(zip(axes, values))
        try:
            solved.append((chosen, solve(model, set=chosen, **options)))
        except KeyboardInterrupt:
            raise Interrupted(solved) from None
    return solved


def compare(model, policies=(), *, runs=1000, seed=1):
    """Policies side by side on one model, on the same sample paths: a ``Comparison``. Without ``policies``, all that
    apply."""
    return _finished(Comparison, _remapping.compare(*source(model), list(policies), runs, seed))


def verify(model, *, cases=32, seed=1):
    """Examines the lemmas of the papers on a model and on ``cases`` models near it: a ``Verification``, which is true
    if theorems hold and what is known to be false is refuted."""
    return _finished(Verification, _remapping.verify(*source(model), cases, seed))


# What columns of tables are called that are not times of ranks, as the command knows them.
_STEPS = {"step", "iteration", "iter", "cycle", "timestep"}
_OTHERS = {"rank", "process", "processor", "proc", "pe", "worker", "remapped", "remap", "rebalanced", "lb"}
_OTHERS |= {"remap_seconds", "remap_cost", "remap_time", "lb_seconds", "lb_time", "unnamed: 0", "index"}


def _times(times):
    """A log as an array of doubles: an array, a ``Log``, or a DataFrame with a column for each rank. Its column of steps
    is left out."""
    if isinstance(times, Log):
        return times.times
    if hasattr(times, "columns"):
        names = {name: str(name).strip().lower().replace(" ", "_") for name in times.columns}
        for name, plain in names.items():
            if plain in _OTHERS:
                raise _remapping.RemappingError(
                    f"the column `{name}` is not the time of a rank: give a column for each rank, and remaps by `remaps`"
                )
        times = times[[name for name, plain in names.items() if plain not in _STEPS]]
    array = np.ascontiguousarray(times, dtype=float)
    if array.ndim != 2:
        raise _remapping.RemappingError(
            f"times have {array.ndim} dimensions: give a row for each step, a column for each rank"
        )
    return array


def _step(step):
    whole = int(step)
    if whole != step or whole < 0:
        raise _remapping.RemappingError(f"a remap before step {step}: steps are whole numbers from 0 on")
    return whole


def _remaps(remaps):
    return [(_step(each), None) if np.ndim(each) == 0 else (_step(each[0]), float(each[1])) for each in remaps]


class Log:
    """A recorded or simulated run: ``times``, with a row for each step and a column for each rank, and ``remaps``, pairs
    of the step right after a remap and what it cost (None if that is not known)."""

    def __init__(self, times, remaps=()):
        self.times = _times(times)
        self.remaps = _remaps(remaps)

    def __repr__(self):
        steps, ranks = self.times.shape
        return f"{steps} steps of {ranks} ranks, {len(self.remaps)} remaps"

    def save(self, path, *, marked=True):
        """Writes a table that the command reads, with a line for each step and rank; unless ``marked``, it does not say
        when the run was remapped."""
        costs = dict(self.remaps)
        with open(path, "w", encoding="utf-8") as file:
            file.write("step,rank,seconds" + (",remapped,remap_seconds\n" if marked else "\n"))
            for step, row in enumerate(self.times.tolist()):
                cost = costs.get(step)
                more = f",{int(step in costs)},{'' if cost is None else repr(cost)}" if marked else ""
                file.writelines(f"{step},{rank},{seconds!r}{more}\n" for rank, seconds in enumerate(row))


def fit(times, remap_cost, *, remaps=(), job_steps=None):
    """Fits models to a log and returns a ``Fit``, the recommended model first.

    ``times`` is a ``Log``, or an array or a DataFrame with a row for each step and a column for each rank. ``remaps`` are
    the steps before which the run was remapped, or pairs of those and what it cost.
    """
    remaps = times.remaps if isinstance(times, Log) else _remaps(remaps)
    return _finished(Fit, _remapping.fit(_times(times), float(remap_cost), remaps, job_steps))


def replay(
    times, remap_cost=None, policies=(), *, remaps=None, split=0.5, seed=1, overlap=None, start=None, splits=None
):
    """What policies would have cost: trained on the first steps of a log, judged on the others, from balance.

    Returns a ``Replay``. ``times`` are as in ``fit``, or the path of a log that the command reads, which knows
    ``remap_cost`` if it records remaps. ``overlap`` is how many steps a remap goes on beside them, and the share by which
    these are slower; ``start`` is "balance", or "actual" for where
    the recorded run stood; with ``splits`` the steps are judged in so many parts. Without ``policies``, all of them. ``remaps`` are as in ``fit``; None if nobody knows when
    the run was remapped. It is assumed that a remap restores balance and does not change later increments.
    """
    if isinstance(times, (str, os.PathLike)) or remap_cost is None or (overlap, start, splits) != (None, None, None):
        from ._commands import _pair, replay_log

        options = {"overlap": _pair(overlap), "from": start, "splits": splits, "split": split, "seed": seed}
        return replay_log(times, remap_cost, list(policies), remaps, **options)
    known = None if remaps is None else _remaps(remaps)
    known = times.remaps if isinstance(times, Log) else known
    found = _remapping.replay(_times(times), float(remap_cost), list(policies), known, split, seed)
    return _finished(Replay, found)
