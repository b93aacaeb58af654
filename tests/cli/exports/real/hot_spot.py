# A chare array whose hot spot moves: chares near it take four times as long. They wait, as for a device: the balancer
# measures the same, and other programs on the machine hardly lengthen it.
# `period=N` is the number of iterations between calls of AtSync().
import sys
import time

from charm4py import Array, Chare, charm

ITERATIONS, CHARES, COLD = 200, 24, 0.001
period = int(next(word for word in sys.argv if word.startswith("period="))[7:])


class Cell(Chare):
    def __init__(self):
        self.iteration = 0

    def work(self):
        spot = CHARES * self.iteration / ITERATIONS
        distance = abs(self.thisIndex[0] - spot) % CHARES
        is_hot = min(distance, CHARES - distance) < CHARES / 6
        time.sleep(COLD * (4 if is_hot else 1))
        self.iteration += 1
        if self.iteration == ITERATIONS:
            self.reduce(charm.thisProxy.exit)
        elif self.iteration % period == 0:
            self.AtSync()
        else:
            self.thisProxy[self.thisIndex].work()

    def resumeFromSync(self):
        self.thisProxy[self.thisIndex].work()


def main(args):
    Array(Cell, CHARES, useAtSync=True).work()


charm.start(main)
