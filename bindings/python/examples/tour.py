"""A tour, cell by cell: python tour.py FOLDER writes its pictures there; with two logs of the MPI toy of bindings/c
(fixed.csv and trained.csv in the folder) also a picture of those runs."""

# %% Pictures go into files.
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot
import numpy as np

import remapping

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# %% A job of 80 cycles and a detector that errs once in twenty tests: how sure must one be before a remap pays?
job = """Model(title: "80 cycles", problem: PhaseChange(lifetime: Fixed(80),
    cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 5.0, install: 0.0),
    detector: (false_alarm: 0.05, missed: 0.05), hazard: Constant(0.01)))"""
solution = remapping.solve(job)
width = (solution.threshold_upper - solution.threshold_lower).max()
print(f"first threshold {solution.threshold[0]:.4f}, certified to {width:.1g}; expected time {solution.value}")

# %% The same for dearer remaps.
figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
for chosen, found in remapping.sweep(job, {"problem.remap.test": [2, 5, 10]}):
    axes.plot(found.threshold, label=f"a test costs {chosen['problem.remap.test']}")
axes.set(xlabel="step", ylabel="remap above this belief")
axes.legend()
figure.savefig(folder / "python-thresholds.png", dpi=110)

# %% A log of eight ranks, two of which become slower: what would policies have cost?
random = np.random.default_rng(1990)
drift = np.array([0, 0, 0, 0, 0, 0, 0.01, 0.02])
times = 3 + np.cumsum(drift + 0.02 * random.standard_normal((600, 8)), axis=0)
played = remapping.replay(times, remap_cost=2.0, policies=["never", "fixed:10", "fixed", "menon", "advised"])
for line in sorted(played.document["policies"], key=lambda line: line["cost"]):
    print(f"{line['policy']:<10}{line['cost']:10.1f}{line['remaps']:6d} remaps")

# %% A model of it, and the best interval.
fitted = remapping.fit(times, remap_cost=2.0)
print(fitted.best.problem, "because", fitted.best.why)

# %% The rule that votes in a loop, trained on the first half, as a program would use it.
controller = remapping.Controller.trained("advised", 2.0, times[:300], steps_left=300)
loads, remaps = np.full(8, times[299].mean()), []
for step in range(300, 600):
    loads = loads + times[step] - times[step - 1]
    if controller.step(loads):
        loads[:] = loads.mean()
        controller.remapped(2.0)
        remaps.append(step)
print(len(remaps), "remaps, at", remaps[:5], "...")

# %% The MPI toy, by hand-tuned intervals and by what its log has taught.
logs = [folder / name for name in ("fixed.csv", "trained.csv")]
if all(log.exists() for log in logs):
    figure, rows = pyplot.subplots(2, figsize=(8, 4.5), sharex=True, sharey=True, layout="constrained")
    for log, axes, title in zip(logs, rows, ("every 18 steps", "by the rule its log has taught")):
        step, rank, seconds, remapped = np.loadtxt(log, delimiter=",", skiprows=1, unpack=True)
        ranks = int(rank.max()) + 1
        table = seconds.reshape(-1, ranks)
        marks = np.flatnonzero(remapped.reshape(-1, ranks)[:, 0])
        axes.fill_between(range(len(table)), table.mean(axis=1), table.max(axis=1), linewidth=0)
        axes.plot(marks, np.full(len(marks), 1.2), "|", color="black", markersize=5)
        lost = (table.max(axis=1) - table.mean(axis=1)).sum()
        axes.set(title=f"{title}: {lost:.0f} s of waiting, {len(marks)} remaps of 1 s", ylabel="seconds")
    rows[-1].set(xlabel="step; filled: from the mean to the slowest rank; ticks: remaps")
    figure.savefig(folder / "toy.png", dpi=110)
