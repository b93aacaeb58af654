// What a reduction throws reaches the caller, and the step is not taken in.
#include <remap.hpp>

#include <cstring>
#include <iostream>

static int throws(void *context, double *, std::size_t, remap_operation) {
    throw std::runtime_error(static_cast<const char *>(context));
}

// The other rank hands over the same.
static int doubles(void *, double *values, std::size_t count, remap_operation operation) {
    for (std::size_t i = 0; i < count && operation == REMAP_SUM; ++i)
        values[i] *= 2;
    return 0;
}

int main() {
    char words[] = "the other ranks are gone";
    for (const char *policy : {"menon", "advised"}) {
        remap::controller controller(policy, 1.0);
        const std::string before = controller.save();
        bool caught = false;
        try {
            controller.step_local(1.0, 0, 2, throws, words);
        } catch (const std::runtime_error &thrown) {
            caught = std::strcmp(thrown.what(), words) == 0;
        }
        if (!caught || controller.save() != before) {
            std::cout << policy << ": not as it was\n";
            return 1;
        }
        controller.step_local(1.0, 0, 2, doubles, nullptr);
    }
}
