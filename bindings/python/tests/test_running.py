"""Controllers, monitors and statistics in a running program."""

import doctest
import json
import pathlib
import pickle

import numpy as np
import pytest

import remapping

BINDINGS = pathlib.Path(__file__).parents[2]


def test_arrays_are_read_where_they_lie():
    controller = remapping.Controller("advised", 2.0)
    times = np.arange(16.0)
    # Every second one, which is not a row in memory.
    assert controller.step(times[::2]) is False
    with pytest.raises(remapping.RemappingError, match="16 times, but this policy is for 8 ranks"):
        controller.step(times)
    with pytest.raises(TypeError):
        controller.step(["a"])


def test_mistakes_change_nothing():
    controller = remapping.Controller("threshold:0.5", 2.0)
    stored = controller.save()
    for wrong in ([], [1.0, float("nan")]):
        with pytest.raises(remapping.RemappingError):
            controller.step(wrong)
    with pytest.raises(remapping.RemappingError, match="mean = 2"):
        controller.step_summary(1.0, 2.0)
    with pytest.raises(remapping.RemappingError, match="cannot cost"):
        controller.remapped(float("nan"))
    assert controller.save() == stored
    with pytest.raises(remapping.RemappingError, match="train it"):
        remapping.Controller("threshold", 2.0)
    with pytest.raises(remapping.RemappingError, match="not a stored controller"):
        remapping.Controller.restore(stored[: len(stored) // 2])


def test_times_that_are_too_large_are_refused():
    for name in ("menon", "advised", "adaptive_cold", "q_learning"):
        controller = remapping.Controller(name, 2.0)
        for time in (1e154, 1e300):
            with pytest.raises(remapping.RemappingError, match="too large"):
                controller.step([1.0, time])
        controller.step([1e100, 1.0])
        assert remapping.Controller.restore(controller.save()).step([1.0, 2.0]) in (False, True)
    with pytest.raises(remapping.RemappingError, match="^1e200 is too large"):
        remapping.Controller("menon", 1e200)
    with pytest.raises(remapping.RemappingError, match="too large"):
        remapping.Controller.trained("advised", 2.0, np.full((8, 2), 1e200))
    statistics = remapping.Statistics()
    with pytest.raises(remapping.RemappingError, match="too large"):
        statistics.step(1e200, 1.0)
    with pytest.raises(remapping.RemappingError, match="no numbers"):
        statistics.merge(np.full(15, 1e300))
    with pytest.raises(remapping.RemappingError, match="too large"):
        remapping.Monitor(CHANGE, cluster=2).observe(1e200)


def altered(value, change):
    """All copies of a stored value in which one number is another one."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            for other in altered(value[key], change):
                copy = value.copy()
                copy[key] = other
                yield copy
    elif isinstance(value, float):
        yield change


def test_altered_monitors_are_refused():
    levels, measured = remapping.Monitor(LEVELS), remapping.Monitor(CHANGE, batch=2, cluster=2)
    phases = remapping.Monitor(BINDINGS.parent / "models" / "phase_switching" / "endless.ron")
    for step in range(9):
        levels.report(step % 3), phases.report(step % 2), measured.observe(1.0 + step % 4)
    for monitor in (levels, phases, measured):
        stored = json.loads(monitor.save())
        assert remapping.Monitor.restore(json.dumps(stored)).save() == monitor.save()
        refused = 0
        for wrong in altered(stored, 1e300):
            with pytest.raises(remapping.RemappingError, match="not a"):
                remapping.Monitor.restore(json.dumps(wrong))
            refused += 1
        assert refused > 8
    stored = json.loads(levels.save())
    stored["reported"]["belief"]["changed"] = 1.09
    with pytest.raises(remapping.RemappingError, match="its belief is not a probability"):
        remapping.Monitor.restore(json.dumps(stored))


def test_what_remaps_cost_is_kept():
    controller = remapping.Controller("menon", 1.0)
    assert controller.remap_cost is None and controller.needs == "max_mean"
    assert controller.step_summary(3.0, 1.5)
    for cost in (1.0, 3.0):
        controller.remapped(cost)
    assert (controller.remap_cost, controller.remaps, controller.steps) == (2.0, 2, 1)


CHANGE = """Model(title: "a job", problem: PhaseChange(lifetime: Fixed(80),
    cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 5.0, install: 0.0),
    detector: (false_alarm: 0.05, missed: 0.05), hazard: Constant(0.01)))"""
LEVELS = """Model(title: "levels", problem: PhaseChange(lifetime: Fixed(400),
    cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 20.0, install: 0.0),
    detector: Levels([(before: 0.9, after: 0.2), (before: 0.07, after: 0.3), (before: 0.03, after: 0.5)]),
    hazard: Constant(0.01)))"""


def test_a_monitor_keeps_the_belief_by_bayes_rule():
    monitor = remapping.Monitor(LEVELS)
    solution = remapping.solve(LEVELS)
    before, after = [0.9, 0.07, 0.03], [0.2, 0.3, 0.5]
    random = np.random.default_rng(3)
    belief = 0.0
    for step in range(1, 200):
        level = int(random.integers(3))
        prior = belief + (1 - belief) * 0.01
        belief = prior * after[level] / (prior * after[level] + (1 - prior) * before[level])
        decision = monitor.report(level)
        assert decision.belief == pytest.approx(belief, rel=1e-12)
        assert decision.threshold == pytest.approx(solution.threshold[step], abs=1e-9)
        assert decision.remap == (belief > decision.threshold) == bool(decision)
        if step == 100:
            monitor = pickle.loads(pickle.dumps(monitor))
        if decision.remap:
            monitor.remapped()
            belief = 0.0
    with pytest.raises(remapping.RemappingError, match="from 0 to 2"):
        monitor.report(3)
    with pytest.raises(remapping.RemappingError, match="takes reports"):
        monitor.observe(1.0)


def test_a_monitor_switches_back_and_forth():
    # The first level speaks for the second phase.
    monitor = remapping.Monitor(BINDINGS.parent / "models" / "phase_switching" / "endless.ron")
    a, b, belief, switches = 0.005, 0.01, 0.0, []
    for step, level in enumerate([1] * 60 + [0] * 60 + [1] * 60):
        prior = belief * (1 - b) + (1 - belief) * a
        changed, unchanged = (0.9, 0.1) if level == 0 else (0.1, 0.9)
        belief = prior * changed / (prior * changed + (1 - prior) * unchanged)
        decision = monitor.report(level)
        assert decision.belief == pytest.approx(belief, rel=1e-12)
        if decision:
            monitor.remapped()
            switches.append(step)
    assert len(switches) == 2 and 60 <= switches[0] < 70 and 120 <= switches[1] < 130


def test_statistics_find_what_made_the_times():
    random = np.random.default_rng(5)
    ranks, steps = 64, 4000
    moves = 0.05 * random.standard_normal((steps, ranks))
    times = 10 + np.cumsum(moves, axis=0) + 0.2 * random.standard_normal((steps, ranks))
    mean = times.mean(axis=1)
    each = [remapping.Statistics() for _ in range(ranks)]
    for rank, kept in enumerate(each):
        for step in range(steps):
            kept.step(times[step, rank], mean[step])
    merged = each[0]
    for kept in each[1:]:
        numbers = kept.pack()
        assert numbers.shape == (15,)
        merged.merge(numbers)
    assert merged.ranks == ranks
    assert merged.noise == pytest.approx(0.2, rel=0.02)
    assert merged.deviation == pytest.approx(0.05, rel=0.1)
    every = merged.interval(20.0)
    # E max of 64 normal numbers is 2.35 deviations.
    n = np.arange(1, 5000)
    growth = 2.353 * np.sqrt(n * merged.deviation**2 + n**2 * merged.drift_deviation**2)
    assert abs(every - n[np.argmin((20.0 + np.cumsum(growth)) / n)]) <= 1
    assert remapping.solve(merged.model(20.0)).problem == "periodic"


def test_docstrings_are_true():
    import remapping._monitor

    finder = doctest.DocTestFinder(exclude_empty=True)
    names = {"remapping": remapping, "Controller": remapping.Controller, "Monitor": remapping.Monitor,
             "Statistics": remapping.Statistics}
    tested = 0
    for thing in (remapping._monitor.Monitor, remapping.Controller, remapping.Statistics):
        for test in finder.find(thing, thing.__name__, globs=dict(names)):
            results = doctest.DocTestRunner().run(test)
            assert results.failed == 0
            tested += results.attempted
    assert tested > 8
