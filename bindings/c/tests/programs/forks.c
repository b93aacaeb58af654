/* A child of a process that has computed computes, too: no thread of the library is left in either. */
#include "remap.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int computes(void)
{
    static double times[4 * 600];
    remap_phase_change problem = {.last_step = 400, .hazard = 0.01, .before = 1, .after = 2,
                                  .remapped = 1, .test = 20, .false_alarm = 0.05, .missed = 0.05,
                                  .before_remapped = -1};
    remap_monitor *monitor = NULL;
    remap_controller *controller = NULL;
    int status;

    for (int at = 0; at < 4 * 600; ++at)
        times[at] = 1 + (at * 7 % 11) * 0.1;
    status = remap_monitor_new(&problem, 2, 5, &monitor);
    status += remap_controller_train("solved", 2, times, 4, 600, 100, &controller);
    remap_monitor_free(monitor);
    remap_controller_free(controller);
    return status;
}

int main(void)
{
    int status = 0;
    pid_t child;

    if (computes())
        return 1;
    child = fork();
    if (child == 0) {
        alarm(60);
        _exit(computes());
    }
    waitpid(child, &status, 0);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
