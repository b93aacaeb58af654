#!/usr/bin/env python3
"""Times one application of value iteration on 10^8 states: `remap` on threads, `remap-mpi` on ranks.

Every line is the difference of two runs to different tolerances, so that what comes before and after the iteration
does not count: about a hundred applications. All are run in turn, as often as --rounds says, and the least time of
each run is taken: what else a machine does only adds to it.
Options: --levels L of each of the four walks, --rounds N, --folder of the programs.
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
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(__file__).parent / "../target/release")
options = parser.parse_args()
folder = options.folder.resolve()

# Largest resident memory and seconds of processors of a process are known to its parent.
MEASURE = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
    "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
    "print('used', used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr); sys.exit(code)"
)


def model(path, first):
    walks = [(first, 0.25), (options.levels, 0.24), (options.levels, 0.23), (options.levels, 0.22)]
    walk = "Walk(levels: {}, up: {}, down: 0.25, edge: Reflect)"
    walks = ", ".join(walk.format(*each) for each in walks)
    path.write_text(
        f'Model(title: "bench", problem: Stopping(processes: Distinct([{walks}]), remap_cost: 30.0, after_remap: Stop))'
    )


def run(command, path, tolerance):
    """Iterations, seconds, seconds of all processors, and the most memory of a process in bytes."""
    arguments = ["solve", path, "--json", "--method", "value", "--force", "--tolerance", tolerance]
    environment = os.environ | {"OMPI_MCA_mpi_yield_when_idle": "1", "XDG_CACHE_HOME": str(path.parent)}
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    used = [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("used")]
    memory = max(int(memory) for memory, _ in used)
    return found["iterations"], found["seconds"], sum(float(busy) for _, busy in used), memory * 1024


def measure(runs):
    """Of runs to both tolerances: seconds of an application, those of all processors, and the most memory of a process."""
    (few, short, briefly, _), (many, long, busy, memory) = ([min(each) for each in zip(*of)] for of in zip(*runs))
    applications = max(1, many - few)
    return (long - short) / applications, (busy - briefly) / applications, memory


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
    halved = options.levels // 2 * options.levels**3
    cases = {
        "remap, 2 threads": (threads(2), whole, states),
        "remap-mpi, 1 rank": (ranks(1), whole, states),
        "remap-mpi, 2 ranks": (ranks(2), whole, states),
        "remap-mpi, 1 rank, half the states": (ranks(1), half, halved),
    }
    runs = {name: [] for name in cases}
    for _ in range(options.rounds):
        for name, (command, path, _) in cases.items():
            runs[name].append([run(command, path, tolerance) for tolerance in ("1e-2", "1e-9")])
            found = (f"{applications} applications in {seconds:.1f} s" for applications, seconds, *_ in runs[name][-1])
            print(name, *found, sep=", ", file=sys.stderr)
    least = {name: measure(found) for name, found in runs.items()}
    print(f"{states:.1e} states, the least of {options.rounds} rounds\n")
    print("| | seconds an application | ns a state | ns of processors a state | GB of a process |\n|---|---|---|---|---|")
    for name, (_, _, count) in cases.items():
        each, busy, memory = least[name]
        print(f"| {name} | {each:.3f} | {each / count * 1e9:.2f} | {busy / count * 1e9:.2f} | {memory / 1e9:.2f} |")
    serial, one, two, weak = (least[name][0] for name in cases)
    memory_one, memory_two = (least[f"remap-mpi, {count}"][2] for count in ("1 rank", "2 ranks"))
    print(f"\ntwo ranks against one: {one / two:.2f} times as fast (1.7 wanted)")
    print(f"two ranks against remap on two threads: {two / serial:.2f} of its time (at most 1.15 wanted)")
    print(f"memory of each of two ranks: {memory_two / memory_one:.2f} of that of one (at most .55 wanted)")
    print(f"weak scaling from one to two ranks: {weak / two:.0%} (85 % wanted)")
