"""The stopping problems of benches/stopping.rs by general solvers of Markov decision processes.

    python -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python compare.py [--limit SECONDS] [--remap PATH] [--different] [--processor]

Each solver gets each problem in a process of its own, up to three times; `build` is the time to make the transition
matrix and the solver's model of it, `solve` what its solver then takes. The mean of J is printed so
that it shows whether answers agree. A run past the limit is ended and printed as `-`. With `--different` no two walks
are alike, so that nothing is lumped, and scipy is the only peer; with `--processor` seconds are of processors, not of the
clock, as a busy machine needs, those of `remap` are of the whole program, and numpy has one thread: others that wait would count.
"""

import argparse
import json
import multiprocessing as mp
import os
import pathlib
import resource
import subprocess
import tempfile
import time
import typing

# What solvers are timed by.
clock = time.perf_counter


def processor():
    """Processor seconds of this process, or of programs it has run."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


# Processes, levels, remap cost.
PROBLEMS = [
    (2, 50, 5.0), (2, 50, 5208.0),
    (2, 100, 5.0), (2, 100, 41667.0),
    (3, 20, 5.0), (3, 20, 1444.0),
    (3, 40, 5.0), (3, 40, 6084.0),
    (4, 20, 5.0), (4, 20, 6000.0),
    (6, 8, 20.0), (6, 8, 4000.0),
]
# The same for walks that differ.
DIFFERENT = [
    (2, 100, 1000.0), (2, 100, 41667.0),
    (2, 200, 1000.0), (2, 200, 41667.0),
    (3, 40, 600.0), (3, 40, 6084.0),
    (3, 100, 1000.0),
    (4, 20, 600.0), (4, 20, 6000.0),
]


class Problem(typing.NamedTuple):
    count: int
    levels: int
    rho: float
    different: bool = False

    def up(self, k):
        """The probability that walk k goes up; all go down with 1/4."""
        return 0.25 - 0.01 * k if self.different else 0.25


def chain(problem):
    """The joint transition matrix, the running costs, and which load vectors are balanced."""
    import numpy as np
    import scipy.sparse as sp

    count, levels = problem.count, problem.levels
    joint = None
    for k in range(count):
        up = problem.up(k)
        walk = sp.diags([0.25, 0.75 - up, up], [-1, 0, 1], shape=(levels, levels)).tolil()
        walk[0, 1] += 0.25
        walk[levels - 1, levels - 2] += up
        joint = walk.tocsr() if k == 0 else sp.kron(joint, walk.tocsr(), format="csr")
    loads = np.indices((levels,) * count).reshape(count, -1)
    psi = loads.max(0) - loads.mean(0)
    balanced = loads.max(0) == loads.min(0)
    return joint, np.where(balanced, 0.0, psi), balanced


def scipy_plain(problem):
    return scipy_policy(problem, 1)


def scipy_policy(problem, sweeps=12):
    """Policy iteration, BiCGStab on the states that continue, after so many sweeps each time."""
    import numpy as np
    import scipy.sparse as sp
    import scipy.sparse.linalg as la

    rho = problem.rho
    start = clock()
    joint, psi, balanced = chain(problem)
    built = clock()
    value = np.where(balanced, 0.0, rho)
    going = np.zeros(len(psi), bool)
    while True:
        # The last sweep improves the policy; a dozen, as in the engine, save evaluations.
        for _ in range(sweeps):
            go = psi + joint @ value
            value = np.where(balanced, 0.0, np.minimum(rho, go))
        following = ~balanced & (go < rho)
        if (following == going).all() and going.any():
            break
        going = following
        stays = np.flatnonzero(going)
        if len(stays) == 0:
            break
        system = sp.identity(len(stays)) - joint[stays][:, stays]
        fixed = np.where(balanced | going, 0.0, rho)
        right = psi[stays] + (joint @ fixed)[stays]
        found, _ = la.bicgstab(system, right, x0=value[stays], rtol=1e-12, maxiter=5000)
        value = fixed
        value[stays] = found
    return built - start, clock() - built, float(value.mean())


def pairs(problem):
    """State-action pairs with a last state in which all has ended: continue, remap."""
    import numpy as np
    import scipy.sparse as sp

    rho = problem.rho
    joint, psi, balanced = chain(problem)
    n = len(psi)
    going = sp.diags(np.where(balanced, 0.0, 1.0)) @ joint
    ended = sp.csr_matrix(balanced.astype(float).reshape(-1, 1))
    proceed = sp.hstack([going, ended])
    stop = sp.csr_matrix((np.ones(n), (np.arange(n), np.full(n, n))), shape=(n, n + 1))
    absorbed = sp.csr_matrix(([1.0], ([0], [n])), shape=(1, n + 1))
    rows = sp.vstack([proceed, stop, absorbed]).tocsr()
    cost = np.concatenate([psi, np.where(balanced, 0.0, rho), [0.0]])
    state = np.concatenate([np.arange(n), np.arange(n), [n]])
    action = np.concatenate([np.zeros(n, int), np.ones(n, int), [0]])
    return rows, cost, state, action


# quantecon has no undiscounted criterion.
DISCOUNT = 1 - 1e-13


def quantecon_policy(problem):
    import numpy as np
    import quantecon as qe

    start = clock()
    rows, cost, state, action = pairs(problem)
    model = qe.markov.DiscreteDP(-cost, rows, DISCOUNT, state, action)
    built = clock()
    n = model.num_states - 1
    found = model.solve(method="policy_iteration", v_init=np.append(np.full(n, -problem.rho), 0.0))
    return built - start, clock() - built, float(-found.v[:n].mean())


def mdpsolver_policy(problem):
    import mdpsolver

    start = clock()
    rows, cost, state, action = pairs(problem)
    n = rows.shape[1]
    rewards = [[] for _ in range(n)]
    columns = [[] for _ in range(n)]
    chances = [[] for _ in range(n)]
    for k in range(rows.shape[0]):
        span = slice(rows.indptr[k], rows.indptr[k + 1])
        rewards[state[k]].append(float(-cost[k]))
        columns[state[k]].append(rows.indices[span].tolist())
        chances[state[k]].append(rows.data[span].tolist())
    model = mdpsolver.model()
    # Closer to one it says "not converged" at once; the answer is off by what that costs.
    model.mdp(discount=1 - 1e-6, rewards=rewards, tranMatColumns=columns, tranMatProbs=chances)
    built = clock()
    model.solve(algorithm="mpi", tolerance=1e-6)
    seconds = clock() - built
    return built - start, seconds, -sum(model.getValueVector()) / (n - 1)


def storm(problem, method):
    import stormpy
    import stormpy.environments
    from stormpy import models
    from stormpy.datastructures import SparseMatrixBuilder

    start = clock()
    rows, cost, state, _ = pairs(problem)
    n = rows.shape[1]
    order = sorted(range(rows.shape[0]), key=lambda k: state[k])
    builder = SparseMatrixBuilder[float](0, 0, 0, True, True)
    last = -1
    for row, k in enumerate(order):
        if state[k] != last:
            builder.new_row_group(row)
            last = state[k]
        span = slice(rows.indptr[k], rows.indptr[k + 1])
        for column, p in sorted(zip(rows.indices[span], rows.data[span])):
            builder.add_next_value(row, int(column), float(p))
    labels = models.StateLabeling(n)
    labels.add_label("ended")
    labels.add_label_to_state("ended", n - 1)
    rewards = models.SparseRewardModel[float](
        optional_state_action_reward_vector=[float(cost[k]) for k in order]
    )
    parts = models.SparseModelComponents[float](
        transition_matrix=builder.build(), state_labeling=labels, reward_models={"cost": rewards}
    )
    model = models.SparseMdp[float](parts)
    formula = stormpy.parse_properties('R{"cost"}min=? [F "ended"]')[0]
    environment = stormpy.Environment()
    solver = environment.solver().min_max()
    solver.method = getattr(stormpy.environments.MinMaxMethod, method)
    solver.precision = stormpy.Rational("1e-9")
    built = clock()
    found = stormpy.model_checking(model, formula, environment=environment)
    seconds = clock() - built
    return built - start, seconds, sum(found.get_value_vector()) / (n - 1)


def storm_policy(problem):
    return storm(problem, "POLICY_ITERATION")


def storm_value(problem):
    return storm(problem, "OPTIMISTIC_VALUE_ITERATION")


def engine(remap, problem):
    """`remap solve`, its own clock; there is no matrix to build."""
    walks = [
        f"Walk(levels: {problem.levels}, up: {problem.up(k):g}, down: 0.25, edge: Reflect)"
        for k in range(problem.count)
    ]
    processes = f"Identical(count: {problem.count}, chain: {walks[0]})"
    if problem.different:
        processes = f"Distinct([{', '.join(walks)}])"
    with tempfile.TemporaryDirectory() as folder:
        deck = pathlib.Path(folder, "deck.ron")
        deck.write_text(
            f'Model(title: "t", problem: Stopping(processes: {processes}, '
            f"remap_cost: {problem.rho}, after_remap: Stop))"
        )
        solve = [remap, "solve", deck, "--json"]
        start = processor()
        if clock is processor:
            # Writing all values down is no part of solving.
            subprocess.run(solve, capture_output=True, check=True)
        seconds = processor() - start
        output = subprocess.run([*solve, "--values"], capture_output=True, check=True)
    found = json.loads(output.stdout)
    assert found["status"] == "converged"
    seconds = seconds if clock is processor else found["seconds"]
    return 0.0, seconds, sum(found["value"]) / len(found["value"])


SOLVERS = [scipy_plain, scipy_policy, quantecon_policy, mdpsolver_policy, storm_policy, storm_value]


def least(measure):
    """The least seconds of up to three runs, as many as end within a few seconds."""
    start = clock()
    best = measure()
    for _ in range(2):
        if clock() - start > 3:
            break
        again = measure()
        best = (min(best[0], again[0]), min(best[1], again[1]), best[2])
    return best


def child(solver, problem, pipe, by):
    global clock
    clock = by
    pipe.send(least(lambda: solver(problem)))


def run(solver, problem, limit):
    """(build, solve, mean of J), or None past the limit."""
    here, there = mp.Pipe(duplex=False)
    process = mp.Process(target=child, args=(solver, problem, there, clock))
    process.start()
    there.close()
    try:
        found = here.recv() if here.poll(limit) else None
    except EOFError:
        found = None
    process.kill()
    process.join()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for each run")
    parser.add_argument("--remap", default="../target/release/remap")
    parser.add_argument("--first", type=int, help="only so many problems")
    parser.add_argument("--different", action="store_true", help="walks that differ")
    parser.add_argument("--processor", action="store_true", help="seconds of processors")
    arguments = parser.parse_args()
    global clock
    if arguments.processor:
        clock = processor
        # Read when a child imports numpy.
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
    different = arguments.different
    problems = [Problem(*problem, different) for problem in (DIFFERENT if different else PROBLEMS)]
    solvers = [scipy_plain, scipy_policy] if different else SOLVERS
    print("| problem | solver | build, s | solve, s | mean of J |")
    print("|---|---|---|---|---|")
    for problem in problems[: arguments.first]:
        count, levels, rho, _ = problem
        rows = [("remap", least(lambda: engine(arguments.remap, problem)))]
        rows += [(solver.__name__, run(solver, problem, arguments.limit)) for solver in solvers]
        for name, found in rows:
            cells = "- | - | -" if found is None else "{:.3f} | {:.4f} | {:.6f}".format(*found)
            print(f"| {levels}^{count}, {rho:g} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
