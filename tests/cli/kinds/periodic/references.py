"""Reference values for `references.rs`, by means that share nothing with the engine.

    python3 tests/cli/kinds/periodic/references.py > tests/cli/kinds/periodic/references.json

Needs mpmath; works with 18 digits, or with fractions. Every time is looked at, one step after
another; crossings of continuous laws are roots of the equation as the paper states it; expected
extremes are integrals of products of distribution functions over all reals; the largest deviation
of walks comes from the joint law of minimum, maximum and sum, by counting polynomials of integers;
that of normal changes from the characteristic function of a cut normal law in terms of erf.
"""

import json
import math
import sys
from fractions import Fraction as Q
from functools import cache

from mpmath import erf, erfc, exp, findroot, gammainc, inf, log, mp, mpf, pi, quad, sqrt

mp.dps = 18
CASES = []


def number(x):
    return mpf(x.numerator) / x.denominator if isinstance(x, Q) else mpf(x)


def show(x):
    return None if x is None else mp.nstr(number(x), 15)


# --- laws of one change ------------------------------------------------------------------------


class Steps:
    def __init__(self, weights):
        self.weights = {Q(k): Q(p) for k, p in weights.items()}
        assert sum(self.weights.values()) == 1
        self.text = "Steps({%s})" % ", ".join(f"{k}: {p}" for k, p in weights.items())

    def scaled(self, factor):
        return Steps({k * factor: p for k, p in self.weights.items()})

    def mean(self):
        return sum(k * p for k, p in self.weights.items())

    def variance(self):
        return sum((k - self.mean()) ** 2 * p for k, p in self.weights.items())

    def at(self, t):
        law = {Q(0): Q(1)}
        for _ in range(t):
            new = {}
            for a, p in law.items():
                for b, q in self.weights.items():
                    new[a + b] = new.get(a + b, 0) + p * q
            law = new
        return law


class Gamma:
    def __init__(self, shape, mean, exponential=False):
        self.shape, self.m = Q(shape), Q(mean)
        self.text = f"Exponential(mean: {mean})" if exponential else f"Gamma(shape: {shape}, mean: {mean})"

    def mean(self):
        return self.m

    def variance(self):
        return self.m**2 / self.shape

    def below(self, t, x):
        if x <= 0:
            return mpf(0)
        return gammainc(number(self.shape) * t, 0, x * number(self.shape / self.m), regularized=True)

    def above(self, t, x):
        if x <= 0:
            return mpf(1)
        return gammainc(number(self.shape) * t, x * number(self.shape / self.m), inf, regularized=True)


def Exponential(mean):
    return Gamma("1", mean, exponential=True)


class Normal:
    def __init__(self, mean, deviation):
        self.m, self.s = Q(mean), Q(deviation)
        self.text = f"Normal(mean: {mean}, deviation: {deviation})"

    def mean(self):
        return self.m

    def variance(self):
        return self.s**2

    def z(self, t, x):
        return (x - number(self.m) * t) / (number(self.s) * sqrt(t))

    def below(self, t, x):
        return erfc(-self.z(t, x) / sqrt(2)) / 2

    def above(self, t, x):
        return erfc(self.z(t, x) / sqrt(2)) / 2


class Moments:
    def __init__(self, mean, variance):
        self.m, self.v = Q(mean), Q(variance)
        self.text = f"Moments(mean: {mean}, variance: {variance})"

    def mean(self):
        return self.m

    def variance(self):
        return self.v


# --- the system --------------------------------------------------------------------------------


class System:
    def __init__(self, load, classes, capacities=None):
        self.load, self.w, self.capacities = load, Q(load), capacities
        self.given = classes
        each = [law for n, law in classes for _ in range(n)]
        if capacities:
            each = [law.scaled(1 / Q(c)) for law, c in zip(each, capacities)]
            self.classes = [(1, law) for law in each]
        else:
            self.classes = classes
        self.n = len(each)
        self.mean = sum(law.mean() for law in each) / Q(self.n)
        self.a = (self.n - 1) * sum(law.variance() for law in each) / Q(self.n)
        self.b = sum(law.mean() ** 2 for law in each) - self.n * self.mean**2

    def average(self, t):
        return number(self.w) + number(self.mean) * t

    def model(self, bound, extra=""):
        if len(self.given) == 1:
            n, law = self.given[0]
            changes = f"Identical(count: {n}, law: {law.text})"
        else:
            parts = ", ".join(f"(count: {n}, law: {law.text})" for n, law in self.given)
            changes = f"Classes([{parts}])"
        if self.capacities:
            extra += f"capacities: [{', '.join(self.capacities)}], "
        return (
            f'Model(title: "reference", problem: Periodic(initial_load: {self.load}, '
            f"changes: {changes}, {extra}bound: {bound}))"
        )


@cache
def largest_deviation(system, t):
    """E max |S_i - Q/N| as a fraction, from the joint law of minimum, maximum and sum."""
    laws = [(n, law.at(t)) for n, law in system.classes]
    places = sorted({k for _, law in laws for k in law})
    step = min((b - a for a, b in zip(places, places[1:])), default=Q(1))
    while any(((k - places[0]) / step).denominator > 1 for k in places):
        step /= 2 if step.denominator % 3 else 3
    index = [(k - places[0]) / step for k in places]
    low, top = 0, int(max(index))
    # Integer weights over a common denominator; polynomials as big integers (Kronecker).
    tables, denominator = [], 1
    for n, law in laws:
        scale = 1
        for p in law.values():
            scale = max(scale, p.denominator)
        assert all((p * scale).denominator == 1 for p in law.values())
        row = [0] * (top + 1)
        for k, p in law.items():
            row[int((k - places[0]) / step)] = int(p * scale)
        tables.append((n, row))
        denominator *= scale**n
    bits = denominator.bit_length() + 1

    def counts(a, b):
        if a > b:
            return []
        product = 1
        for n, row in tables:
            product *= sum(row[j] << (bits * (j - a)) for j in range(a, b + 1)) ** n
        mask, found = (1 << bits) - 1, []
        while product:
            found.append(product & mask)
            product >>= bits
        return found

    def weighted(a, b, f):
        """sum over s of P(all in [a, b], sum = s) f(s), s counted from 0."""
        return sum(c * f(a * system.n + j) for j, c in enumerate(counts(a, b)) if c)

    total = 0
    for a in range(low, top + 1):
        for b in range(a, top + 1):
            f = lambda s: max(system.n * b - s, s - system.n * a)
            total += weighted(a, b, f) - weighted(a + 1, b, f) - weighted(a, b - 1, f) + weighted(a + 1, b - 1, f)
    return Q(total, denominator * system.n) * step


@cache
def extremes(system, t):
    """E max - mean and mean - E min."""
    if all(isinstance(law, Steps) for _, law in system.classes):
        laws = [(n, law.at(t)) for n, law in system.classes]
        places = sorted({k for _, law in laws for k in law})
        centre = system.mean * t
        high, low, before, above = Q(0), Q(0), Q(0), Q(1)
        for k in places:
            below, over = Q(1), Q(1)
            for n, law in laws:
                below *= sum(p for j, p in law.items() if j <= k) ** n
                over *= sum(p for j, p in law.items() if j > k) ** n
            high += k * (below - before)
            low += k * (above - over)
            before, above = below, over
        return high - centre, centre - low
    centre = system.average(t) - number(system.w)
    widest = max(sqrt(number(law.variance()) * t) for _, law in system.classes)
    points = sorted(
        {centre}
        | {number(law.mean()) * t + z * widest for _, law in system.classes for z in (-16, -8, -4, -2, 0, 2, 4, 8, 16, 40)}
    )

    def product(side, x):
        result = mpf(1)
        for n, law in system.classes:
            result *= getattr(law, side)(t, x) ** n
        return result

    upper = [x for x in points if x >= centre]
    lower = [x for x in points if x <= centre]
    high = quad(lambda x: 1 - product("below", x), upper) - quad(lambda x: product("below", x), lower)
    low = quad(lambda x: 1 - product("above", x), lower) - quad(lambda x: product("above", x), upper)
    return high, low


def legendre(n):
    """Nodes and weights of Gauss and Legendre, by Newton's method."""
    rule = []
    for i in range(n):
        x = math.cos(math.pi * (i + 0.75) / (n + 0.5))
        for _ in range(9):
            p, q = 1.0, x
            for k in range(2, n + 1):
                p, q = q, ((2 * k - 1) * x * q - (k - 1) * p) / k
            slope = n * (x * q - p) / (x * x - 1)
            x -= q / slope
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule


RULE = legendre(24)


@cache
def kappa(n):
    """E max |Z_i - mean Z|, in doubles: sqrt(2 pi N) times the density at 0 of the sum of N values
    within [-x, x] is the probability that the largest is at most x; its Fourier series with a period
    of 2 N x is exact."""
    if n == 2:
        return 1 / sqrt(pi)

    def inside(x):
        panels = 2
        total, k = 0.5 * math.erf(x / math.sqrt(2)) ** n, 1
        step = math.pi / min(n * x, 12 * math.sqrt(n))
        while True:
            u = step * k
            panels = 1 + int(u * x / 12)
            nodes = [(x * (j + 0.5 + 0.5 * z) / panels, w) for j in range(panels) for z, w in RULE]
            wave = sum(w * math.exp(-z * z / 2) * math.cos(u * z) for z, w in nodes)
            total += (wave * x / panels / math.sqrt(2 * math.pi)) ** n
            if min(1.0, math.exp(-u * u / 2) + math.exp(-x * x / 2) / u) ** n < 1e-17:
                return math.sqrt(2 * math.pi * n) / math.pi * step * total
            k += 1

    total = 0.0
    for j in range(9):
        total += sum(0.5 * w * (1 - inside(j + 0.5 + 0.5 * z)) for z, w in RULE)
    return mpf(total)


def step_by_step(system, bound, excess, last=4000):
    """Largest T with excess(t) <= bound * average for t = 1..T, and the ratios next to it."""
    before = mpf(0)
    for t in range(1, last):
        average = system.average(t)
        if average <= 0:
            return t - 1, None
        ratio = number(excess(t)) / average
        if ratio > mpf(bound):
            return t - 1, (t - 1) + (mpf(bound) - before) / (ratio - before)
        before = ratio
    raise ValueError("no crossing")


def first_root(f, last=10**7):
    """First sign change of f from negative, at real times."""
    t, ahead = mpf(0), mpf("0.01")
    while f(t + ahead) < 0:
        t, ahead = t + ahead, ahead * mpf("1.1")
        if t > last:
            return None
    return findroot(f, (t, t + ahead), solver="anderson", tol=mpf(10) ** -32, maxsteps=200)


def method(expect, name, interval, real):
    expect[f"/methods/{name}/interval"] = interval
    if real is not None or interval is None:
        expect[f"/methods/{name}/real"] = show(real)


def real_time(expect, name, root):
    method(expect, name, None if root is None else int(mp.floor(root)), root)


def closed_forms(expect, system, bound):
    law, n = system.classes[0][1], mpf(system.n)
    root = sqrt(2 * log(n))
    alpha = root - (log(log(n)) + log(4 * pi)) / (2 * root) + mp.euler / root
    factors = {"distribution_free": (n - 1) / sqrt(2 * n - 1), "normal_extremes": alpha, "gaussian_abs": kappa(system.n)}
    for name, factor in factors.items():
        f = lambda t: factor * sqrt(number(law.variance()) * t) - mpf(bound) * system.average(t)
        real_time(expect, name, falling(system, f))


def falling(system, f):
    if system.mean < 0:
        end = number(system.w / -system.mean)
        g = lambda t: f(t) if t < end else mpf(1)
        return first_root(g, end)
    return first_root(f)


def rms(system, bound, name, spread=None):
    a, b = number(system.a if spread is None else spread), number(system.b)
    f = lambda t: sqrt(a * t + b * t * t) - mpf(bound) * system.average(t)
    return name, falling(system, f)


def case(text, expect):
    CASES.append({"model": text, "expect": expect})
    print(json.dumps(CASES[-1]), file=sys.stderr, flush=True)


def max_deviation(system, bound, exact=None, order=None, closed=False, times=()):
    expect = {}
    if exact == "steps":
        method(expect, "exact", *step_by_step(system, bound, lambda t: largest_deviation(system, t)))
    if exact == "normal":
        factor = kappa(system.n) * number(system.classes[0][1].s)
        root = falling(system, lambda t: factor * sqrt(t) - mpf(bound) * system.average(t))
        real_time(expect, "exact", root)
    if order == "steps":
        both = step_by_step(system, bound, lambda t: max(extremes(system, t)))
        method(expect, "order_statistics", *both)
        method(expect, "order_statistics_one_sided", *step_by_step(system, bound, lambda t: extremes(system, t)[0]))
    if order == "real":
        for name, pick in (("order_statistics", max), ("order_statistics_one_sided", lambda pair: pair[0])):
            f = lambda t: pick(extremes(system, t)) - mpf(bound) * system.average(t)
            steps, _ = step_by_step(system, bound, lambda t: pick(extremes(system, t)))
            root = findroot(f, (steps + mpf("1e-9"), steps + 1), solver="anderson", tol=mpf(10) ** -26)
            method(expect, name, steps, root)
    if order == "never":
        expect["/methods/order_statistics/interval"] = None
    for t in times:
        if exact == "steps":
            value = largest_deviation(system, t)
        else:
            value = factor * sqrt(t)
        expect[f"/deviation/{t}"] = show(number(value) / system.average(t))
    if closed:
        closed_forms(expect, system, bound)
    name, root = rms(system, bound, "rms_bound")
    real_time(expect, name, root)
    case(system.model(f"MaxDeviation({bound})"), expect)


def rms_deviation(system, bound, rows=None):
    spread, extra = None, ""
    if rows:
        entries = [[Q(x) for x in row] for row in rows]
        n = len(rows)
        spread = sum(entries[i][i] for i in range(n)) - sum(map(sum, entries)) / Q(n)
        extra = "covariance: [%s], " % ", ".join("[%s]" % ", ".join(row) for row in rows)
    expect = {}
    real_time(expect, *rms(system, bound, "closed_form", spread))
    case(system.model(f"RmsDeviation({bound})", extra), expect)


def cost_aware(system, cost, bound="0.2", last=60):
    total, best = Q(cost), None
    for n in range(1, last):
        rise = extremes(system, n)[0]
        total += Q(rise) if isinstance(rise, Q) else rise
        rate = number(total) / n if isinstance(total, Q) else total / n
        if best is None or rate < best[1]:
            best = (n, rate, number(rise) / system.average(n))
    assert best[0] < last - 5
    n, rate, tolerance = best
    expect = {
        "/cost_aware/interval": n,
        "/cost_aware/cost_per_step": show(rate),
        "/cost_aware/tolerance_max_over_mean": show(tolerance),
    }
    if all(isinstance(law, Steps) for _, law in system.classes):
        expect["/cost_aware/tolerance_max_deviation"] = show(number(largest_deviation(system, n)) / system.average(n))
    case(system.model(f"MaxDeviation({bound})", f"remap_cost: {cost}, "), expect)


def write():
    print(json.dumps(CASES, indent=1))


def all_cases():
    lazy = Steps({"-1": "0.25", "0": "0.5", "1": "0.25"})
    skew = Steps({"-1": "0.3", "0": "0.5", "2": "0.2"})
    half = Steps({"-0.5": "0.25", "0": "0.25", "0.25": "0.5"})
    coin = Steps({"0": "0.5", "1": "0.5"})
    down = Steps({"-2": "0.125", "-1": "0.25", "0": "0.625"})
    # Theorems 4.1 and 4.2, the Gaussian one-liner: moments alone.
    max_deviation(System("100", [(64, Moments("0", "0.5"))]), "0.07", closed=True)
    max_deviation(System("80", [(10, Moments("0.3", "1.7"))]), "0.11", closed=True)
    max_deviation(System("250", [(17, Moments("-0.4", "2.25"))]), "0.08", closed=True)
    max_deviation(System("40", [(100, Moments("1.5", "0.3"))]), "0.3", closed=True)
    max_deviation(System("500", [(2, Moments("0.01", "3"))]), "0.05", closed=True)
    max_deviation(System("1000", [(400, Moments("0", "9"))]), "0.045", closed=True)
    # Problem P_II.
    rms_deviation(System("100", [(64, Moments("0", "0.5"))]), "0.35")
    rms_deviation(System("100", [(1, Moments("0.1", "1")), (1, Moments("0.3", "1"))]), "0.3")
    rms_deviation(System("60", [(3, Moments("0.5", "0.2")), (5, Moments("-0.25", "1"))]), "0.4")
    rms_deviation(System("60", [(4, Exponential("1")), (4, Gamma("2", "3"))]), "2")
    rms_deviation(System("80", [(9, Normal("-0.2", "1.5"))]), "0.25")
    rms_deviation(
        System("100", [(3, Moments("0.1", "1"))]), "0.1",
        [["1", "-0.4", "0.2"], ["-0.4", "1", "0"], ["0.2", "0", "1"]],
    )
    rms_deviation(
        System("50", [(1, Moments("0.2", "1")), (1, Moments("0", "2"))]), "0.15", [["1", "0.9"], ["0.9", "2"]]
    )
    # Walks on lattices.
    max_deviation(System("40", [(8, lazy)]), "0.1", exact="steps", order="steps", closed=True, times=(1, 4))
    max_deviation(System("25", [(16, lazy)]), "0.12", exact="steps", times=(2,))
    max_deviation(System("25", [(5, skew)]), "0.25", exact="steps", order="steps")
    max_deviation(System("30", [(3, down)]), "0.2", exact="steps", order="steps")
    max_deviation(System("12", [(2, coin)]), "0.05", exact="steps", order="steps", times=(1, 5))
    max_deviation(System("50", [(6, lazy)], ["1", "1", "1", "2", "2", "4"]), "0.03", exact="steps", times=(1, 2))
    max_deviation(System("20", [(3, lazy), (2, skew)]), "0.2", exact="steps", order="steps", times=(1, 2))
    max_deviation(System("30", [(2, half), (2, coin), (1, down)]), "0.1", exact="steps", order="steps", times=(1,))
    # The interval of least cost.
    cost_aware(System("50", [(4, lazy)]), "6")
    cost_aware(System("80", [(3, skew), (2, lazy)]), "10")
    cost_aware(System("100", [(8, Exponential("0.5"))]), "9")
    cost_aware(System("100", [(16, Normal("0.1", "1"))]), "20")
    # Normal changes.
    max_deviation(System("100", [(64, Normal("0", "1"))]), "0.06", exact="normal", order="real", closed=True, times=(1, 3))
    max_deviation(System("60", [(9, Normal("0.2", "0.7"))]), "0.05", exact="normal", order="real", times=(2,))
    max_deviation(System("90", [(12, Normal("-0.5", "1.1"))]), "0.1", exact="normal", order="real", closed=True)
    max_deviation(System("100", [(2, Normal("0.1", "2"))]), "0.04", exact="normal", order="real")
    # Theorem 4.3: exponential and gamma changes.
    max_deviation(System("100", [(64, Exponential("0.5"))]), "0.05", order="real", closed=True)
    max_deviation(System("70", [(10, Exponential("2"))]), "0.12", order="real")
    max_deviation(System("30", [(24, Gamma("0.35", "0.4"))]), "0.1", order="real")
    max_deviation(System("200", [(7, Gamma("2.5", "3"))]), "0.045", order="real")
    max_deviation(System("100", [(200, Gamma("30", "1.25"))]), "0.02", order="real")
    max_deviation(System("100", [(64, Exponential("0.5"))]), "0.09", order="never")
    # Theorem 6.1: unequal laws.
    max_deviation(System("120", [(4, Exponential("0.5")), (8, Gamma("3", "0.75"))]), "0.06", order="real")
    max_deviation(System("150", [(5, Normal("0.3", "1")), (6, Normal("-0.1", "0.5"))]), "0.05", order="real")
    max_deviation(System("100", [(3, Exponential("1")), (2, Normal("0.4", "1.5"))]), "0.08", order="real")


if __name__ == "__main__":
    all_cases()
    write()
