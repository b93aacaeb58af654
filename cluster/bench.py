#!/usr/bin/env python3
"""Times one application of value iteration on 10^8 states: `remap` on threads, `remap-mpi` on ranks.

Every line is the difference of two runs to different tolerances, so that what comes before and after the iteration
does not count. Options: --levels L of each of the four walks, --folder of the programs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--levels", type=int, default=100)
parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(__file__).parent / "../target/release")
options = parser.parse_args()
folder = options.folder.resolve()

# Largest resident memory of a process is known to its parent.
MEASURE = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
    "print('rss', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(code)"
)


def model(path, first):
    walks = [(first, 0.25), (options.levels, 0.24), (options.levels, 0.23), (options.levels, 0.22)]
    walk = "Walk(levels: {}, up: {}, down: 0.25, edge: Reflect)"
    walks = ", ".join(walk.format(*each) for each in walks)
    path.write_text(
        f'Model(title: "bench", problem: Stopping(processes: Distinct([{walks}]), remap_cost: 8.0, after_remap: Stop))'
    )


def run(command, path, tolerance):
    """Iterations, seconds, and the most memory of a process in bytes."""
    arguments = ["solve", path, "--json", "--method", "value", "--force", "--tolerance", tolerance]
    environment = os.environ | {"OMPI_MCA_mpi_yield_when_idle": "1", "XDG_CACHE_HOME": str(path.parent)}
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    memory = max(int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("rss"))
    return found["iterations"], found["seconds"], memory * 1024


def measure(name, command, path, states):
    few, short, _ = run(command, path, "1e-2")
    many, long, memory = run(command, path, "1e-9")
    each = (long - short) / max(1, many - few)
    print(f"| {name} | {each:.3f} | {each / states * 1e9:.2f} | {memory / 1e9:.2f} |", flush=True)
    return each, memory


def ranks(count):
    mpirun = ["mpirun", "-q", "--allow-run-as-root", "--oversubscribe", "-n", str(count)]
    return [*mpirun, sys.executable, "-c", MEASURE, folder / "remap-mpi"]


def threads(count):
    with_threads = MEASURE.replace("sys.argv[1:]", f"sys.argv[1:] + ['--threads', '{count}']")
    return [sys.executable, "-c", with_threads, folder / "remap"]


with tempfile.TemporaryDirectory() as place:
    whole, half = pathlib.Path(place, "whole.ron"), pathlib.Path(place, "half.ron")
    model(whole, options.levels)
    model(half, options.levels // 2)
    states = options.levels**4
    print(f"{states:.1e} states\n\n| | seconds an application | ns a state | GB of a process |\n|---|---|---|---|")
    measure("remap, 1 thread", threads(1), whole, states)
    serial, _ = measure("remap, 2 threads", threads(2), whole, states)
    one, memory_one = measure("remap-mpi, 1 rank", ranks(1), whole, states)
    two, memory_two = measure("remap-mpi, 2 ranks", ranks(2), whole, states)
    weak, _ = measure("remap-mpi, 1 rank, half the states", ranks(1), half, states / 2)
    print(f"\ntwo ranks against one: {one / two:.2f} times as fast (1.7 wanted)")
    print(f"two ranks against remap on two threads: {two / serial:.2f} of its time (at most 1.15 wanted)")
    print(f"memory of each of two ranks: {memory_two / memory_one:.2f} of that of one (at most .55 wanted)")
    print(f"weak scaling from one to two ranks: {weak / two:.0%} (85 % wanted)")
