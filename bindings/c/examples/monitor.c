/* A program whose cycles become slower all at once, and that notices. */
#include "remap.h"

#include <stdio.h>

int main(void)
{
    /* A job of 400 clusters of cycles; a phase that changes once in 100 of them; remapping takes as long as 20. */
    remap_phase_change problem = {.last_step = 400, .hazard = 0.01, .before = 1, .after = 2,
                                  .remapped = 1, .test = 20, .false_alarm = 0.05, .missed = 0.05,
                                  .before_remapped = -1};
    remap_monitor *monitor = NULL;
    if (remap_monitor_new(&problem, 4, 5, &monitor) != REMAP_OK) {
        fprintf(stderr, "%s\n", remap_last_error());
        return 1;
    }
    for (int cycle = 0; cycle < 4000; ++cycle) {
        double seconds = (cycle < 2000 ? 1.0 : 1.5) + 0.01 * (cycle * 7 % 11);
        remap_decision decision;
        if (remap_monitor_observe(monitor, seconds, &decision) != REMAP_OK)
            return 1;
        if (decision.remap) {
            printf("cycle %d: the phase has changed with probability %.3f\n", cycle,
                   decision.belief);
            remap_monitor_remapped(monitor);
            break;
        }
    }
    remap_monitor_free(monitor);
    return 0;
}
