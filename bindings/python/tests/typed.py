"""Uses every verb; mypy --strict finds nothing, and it runs: python typed.py"""

import numpy as np

import remapping

JOB = """Model(title: "80 cycles", problem: PhaseChange(lifetime: Fixed(80),
    cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 5.0, install: 0.0),
    detector: (false_alarm: 0.05, missed: 0.05), hazard: Constant(0.01)))"""

WALKS = """Model(title: "two chains", problem: Stopping(
    processes: Identical(count: 2, chain: Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect)),
    remap_cost: 3.0, after_remap: Stop))"""


def main() -> None:
    solution: remapping.Solution = remapping.solve(JOB, tolerance=1e-9)
    # The fields are those of its kind of problem.
    assert isinstance(solution, remapping.PhaseChangeSolution)
    width: float = float((solution.threshold_upper - solution.threshold_lower).max())
    assert width <= 1e-9 and solution.last_step == 80
    assert remapping.check(JOB).problem == solution.problem
    sweep: remapping.Sweep = remapping.sweep(JOB, {"problem.remap.test": [2, 5]})
    assert len(sweep.values("value")) == 2
    means: list[float] = [line["mean"] for line in remapping.compare(JOB, runs=10).policies]
    lost = remapping.regret(JOB, set={"problem.hazard": [0.005, 0.02]}).curves[0]["points"][0]["regret"]
    assert len(means) > 1 and 0 <= lost["upper"]
    exact = remapping.solve(JOB, exact=True, set={"problem.lifetime": "Fixed(5)"})
    assert isinstance(exact, remapping.PhaseChangeSolution) and exact.exact["value"] > 0
    walks = remapping.solve(WALKS, critical_costs=True)
    assert isinstance(walks, remapping.StoppingSolution)
    dearest: float = float(np.nanmax(walks.critical_cost))
    assert dearest > 0 and walks.counts["remap"] > 0
    assert remapping.verify(JOB, cases=1).as_expected
    csv = solution.export("csv")
    assert isinstance(csv, str) and remapping.export(solution, "csv") == csv
    assert "<html" in remapping.report(solution)
    proof: remapping.Proof = remapping.prove(JOB)
    assert proof.proved and proof.solution is not None
    log: remapping.Log = remapping.simulate(JOB, steps=300, seed=2)
    assert log.times.shape[0] == 300
    random = np.random.default_rng(1)
    times = 3 + np.cumsum(0.01 * np.arange(4) + 0.02 * random.standard_normal((200, 4)), axis=0)
    fitted: remapping.Fit = remapping.fit(times, 2.0)
    assert fitted.best.why
    replayed: remapping.Replay = remapping.replay(remapping.Log(times), 2.0, ["never", "menon"])
    assert replayed.clairvoyant is not None and replayed.cost("menon") >= replayed.clairvoyant
    shares: list[float] = [line["against_best"]["percent"] for line in replayed.policies]
    assert min(shares) == 0.0
    advice: remapping.Advice = remapping.advise(times, remap_cost=2.0)
    assert advice.advice and (advice.saves is None or advice.saves["lower"] <= advice.saves["upper"])
    try:
        remapping.check(JOB.replace("hazard", "hazrad"))
    except remapping.RemappingError as error:
        assert (error.file, error.line) == ("model.ron", 3)
    controller = remapping.Controller("menon", 2.0)
    decided: bool = controller.step(times[0])
    monitor = remapping.Monitor(JOB, batch=2, cluster=2)
    decision = monitor.observe(1.0)
    statistics = remapping.Statistics()
    statistics.step(1.0, 1.0)
    assert not decided and decision is None and statistics.ranks == 1


if __name__ == "__main__":
    main()
