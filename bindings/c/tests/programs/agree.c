/* Plays recorded runs and compares every decision with that of `remap replay`. Half way it saves the controller, ends
 * it, and goes on with a restored one. */
#include "remap.h"

#include <stdio.h>
#include <stdlib.h>

struct step {
    const double *times;
    size_t ranks;
};

/* A reduction over ranks that are all here. */
static int reduce(void *context, double *values, size_t count, remap_operation operation)
{
    const struct step *step = context;
    double sum = 0, max = step->times[0], min = step->times[0];
    for (size_t rank = 0; rank < step->ranks; ++rank) {
        sum += step->times[rank];
        if (step->times[rank] > max)
            max = step->times[rank];
        if (step->times[rank] < min)
            min = step->times[rank];
    }
    if (operation == REMAP_MAX) {
        values[0] = max;
        values[1] = -min;
    } else if (count == 1) {
        values[0] = sum;
    } else {
        for (size_t rank = 0; rank < count; ++rank)
            values[rank] = step->times[rank];
    }
    return 0;
}

static void check(remap_status status)
{
    if (status != REMAP_OK) {
        fprintf(stderr, "%s\n", remap_last_error());
        exit(2);
    }
}

static remap_controller *again(remap_controller *controller)
{
    char *text = NULL;
    remap_controller *other = NULL;
    check(remap_controller_save(controller, &text));
    remap_controller_free(controller);
    check(remap_controller_restore(text, &other));
    remap_text_free(text);
    return other;
}

static double number(FILE *file)
{
    double value;
    if (fscanf(file, "%lf", &value) != 1)
        exit(3);
    return value;
}

int main(int count, char **arguments)
{
    char policy[64];
    FILE *file = count > 1 ? fopen(arguments[1], "r") : NULL;
    if (!file || fscanf(file, "%63s", policy) != 1)
        return 3;
    long runs = (long)number(file), steps_played = 0, differ = 0;
    for (long run = 0; run < runs; ++run) {
        size_t ranks = (size_t)number(file), training = (size_t)number(file);
        size_t steps = (size_t)number(file);
        double cost = number(file);
        double *times = malloc(ranks * (training + 1) * sizeof *times);
        /* Of these the second is fed with what a program knows that gathers nothing, the third by reductions. */
        remap_controller *controllers[3] = {NULL, NULL, NULL};
        if (!times)
            return 3;
        for (size_t i = 0; i < ranks * training; ++i)
            times[i] = number(file);
        for (int k = 0; k < 3; ++k)
            if (training)
                check(remap_controller_train(policy, cost, times, ranks, training, (int64_t)steps,
                                             &controllers[k]));
            else {
                check(remap_controller_new(policy, cost, &controllers[k]));
                check(remap_controller_steps_left(controllers[k], steps));
            }
        for (size_t step = 0; step < steps; ++step) {
            double sum = 0, max = 0;
            bool remap[3] = {false, false, false}, last = step + 1 == steps;
            for (size_t rank = 0; rank < ranks; ++rank) {
                times[rank] = number(file);
                sum += times[rank];
                if (rank == 0 || times[rank] > max)
                    max = times[rank];
            }
            bool expected = number(file) != 0;
            struct step context = {times, ranks};
            check(remap_controller_step_times(controllers[0], times, ranks, &remap[0]));
            if (remap_controller_needs(controllers[1]) == REMAP_NEEDS_MAX_MEAN)
                check(remap_controller_step(controllers[1], max, sum / (double)ranks, &remap[1]));
            else
                check(remap_controller_step_times(controllers[1], times, ranks, &remap[1]));
            check(remap_controller_step_local(controllers[2], times[step % ranks], step % ranks, ranks,
                                              reduce, &context, &remap[2]));
            ++steps_played;
            for (int k = 0; k < 3; ++k) {
                /* After the last step nobody remaps. */
                differ += !last && remap[k] != expected;
                if (expected)
                    check(remap_controller_remapped(controllers[k], cost));
                if (step == steps / 2)
                    controllers[k] = again(controllers[k]);
            }
        }
        for (int k = 0; k < 3; ++k)
            remap_controller_free(controllers[k]);
        free(times);
    }
    fclose(file);
    printf("%s: %ld runs, %ld steps, %ld decisions differ\n", policy, runs, steps_played, differ);
    return differ != 0;
}
