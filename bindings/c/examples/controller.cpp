// A program of four ranks, one of which slows down, that rebalances itself and survives a restart.
#include <remap.hpp>

#include <iostream>

int main() {
    std::vector<double> loads(4, 1.0);
    remap::controller controller("advised", 2.0);
    int remaps = 0;
    for (int step = 0; step < 200; ++step) {
        loads[3] += 0.05;
        if (controller.step(loads)) {
            double mean = 0;
            for (double load : loads)
                mean += load / 4;
            loads.assign(4, mean);
            controller.remapped(2.0);
            ++remaps;
        }
        if (step == 100) // a checkpoint
            controller = remap::controller::restored(controller.save());
    }
    try {
        controller.step(std::vector<double>(5, 1.0));
    } catch (const remap::error &wrong) {
        std::cout << wrong.what() << "\n";
    }
    std::cout << remaps << " remaps\n";
}
