"""The verbs: what they return is what the command line prints."""

import os
import pathlib
import signal
import threading
import time

import numpy as np
import pytest

import remapping

ROOT = pathlib.Path(__file__).parents[3]
STOPPING = """Model(title: "two chains", problem: Stopping(
    processes: Identical(count: 2, chain: Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect)),
    remap_cost: 3.0, after_remap: Stop))"""
CHANGE = """Model(title: "a job", problem: PhaseChange(lifetime: Fixed(80),
    cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 5.0, install: 0.0),
    detector: (false_alarm: 0.05, missed: 0.05), hazard: Constant(0.01)))"""
# Takes far longer than any test.
ENDLESS = """Model(title: "long", problem: Stopping(
    processes: Identical(count: 2, chain: Walk(levels: 1500, up: 0.25, down: 0.25, edge: Reflect)),
    remap_cost: 100000000, after_remap: Stop))"""


def log(steps=200, ranks=4, seed=7):
    random = np.random.default_rng(seed)
    return 5 + np.cumsum(0.1 * random.standard_normal((steps, ranks)) + 0.02 * np.arange(ranks), axis=0).clip(-4)


def test_a_solution_has_certified_arrays():
    solution = remapping.solve(CHANGE)
    assert solution.status == "converged" and solution.problem == "phase_change"
    assert isinstance(solution.threshold, np.ndarray) and len(solution.threshold) == 81
    assert (solution.threshold_upper - solution.threshold_lower).max() <= 1e-9
    assert solution.value["lower"] <= solution.value["upper"]
    with pytest.raises(AttributeError, match="there are"):
        solution.nothing


def test_paths_and_texts_are_the_same(tmp_path):
    path = tmp_path / "model.ron"
    path.write_text(CHANGE)
    by_path, by_text = remapping.solve(path), remapping.solve(CHANGE)
    assert (by_path.threshold == by_text.threshold).all()
    assert (remapping.solve(str(path)).threshold == by_text.threshold).all()
    bracket = tmp_path / "run (1)"
    bracket.write_text(CHANGE)
    assert (remapping.solve(str(bracket)).threshold == by_text.threshold).all()
    with pytest.raises(remapping.RemappingError, match=r"nowhere \(2\).ron"):
        remapping.solve("nowhere (2).ron")
    by_text.save(tmp_path / "solution.json")
    assert (tmp_path / "solution.json").stat().st_size > 1000


def test_errors_have_the_words_of_the_command_line():
    with pytest.raises(remapping.RemappingError, match="hazrad"):
        remapping.solve(CHANGE.replace("hazard", "hazrad"))
    with pytest.raises(remapping.RemappingError, match="nowhere.ron"):
        remapping.solve("nowhere.ron")
    with pytest.raises(remapping.RemappingError, match="no field `cost`"):
        remapping.solve(CHANGE, set={"problem.cost": 1})
    with pytest.raises(remapping.RemappingError, match="--method"):
        remapping.solve(CHANGE, method="guess")
    with pytest.raises(remapping.RemappingError, match="--guess"):
        remapping.solve(CHANGE, guess=7)
    with pytest.raises(TypeError, match="not int"):
        remapping.solve(7)


def test_errors_say_where(tmp_path):
    wrong = CHANGE.replace("hazard", "hazrad")
    path = tmp_path / "model.ron"
    path.write_text(wrong)
    place = (3, wrong.splitlines()[2].index("hazrad") + 1)
    for file, refused in ((str(path), lambda: remapping.solve(path)), (str(path), lambda: remapping.check(path)),
                          ("model.ron", lambda: remapping.solve(wrong)), ("model.ron", lambda: remapping.check(wrong))):
        with pytest.raises(remapping.RemappingError) as caught:
            refused()
        assert (caught.value.file, caught.value.line, caught.value.column) == (file, *place)
        assert f"{file}:3:{place[1]}" in str(caught.value)
    with pytest.raises(remapping.RemappingError) as caught:
        remapping.solve("nowhere.ron")
    assert (caught.value.file, caught.value.line, caught.value.column) == (None, None, None)
    with pytest.raises(remapping.RemappingError, match="--cases"):
        remapping.verify(CHANGE, cases=-1)


def test_errors_stay_errors_of_values():
    assert issubclass(remapping.RemappingError, ValueError)


def test_a_tolerance_is_a_gap_between_bounds():
    model = ROOT / "models" / "many_phases" / "three_phases.ron"
    width = lambda found: found.value["upper"] / found.value["lower"] - 1
    usual, loose = remapping.solve(model), remapping.solve(model, tolerance=0.2)
    assert width(usual) <= 0.01 < width(loose) <= 0.2
    # It cannot be reached in this time, and that is said.
    assert remapping.solve(model, tolerance=1e-9, time_limit=1).status != "converged"


def test_what_the_command_line_refuses_is_refused():
    for wrong in (-1, 0, float("nan"), float("inf")):
        with pytest.raises(remapping.RemappingError, match="--time-limit"):
            remapping.solve(CHANGE, time_limit=wrong)
    with pytest.raises(remapping.RemappingError, match="--runs"):
        remapping.compare(CHANGE, runs=0)
    with pytest.raises(remapping.RemappingError, match="--cases"):
        remapping.verify(CHANGE, cases=1000001)
    for wrong in (0, 2**40):
        with pytest.raises(remapping.RemappingError, match="--steps"):
            remapping.fit(log(), 1.0, steps=wrong)
    for wrong in (5.7, -1, (5.7, 2.0)):
        with pytest.raises(remapping.RemappingError, match="whole numbers"):
            remapping.fit(log(), 1.0, remaps=[wrong])
    for scale in (1e154, 1e300):
        with pytest.raises(remapping.RemappingError, match="too large"):
            remapping.fit(log() * scale, 1.0)


def test_a_sweep_sets_values():
    found = remapping.sweep(STOPPING, {"problem.remap_cost": [1, 2.5, 4]})
    assert [chosen["problem.remap_cost"] for chosen, _ in found] == [1, 2.5, 4]
    alone = remapping.solve(STOPPING.replace("3.0", "2.5"))
    assert alone.decision == found[1][1].decision
    assert (np.diff(found.values("remap_value")) > 0).all()


def test_policies_are_compared_and_lemmas_examined():
    found = remapping.compare(CHANGE, runs=50)
    assert len(found.policies) >= 2
    examined = remapping.verify(CHANGE, cases=2)
    assert examined and (examined.problem, examined.status, examined.cases) == ("phase_change", "converged", 2)


def test_a_log_is_fitted_and_replayed():
    times = log()
    fitted = remapping.fit(times, 2.0)
    assert fitted.best.file.startswith("//") and fitted.steps == 200
    assert fitted.best.problem in {"periodic", "continuous_drift", "load_drift", "stopping", "phase_change"}
    played = remapping.replay(times, 2.0, ["never", "threshold:0.5", "advised"])
    assert played.clairvoyant <= min(played.cost(name) for name in ["never", "threshold:0.5", "advised"])
    # By hand, as the page on logs defines it.
    deviation = times - times.mean(axis=1, keepdims=True)
    from_balance = (deviation[100:] - deviation[99]).max(axis=1).sum()
    assert played.cost("never") == pytest.approx(from_balance, rel=1e-12)
    with pytest.raises(remapping.RemappingError, match="is not a policy"):
        remapping.replay(times, 2.0, ["nerve"])
    with pytest.raises(remapping.RemappingError, match="the time of rank 1 at step 7 is negative or not finite"):
        remapping.fit(np.where(np.arange(100).reshape(50, 2) == 15, np.nan, 1.0), 1.0)
    with pytest.raises(remapping.RemappingError, match="1 dimensions"):
        remapping.fit(np.ones(50), 1.0)


def test_frames_and_other_layouts_are_read_alike():
    times = log()
    expected = remapping.replay(times, 2.0, ["menon"]).cost("menon")
    assert remapping.replay(np.asfortranarray(times), 2.0, ["menon"]).cost("menon") == expected
    assert remapping.replay(times.tolist(), 2.0, ["menon"]).cost("menon") == expected
    pandas = pytest.importorskip("pandas")
    assert remapping.replay(pandas.DataFrame(times), 2.0, ["menon"]).cost("menon") == expected


def test_pictures_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for model in (CHANGE, STOPPING):
        assert remapping.solve(model).plot().get_title()
    assert remapping.replay(log(), 2.0, ["never", "menon"]).plot().patches


def test_pictures_start_where_thresholds_do():
    pytest.importorskip("matplotlib").use("Agg")

    def drawn(problem="phase_change", **more):
        document = {"problem": problem, "title": "a job", "threshold": [0.5, 0.6], **more}
        document |= {"threshold_lower": [0.5, 0.6], "threshold_upper": [0.5, 0.6]}
        return [list(line.get_xdata()) for line in remapping.Solution(document).plot().lines]

    assert drawn() == [[0, 1]]
    assert drawn(first_step=7) == [[7, 8]]
    assert drawn(stationary_through=0) == [[1, 2]]
    curves = {"to_second": {"threshold": [0.5], "stationary_through": 0}, "to_first": {"threshold": [0.4, 0.3]}}
    assert drawn("phase_switching", first_step=4, **curves) == [[1], [4, 5]]


def test_a_time_limit_leaves_bounds():
    solution = remapping.solve(ENDLESS, time_limit=0.5)
    assert solution.status == "time_limit"


def test_ctrl_c_stops_a_solve_with_its_bounds():
    # Where the tests run in the background of a shell, interrupts are ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def press():
        time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    started = time.monotonic()
    with pytest.raises(remapping.Interrupted) as caught:
        remapping.solve(ENDLESS)
    assert time.monotonic() - started < 20
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.partial.status == "interrupted"
    # The next one is not stopped.
    assert remapping.solve(CHANGE).status == "converged"


def test_ctrl_c_is_not_swallowed_by_what_has_no_bounds():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    times = log(3000, 16)
    threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(9):
            remapping.Controller.trained("solved", 2.0, times)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_forked_child_computes():
    expected = remapping.solve(STOPPING).decision
    child = os.fork()
    if child == 0:
        same = remapping.solve(STOPPING).decision == expected and remapping.compare(STOPPING, runs=50)
        os._exit(0 if same else 1)
    ended, waited = (0, 0), time.monotonic()
    while ended[0] == 0 and time.monotonic() - waited < 60:
        time.sleep(0.02)
        ended = os.waitpid(child, os.WNOHANG)
    if ended[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended == (child, 0)


def test_computations_in_several_threads_do_not_wait_for_each_other():
    found = []
    for _ in range(4):
        threading.Thread(target=lambda: found.append(remapping.solve(ENDLESS, time_limit=4)), daemon=True).start()
    time.sleep(0.5)
    assert remapping.solve(CHANGE).status == "converged" and not found
    while len(found) < 4:
        time.sleep(0.05)


def test_other_threads_run_meanwhile():
    counted = 0
    done = threading.Event()

    def work():
        remapping.solve(ENDLESS, time_limit=0.5)
        done.set()

    threading.Thread(target=work, daemon=True).start()
    while not done.wait(0.01) and counted < 1000:
        counted += 1
    assert counted > 10
