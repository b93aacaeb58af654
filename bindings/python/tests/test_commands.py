"""Verbs that run the command, the command itself, and what pages and docstrings show."""

import doctest
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import installed
import remapping
from test_documents import CHANGE, ENDLESS, ROOT, STOPPING, log

DRIFT = """Model(title: "drifting", problem: LoadDrift(processors: 4, initial_load: 10, steps: 200, remap_cost: 8.0,
    chain: Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, edge: Hold)))"""


def command(*arguments, **more):
    """What the command prints, as a program that is started by itself."""
    start = [sys.executable, "-m", "remapping", *map(str, arguments)]
    return subprocess.run(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def test_the_command_is_in_the_package(tmp_path):
    assert command("--version").stdout.split() == ["remap", remapping.__version__]
    (tmp_path / "model.ron").write_text(CHANGE)
    solved = command("solve", tmp_path / "model.ron", "--json")
    (tmp_path / "solution.json").write_text(solved.stdout)
    assert solved.returncode == 0 and '"threshold"' in solved.stdout
    assert command("solve").returncode == 2 and "MODEL.ron" in command("solve").stderr
    wrong = command("solve", tmp_path / "nowhere.ron")
    assert wrong.returncode == 1 and "nowhere.ron" in wrong.stderr and not wrong.stdout
    (tmp_path / "endless.ron").write_text(ENDLESS)
    assert command("solve", tmp_path / "endless.ron", "--time-limit", "0.5").returncode == 3


def test_the_command_hears_interrupts(tmp_path):
    (tmp_path / "endless.ron").write_text(ENDLESS)
    start = [sys.executable, "-m", "remapping", "solve", tmp_path / "endless.ron", "--json"]
    run = subprocess.Popen(start, stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    threading.Timer(3.0, lambda: run.send_signal(signal.SIGINT)).start()
    said, _ = run.communicate(timeout=60)
    assert run.returncode == 130 and b'"interrupted"' in said


def test_an_answer_is_a_sentence(tmp_path):
    (tmp_path / "model.ron").write_text(STOPPING)
    solution = remapping.solve(tmp_path / "model.ron")
    printed = command("solve", tmp_path / "model.ron").stdout.splitlines()
    assert repr(solution) == printed[1].strip() and "\n" not in repr(solution)
    # The last line has the seconds.
    assert str(solution).splitlines()[:-1] == printed[:-1]
    assert solution._repr_html_().lstrip().startswith("<svg")
    for deck in sorted((ROOT / "models" / "phase_change").glob("*.ron"))[:3]:
        assert len(repr(remapping.solve(deck, tolerance=1e-6)).split()) > 3


def test_facts_of_a_model():
    facts = remapping.check(STOPPING)
    assert (facts.title, facts.problem, facts.warnings) == ("two chains", "stopping", [])
    assert facts.states == facts.facts["states"] == 36 and "states 36" in repr(facts)
    with pytest.raises(remapping.RemappingError, match="hazrad"):
        remapping.check(CHANGE.replace("hazard", "hazrad"))


def test_what_is_simulated_is_read_back(tmp_path):
    played = remapping.simulate(DRIFT, policy="fixed:20", seed=3)
    assert played.times.shape == (200, 4) and len(played.remaps) == 9
    assert repr(played) == "200 steps of 4 ranks, 9 remaps"
    (tmp_path / "model.ron").write_text(DRIFT)
    text = command("simulate", tmp_path / "model.ron", "--policy", "fixed:20", "--seed", "3").stdout
    (tmp_path / "log.csv").write_text(text)
    played.save(tmp_path / "again.csv")
    read = [command("replay", tmp_path / name, "--policies", "menon,never", "--json").stdout for name in ("log.csv", "again.csv")]
    costs = [remapping.Replay(json.loads(each)).cost("menon") for each in read]
    assert costs[0] == costs[1] == remapping.replay(tmp_path / "log.csv", policies=["menon", "never"]).cost("menon")


def test_a_replay_of_an_array_is_that_of_its_file(tmp_path):
    times = log()
    remapping.Log(times).save(tmp_path / "log.csv", marked=False)
    names = ["never", "threshold:0.5", "menon"]
    alone, by_file = remapping.replay(times, 2.0, names), remapping.replay(tmp_path / "log.csv", 2.0, names)
    for name in names:
        assert alone.cost(name) == pytest.approx(by_file.cost(name), rel=1e-12)
    beside = remapping.replay(times, 2.0, ["fixed:10"], overlap=(3, 0.05))
    assert beside.cost("fixed:10") != remapping.replay(times, 2.0, ["fixed:10"]).cost("fixed:10")
    with pytest.raises(remapping.RemappingError, match="overlap"):
        remapping.replay(times, 2.0, ["fixed:10"], overlap=(3, -1))


def test_solutions_are_exported_and_reported(tmp_path):
    solution = remapping.solve(CHANGE)
    solution.save(tmp_path / "solution.json")
    assert solution.export("csv") == command("export", tmp_path / "solution.json", "--to", "csv").stdout
    with pytest.raises(remapping.RemappingError, match="nothing"):
        solution.export("nothing")
    page = solution.report()
    assert page.lstrip().lower().startswith("<!doctype html") and "80" in page


def test_what_is_proved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    proof = remapping.prove(CHANGE, certificate=tmp_path / "job.proof")
    assert "every threshold to within" in proof.proved[0] == repr(proof).split("; ")[0]
    assert (proof.solution.threshold == remapping.solve(CHANGE).threshold).all()
    assert (tmp_path / "job.proof").stat().st_size > 100
    (tmp_path / "model.ron").write_text(CHANGE)
    solved = command("solve", "model.ron", "--json", "--certificate", "model.proof").stdout
    (tmp_path / "solution.json").write_text(solved)
    assert remapping.prove(tmp_path / "solution.json").proved == proof.proved
    altered = {**json.loads(solved), "n0": 3}
    (tmp_path / "altered.json").write_text(json.dumps(altered))
    with pytest.raises(remapping.RemappingError, match="n0"):
        remapping.prove(tmp_path / "altered.json")


def test_advice_is_that_of_the_command(tmp_path):
    times = log(400)
    advice = remapping.advise(times, remap_cost=0.5, steps=10000)
    remapping.Log(times).save(tmp_path / "log.csv", marked=False)
    printed = command("advise", tmp_path / "log.csv", "--remap-cost", "0.5", "--steps", "10000", "--json")
    assert advice.advice == json.loads(printed.stdout)["advice"] == repr(advice)


def test_a_column_of_steps_is_no_rank():
    pandas = pytest.importorskip("pandas")
    times = log()
    frame = pandas.DataFrame(times, columns=[f"rank_{rank}" for rank in range(4)])
    expected = remapping.fit(times, 2.0)
    for name in ("step", "Step", "iteration"):
        framed = frame.copy()
        framed.insert(0, name, range(len(times)))
        found = remapping.fit(framed, 2.0)
        assert (found.ranks, found.best.document) == (4, expected.best.document)
        assert remapping.replay(framed, 2.0, ["menon"]).cost("menon") == remapping.replay(times, 2.0, ["menon"]).cost("menon")
    # The columns of a frame are read as those of a table are.
    frame["remapped"] = [int(step in (50, 150)) for step in range(len(times))]
    assert remapping.replay(frame, 2.0, ["never"]).recorded_remaps == 2
    long = pandas.DataFrame([(step, rank, seconds) for step, row in enumerate(times) for rank, seconds in enumerate(row)],
                            columns=["step", "rank", "seconds"])
    assert remapping.fit(long, 2.0).best.document == expected.best.document
    trained = remapping.Controller.trained("advised", 2.0, times).save()
    for same in (pandas.DataFrame(times), times.tolist(), remapping.Log(times), frame.drop(columns="remapped")):
        assert remapping.Controller.trained("advised", 2.0, same).save() == trained
    with pytest.raises(remapping.RemappingError, match="`remapped` is not the time of a rank"):
        remapping.Controller.trained("advised", 2.0, frame)


def test_negative_times_are_refused():
    for name in ("menon", "advised", "adaptive_cold", "q_learning"):
        controller = remapping.Controller(name, 2.0)
        stored = controller.save()
        for wrong in (-1.0, float("nan"), float("inf"), -float("inf")):
            with pytest.raises(remapping.RemappingError, match="rank 1 is negative or not finite"):
                controller.step([1.0, wrong])
            with pytest.raises(remapping.RemappingError):
                controller.step_summary(1.0, wrong, 0.5)
        assert controller.save() == stored
        assert controller.step([0.0, -0.0]) in (False, True)
    for wrong in ((-1.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)):
        with pytest.raises(remapping.RemappingError, match="negative or not finite"):
            remapping.Statistics().step(*wrong)
    with pytest.raises(remapping.RemappingError, match="negative or not finite"):
        remapping.Controller.trained("advised", 2.0, np.full((8, 2), -1.0))


def test_statistics_are_pickled():
    kept = remapping.Statistics()
    for step in range(9):
        kept.step(1.0 + 0.1 * step * step, 1.0)
    kept.remapped(2.0)
    kept.merge(kept.pack())
    again = pickle.loads(pickle.dumps(kept))
    assert (again.pack() == kept.pack()).all() and again.save() == kept.save()
    for wrong in ("{}", kept.save().replace(":9.0", ":-9.0", 1)):
        with pytest.raises(remapping.RemappingError, match="not stored statistics"):
            remapping.Statistics.restore(wrong)


def test_ctrl_c_stops_the_command_within_a_second(tmp_path):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    (tmp_path / "endless.ron").write_text(ENDLESS)
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(2.0, press).start()
    with pytest.raises(remapping.Interrupted) as caught:
        remapping.prove(tmp_path / "endless.ron")
    assert time.monotonic() - pressed[0] < 3.0
    assert caught.value.partial.status == "interrupted"


def test_what_help_shows_runs():
    results = doctest.DocTestRunner()
    for test in doctest.DocTestFinder(exclude_empty=True, recurse=False).find(remapping, "remapping"):
        results.run(test)
    assert results.summarize().failed == 0 and results.tries >= 4


def test_what_the_readme_shows_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(installed.code(), "README.md", "exec"), names)
    assert names["solution"].status == "converged" and (tmp_path / "solution.json").exists()


def test_the_notebook_runs():
    installed.run_notebook()


def test_every_verb_is_typed():
    import typed

    typed.main()
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", typed.__file__], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif("REMAPPING_WHEEL" not in os.environ, reason="REMAPPING_WHEEL names no wheel to install")
def test_the_wheel_is_all_that_is_needed():
    installed.main(pathlib.Path(os.environ["REMAPPING_WHEEL"]))
