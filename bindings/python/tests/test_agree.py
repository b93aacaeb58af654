"""The same numbers from the command, from Python and from C: on all example models, and on a thousand random runs."""

import ctypes
import json
import keyword
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import remapping
from remapping._documents import KINDS
from remapping._fields import fields_of, shaped

ROOT = pathlib.Path(__file__).parents[3]
MODELS = sorted(path for path in (ROOT / "models").glob("*/*.ron") if path.parent.name not in ("studies", "activity_mesh"))
LIBRARY = ROOT / "bindings" / "target" / "release" / "deps" / "libremap.so"
# Many ranks: bounds that sampling brings together in minutes.
LONG = {"eight_chains", "1024_ranks", "64_ranks", "late_remaps", "million_ranks", "65536_ranks"}
# Numbers with these options are those of a solver that ended by itself.
LOOSE = {"continuous_drift": 0.3, "load_drift": 1e-6}


def without_clock(document):
    return {name: value for name, value in document.items() if name != "seconds"}


def command(*arguments):
    """What the command prints: that of the repository, where it was built, beside the one in the package."""
    built = ROOT / "target" / "debug" / "remap"
    start = [built] if built.exists() else [sys.executable, "-m", "remapping"]
    return subprocess.run([*start, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout


# A model problem has as many scenarios as values: two are enough.
SCENARIOS = [(r"after: \[[^]]*\]", "after: [0.0, 0.5]"), (r"separations: \[[^]]*\]", "separations: [2, 16]")]


def shorter(path, folder):
    """The model, or a copy with fewer scenarios."""
    if path.parent.name not in ("fluids", "land_battle"):
        return path
    text = path.read_text()
    for long, short in SCENARIOS:
        text = re.sub(long, short, text)
    assert text != path.read_text()
    (folder / path.name).write_text(text)
    return folder / path.name


def kinds():
    names = sorted({path.parent.name for path in MODELS})
    return [(name, [path for path in MODELS if path.parent.name == name and path.stem not in LONG]) for name in names]


@pytest.mark.parametrize("kind, models", kinds(), ids=[kind for kind, _ in kinds()])
def test_example_models_have_one_answer_with_typed_fields(kind, models, tmp_path):
    models = [shorter(path, tmp_path) for path in models]
    tolerance = LOOSE.get(kind)
    more = [] if tolerance is None else [f"--tolerance={tolerance}"]
    printed = json.loads(command("solve", "--json", *more, *models))
    for path, document in zip(models, printed if len(models) > 1 else [printed]):
        solution = remapping.solve(path, tolerance=tolerance)
        assert without_clock(solution.document) == without_clock(document), path
        declared = document["problem"] in KINDS
        assert (type(solution) is not remapping.Solution) == declared
        assert "\n" not in repr(solution) and len(repr(solution).split()) > 2
        # Without a class of its own a kind has the fields of all solutions.
        check_fields(solution, path, at_least=None if declared else {"title", "problem", "status"})
        check_fields(remapping.check(path), path, at_least={"title", "problem", "warnings"})


def check_fields(document, where, at_least=None):
    """Every field has the type that its class states."""
    declared = fields_of(type(document))
    for name, value in document.document.items():
        # What has the name of a word of Python is a property by another name.
        if (at_least is None or name in at_least) and not keyword.iskeyword(name):
            assert name in declared or isinstance(getattr(type(document), name, None), property), f"{where}: {name}"
        if name in declared:
            shaped(declared[name], value)


def test_other_documents_have_typed_fields(tmp_path):
    path = ROOT / "models" / "phase_change" / "fluids.ron"
    log = remapping.simulate(ROOT / "models" / "load_drift" / "three_chains.ron", steps=300, policy="fixed:20")
    advice = remapping.advise(log, remap_cost=2.0)
    documents = [
        remapping.compare(path, runs=10),
        remapping.compare(shorter(ROOT / "models" / "fluids" / "figure6.ron", tmp_path), runs=2),
        remapping.compare(ROOT / "models" / "load_drift" / "three_chains.ron", runs=10),
        remapping.regret(path, set={"problem.hazard": [0.001, 0.01]}),
        remapping.verify(path, cases=20),
        remapping.prove(path),
        advice,
        remapping.replay(log, 2.0, ["never", "menon", "q_learning"], what_if=True),
        remapping.fit(log, 2.0),
        *remapping.fit(log, 2.0).models,
        remapping.solve(path, exact=True, set={"problem.lifetime": "Fixed(9)"}),
        remapping.solve(ROOT / "models" / "stopping" / "yin_xu_wang.ron", critical_costs=True, values=True),
    ]
    for document in documents:
        check_fields(document, type(document).__name__)
        assert "\n" not in repr(document) and len(repr(document).split()) > 3, repr(document)
    assert advice.advice == repr(advice)


class PhaseChange(ctypes.Structure):
    """A change of phase as programs in C state it."""

    _fields_ = [("last_step", ctypes.c_uint64)] + [
        (name, ctypes.c_double)
        for name in "end_rate hazard before after remapped test install false_alarm missed before_remapped".split()
    ]


class Decision(ctypes.Structure):
    _fields_ = [("decided", ctypes.c_bool), ("remap", ctypes.c_bool), ("reported", ctypes.c_bool),
                ("step", ctypes.c_uint64), ("belief", ctypes.c_double), ("threshold", ctypes.c_double)]


def doubles(array):
    return np.ascontiguousarray(array, dtype=float).ctypes.data_as(ctypes.POINTER(ctypes.c_double))


class Library:
    """The C library; what is not well raises."""

    def __init__(self):
        if not LIBRARY.exists():
            pytest.skip(f"{LIBRARY} was not built: cargo test --release -p remap-c")
        self.library = ctypes.CDLL(str(LIBRARY))
        self.library.remap_last_error.restype = ctypes.c_char_p

    def __getattr__(self, name):
        def call(*arguments):
            kinds = {float: ctypes.c_double, int: ctypes.c_int64}
            given = [kinds.get(type(each), lambda same: same)(each) for each in arguments]
            if getattr(self.library, f"remap_{name}")(*given) != 0:
                raise ValueError(self.library.remap_last_error().decode())

        return call

    def controller(self, policy, cost, past, steps):
        made = ctypes.c_void_p()
        if len(past):
            ranks, rows = past.shape[1], len(past)
            self.controller_train(policy.encode(), cost, doubles(past), ranks, rows, steps, ctypes.byref(made))
        else:
            self.controller_new(policy.encode(), cost, ctypes.byref(made))
            self.controller_steps_left(made, steps)
        return made

    def step(self, controller, times):
        remap = ctypes.c_bool()
        self.controller_step_times(controller, doubles(times), len(times), ctypes.byref(remap))
        return remap.value


def numbers_of(model):
    """A change of phase in numbers, from the text of its model; None where it has others."""
    text = re.sub(r"//.*", "", model.read_text())
    number = r"\s*([0-9.e-]+)\s*"
    parts = [
        rf"lifetime:\s*Fixed\({number}\)",
        rf"hazard:\s*Constant\({number}\)",
        rf"cycle:\s*\(\s*before:{number},\s*after:{number},\s*remapped:{number},?\s*\)",
        rf"remap:\s*\(\s*test:{number},\s*install:{number},?\s*\)",
        rf"detector:\s*\(\s*false_alarm:{number},\s*missed:{number},?\s*\)",
    ]
    found = [re.search(part, text) for part in parts]
    if not all(found) or "premature" in text:
        return None
    last, hazard, *others = [float(each) for match in found for each in match.groups()]
    return PhaseChange(int(last), 0.0, hazard, *others, -1.0)


def test_monitors_of_example_models_decide_alike_in_c():
    library, tested = Library(), 0
    for path in MODELS:
        numbers = numbers_of(path) if path.parent.name == "phase_change" else None
        if numbers is None or numbers.last_step > 2000:
            continue
        monitor, made, decision = remapping.Monitor(path, cluster=2), ctypes.c_void_p(), Decision()
        library.monitor_new(ctypes.byref(numbers), ctypes.c_uint32(1), ctypes.c_uint32(2), ctypes.byref(made))
        threshold = remapping.solve(path).threshold
        random = np.random.default_rng(1990)
        for _ in range(2 * min(numbers.last_step, 60)):
            measured = float(random.normal(1.0 + (random.random() < 0.2), 0.2))
            library.monitor_observe(made, measured, ctypes.byref(decision))
            ours = monitor.observe(measured)
            assert (ours is not None) == decision.decided
            if ours is not None:
                assert (ours.step, ours.belief, ours.threshold, ours.remap) == (
                    decision.step, decision.belief, decision.threshold, decision.remap)
                assert abs(ours.threshold - threshold[ours.step]) <= 1e-9
                if ours.remap:
                    monitor.remapped()
                    library.monitor_remapped(made)
        library.library.remap_monitor_free(made)
        tested += 1
    assert tested >= 5


# Policies that know nothing yet, and those that are trained on the first steps.
PLAIN = ["never", "fixed:7", "stop_at_rise", "threshold:0.5", "utilization:0.8", "menon", "metabalancer", "zhai", "procassini",
         "marquez:0.1", "advised_cold"]
TRAINED = ["advised", "adaptive", "predictive", "solved", "interval", "fixed", "threshold", "utilization"]
STEPS, TRAINING = 60, 24


def random_run(random):
    """Times with drifts, random steps, jumps that stay and bursts that go, and the cost of a remap."""
    ranks = int(random.integers(2, 9))
    loads, drifts = np.full(ranks, 1.0 + 4.0 * random.random()), 0.1 * random.random(ranks) * random.random(ranks)
    wander, noise, times = 0.1 * random.random(), 0.02 * random.random(), []
    for _ in range(STEPS):
        loads = loads + drifts + wander * (random.random(ranks) - 0.5)
        loads[random.integers(ranks)] += random.random() * (random.random() < 0.05)
        loads = loads.clip(0.0)
        burst = np.zeros(ranks)
        burst[random.integers(ranks)] = random.random() * (random.random() < 0.05)
        times.append(loads + burst + noise * random.random(ranks))
    return np.array(times), 0.2 + 3.0 * random.random()


def mean(row):
    return sum(row.tolist()) / len(row)


def test_a_thousand_random_runs_have_one_course():
    """The command replays each run by each policy; controllers in Python and in C, in a program that remaps when they say so,
    come to the same cost by the same remaps."""
    library, random, played = Library(), np.random.default_rng(1990), 0
    while played < 1000:
        times, cost = random_run(random)
        replayed = remapping.replay(times, cost, PLAIN + TRAINED, split=TRAINING / STEPS)
        lines = {line["policy"]: line for line in replayed.policies}
        for policy in PLAIN + TRAINED:
            past = times[:TRAINING] if policy in TRAINED else times[:0]
            left = STEPS - TRAINING
            in_c = library.controller(policy, cost, past, left)
            if len(past):
                controller = remapping.Controller.trained(policy, cost, past, left)
            else:
                controller = remapping.Controller(policy, cost)
                controller.steps_left(left)
            base, paid, remaps = times[TRAINING - 1], 0.0, 0
            for step in range(TRAINING, STEPS):
                row = mean(base) + times[step] - base
                paid += row.max() - mean(row)
                wanted = controller.step(row if step % 2 else row.tolist())
                assert library.step(in_c, row) == wanted, (policy, step)
                # After the last step nobody remaps.
                if wanted and step + 1 < STEPS:
                    controller.remapped(cost)
                    library.controller_remapped(in_c, cost)
                    base, paid, remaps = times[step], paid + cost, remaps + 1
            library.library.remap_controller_free(in_c)
            line = lines.get(policy) or next(each for name, each in lines.items() if name.split(":")[0] == policy)
            assert (line["remaps"], line["cost"]) == (remaps, pytest.approx(paid, rel=1e-12)), policy
            played += 1


def test_statistics_are_those_of_c():
    library, random = Library(), np.random.default_rng(5)
    times = random_run(random)[0]
    merged, fit, numbers = remapping.Statistics(), ctypes.c_void_p(), np.zeros(15)
    library.fit_new(ctypes.byref(fit))
    for rank in range(times.shape[1]):
        ours, theirs = remapping.Statistics(), ctypes.c_void_p()
        library.fit_new(ctypes.byref(theirs))
        for row in times:
            ours.step(row[rank], mean(row))
            library.fit_step(theirs, float(row[rank]), mean(row))
        packed = np.zeros(15)
        library.fit_pack(theirs, packed.ctypes.data_as(ctypes.c_void_p), 15)
        assert (packed == ours.pack()).all()
        merged.merge(ours.pack()), library.fit_merge(fit, doubles(packed), 15)
        library.library.remap_fit_free(theirs)
    library.fit_pack(fit, numbers.ctypes.data_as(ctypes.c_void_p), 15)
    assert (numbers == merged.pack()).all()
    library.library.remap_fit_free(fit)
