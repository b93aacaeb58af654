// Plays recorded runs and compares every decision with that of `remap replay`.
#include "remap.hpp"

#include <fstream>
#include <iostream>

int main(int count, char **arguments) {
    if (count < 2)
        return 3;
    std::ifstream file(arguments[1]);
    std::string policy;
    long runs = 0, played = 0, differ = 0;
    file >> policy >> runs;
    for (long run = 0; run < runs; ++run) {
        std::size_t ranks, training, steps;
        double cost;
        file >> ranks >> training >> steps >> cost;
        std::vector<double> past(ranks * training), times(ranks);
        for (double &time : past)
            file >> time;
        remap::controller controller =
            training ? remap::controller::trained(policy, cost, past, ranks,
                                                  static_cast<std::int64_t>(steps))
                     : remap::controller(policy, cost);
        if (training == 0)
            controller.steps_left(steps);
        for (std::size_t step = 0; step < steps; ++step) {
            bool expected;
            for (double &time : times)
                file >> time;
            if (!(file >> expected))
                return 3;
            const bool remap = controller.step(times);
            ++played;
            differ += step + 1 < steps && remap != expected;
            if (expected)
                controller.remapped(cost);
            if (step == steps / 2)
                controller = remap::controller::restored(controller.save());
        }
    }
    std::cout << policy << ": " << runs << " runs, " << played << " steps, " << differ
              << " decisions differ\n";
    return differ != 0;
}
