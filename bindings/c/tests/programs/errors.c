/* What callers get wrong comes back as a code and a sentence, and changes nothing. */
#include "remap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define EXPECT(call, status, words)                                                                \
    do {                                                                                           \
        remap_status found = (call);                                                               \
        if (found != (status) || !strstr(remap_last_error(), words)) {                             \
            printf("line %d: %d, `%s`\n", __LINE__, (int)found, remap_last_error());               \
            ++failures;                                                                            \
        }                                                                                          \
    } while (0)

#define OK(call) EXPECT(call, REMAP_OK, "")

static int refuses(void *context, double *values, size_t count, remap_operation operation)
{
    (void)context, (void)values, (void)count, (void)operation;
    return 7;
}

/* Of one rank alone. */
static int alone(void *context, double *values, size_t count, remap_operation operation)
{
    (void)context, (void)values, (void)count, (void)operation;
    return 0;
}

static void controllers(void)
{
    remap_controller *rule = NULL, *other = NULL, *advised = NULL;
    double times[8] = {1, 1, 1, 2, 1, 3, 1, 4};
    double wrong[2] = {1, NAN};
    bool remap = false;
    char *text = NULL, *later = NULL;

    EXPECT(remap_controller_new(NULL, 1, &rule), REMAP_NULL, "policy");
    EXPECT(remap_controller_new("never", 1, NULL), REMAP_NULL, "controller");
    EXPECT(remap_controller_new("nerve", 1, &rule), REMAP_ARGUMENT, "`nerve` is not a policy");
    EXPECT(remap_controller_new("\xff", 1, &rule), REMAP_ARGUMENT, "UTF-8");
    EXPECT(remap_controller_new("fixed:0", 1, &rule), REMAP_ARGUMENT, "at least 1 step");
    EXPECT(remap_controller_new("threshold", 1, &rule), REMAP_ARGUMENT, "train it");
    EXPECT(remap_controller_new("menon", NAN, &rule), REMAP_ARGUMENT, "cannot cost NaN");
    EXPECT(remap_controller_new("menon", -1, &rule), REMAP_ARGUMENT, "cannot cost -1");
    EXPECT(remap_controller_train("advised", 1, NULL, 2, 4, -1, &rule), REMAP_NULL, "times");
    EXPECT(remap_controller_train("advised", 1, times, 2, 3, -1, &rule), REMAP_SIZE, "too few");
    EXPECT(remap_controller_train("advised", 1, times, 1, 8, -1, &rule), REMAP_SIZE, "two");
    EXPECT(remap_controller_train("advised", 1, times, SIZE_MAX, 2, -1, &rule), REMAP_SIZE, "many");
    EXPECT(remap_controller_train("advised", 1, times, SIZE_MAX, 1, -1, &rule), REMAP_SIZE, "many");
    EXPECT(remap_controller_restore("{}", &rule), REMAP_ARGUMENT, "not a stored controller");
    EXPECT(remap_controller_restore(NULL, &rule), REMAP_NULL, "text");
    if (rule)
        ++failures;

    OK(remap_controller_new("threshold:0.5", 1, &rule));
    OK(remap_controller_step(rule, 1, 1, &remap));
    EXPECT(remap_controller_step(NULL, 1, 1, &remap), REMAP_NULL, "controller");
    EXPECT(remap_controller_step(rule, 1, 1, NULL), REMAP_NULL, "remap");
    EXPECT(remap_controller_step(rule, NAN, 1, &remap), REMAP_ARGUMENT, "max = NaN");
    EXPECT(remap_controller_step(rule, INFINITY, 1, &remap), REMAP_ARGUMENT, "max = inf");
    EXPECT(remap_controller_step(rule, 1, 2, &remap), REMAP_ARGUMENT, "mean = 2");
    EXPECT(remap_controller_step_times(rule, wrong, 2, &remap), REMAP_ARGUMENT, "rank 1");
    wrong[1] = -1;
    EXPECT(remap_controller_step_times(rule, wrong, 2, &remap), REMAP_ARGUMENT, "rank 1");
    EXPECT(remap_controller_step(rule, -1, -2, &remap), REMAP_ARGUMENT, "max = -1");
    EXPECT(remap_controller_step(rule, 1, -1, &remap), REMAP_ARGUMENT, "mean = -1");
    EXPECT(remap_controller_step_local(rule, -1, 0, 1, alone, NULL, &remap), REMAP_ARGUMENT,
           "negative");
    EXPECT(remap_controller_step_local(rule, NAN, 0, 1, alone, NULL, &remap), REMAP_ARGUMENT,
           "not finite");
    EXPECT(remap_controller_train("advised", 1, wrong, 2, 1, -1, &other), REMAP_ARGUMENT,
           "negative");
    EXPECT(remap_controller_step_times(rule, NULL, 2, &remap), REMAP_NULL, "times");
    EXPECT(remap_controller_step_times(rule, NULL, 0, &remap), REMAP_SIZE, "at least one");
    EXPECT(remap_controller_remapped(rule, INFINITY), REMAP_ARGUMENT, "cannot cost inf");
    EXPECT(remap_controller_remapped(rule, 1e200), REMAP_ARGUMENT, "too large");
    EXPECT(remap_controller_step(rule, 1e200, 1, &remap), REMAP_ARGUMENT, "too large");
    times[3] = 1e200;
    EXPECT(remap_controller_step_times(rule, times, 4, &remap), REMAP_ARGUMENT, "too large");
    EXPECT(remap_controller_train("advised", 1, times, 2, 4, -1, &other), REMAP_ARGUMENT, "large");
    times[3] = 2;
    EXPECT(remap_controller_step_local(rule, 1, 0, 1, NULL, NULL, &remap), REMAP_NULL, "reduce");
    EXPECT(remap_controller_step_local(rule, 1, 1, 1, refuses, NULL, &remap), REMAP_SIZE, "rank 1");
    EXPECT(remap_controller_step_local(rule, 1, 0, 1, refuses, NULL, &remap), REMAP_REDUCTION, "7");
    if (!isnan(remap_controller_remap_cost(rule)) || !isnan(remap_controller_remap_cost(NULL)))
        ++failures;
    OK(remap_controller_remapped(rule, 2));
    OK(remap_controller_remapped(rule, NAN));
    OK(remap_controller_remapped(rule, 4));
    if (remap_controller_remap_cost(rule) != 3)
        ++failures;

    OK(remap_controller_new("advised", 1, &advised));
    if (remap_controller_needs(advised) != REMAP_NEEDS_TIMES)
        ++failures;
    EXPECT(remap_controller_step(advised, 1, 1, &remap), REMAP_NEEDS_OTHER, "every rank");
    EXPECT(remap_controller_step_local(advised, 1, 0, SIZE_MAX, refuses, NULL, &remap), REMAP_SIZE,
           "too many");
    EXPECT(remap_controller_step_local(advised, 1, 0, SIZE_MAX / 16 + 1, refuses, NULL, &remap),
           REMAP_SIZE, "too many");
    OK(remap_controller_step_times(advised, times, 4, &remap));
    OK(remap_controller_save(advised, &text));
    EXPECT(remap_controller_step_times(advised, times, 8, &remap), REMAP_SIZE, "8 times");
    EXPECT(remap_controller_step_local(advised, -1, 0, 4, alone, NULL, &remap), REMAP_ARGUMENT,
           "rank 0");
    OK(remap_controller_save(advised, &later));
    if (strcmp(text, later) != 0)
        ++failures;
    /* What is cut off is refused. */
    text[strlen(text) / 2] = '\0';
    EXPECT(remap_controller_restore(text, &other), REMAP_ARGUMENT, "not a stored controller");
    OK(remap_controller_restore(later, &other));
    EXPECT(remap_controller_save(other, NULL), REMAP_NULL, "text");
    EXPECT(remap_controller_steps_left(NULL, 1), REMAP_NULL, "controller");
    OK(remap_controller_steps_left(other, 1));
    remap_text_free(text);
    remap_text_free(later);
    remap_text_free(NULL);
    remap_controller_free(rule);
    remap_controller_free(other);
    remap_controller_free(advised);
    remap_controller_free(NULL);
}

static void monitors(void)
{
    remap_phase_change problem = {.last_step = 80, .hazard = 0.01, .before = 1, .after = 2,
                                  .remapped = 1, .test = 5, .false_alarm = 0.05, .missed = 0.05,
                                  .before_remapped = -1};
    remap_phase_change wrong = problem;
    remap_phase_switching phases = {.cycle = {{1, 2}, {3, 1}}, .switch_cost = {4, 4},
                                    .rates = {0.02, 0.05}};
    double before[3] = {0.9, 0.05, 0.05}, after[3] = {0.1, 0.4, 0.5}, half[2] = {0.5, 0.4};
    remap_monitor *monitor = NULL, *other = NULL;
    remap_decision decision;
    char *text = NULL;

    wrong.hazard = 2;
    EXPECT(remap_monitor_new(NULL, 1, 2, &monitor), REMAP_NULL, "problem");
    EXPECT(remap_monitor_new(&problem, 1, 2, NULL), REMAP_NULL, "monitor");
    EXPECT(remap_monitor_new(&problem, 1, 1, &monitor), REMAP_ARGUMENT, "2 batches");
    EXPECT(remap_monitor_new(&wrong, 1, 2, &monitor), REMAP_ARGUMENT, "[0, 1]");
    wrong = problem;
    wrong.after = -2;
    EXPECT(remap_monitor_new(&wrong, 1, 2, &monitor), REMAP_ARGUMENT, "`after` is -2");
    wrong = problem;
    wrong.install = -1;
    EXPECT(remap_monitor_new(&wrong, 1, 2, &monitor), REMAP_ARGUMENT, "cannot be negative");
    phases.cycle[1][0] = -3;
    EXPECT(remap_monitor_new_switching(&phases, before, after, 3, &monitor), REMAP_ARGUMENT,
           "cannot be negative");
    phases.cycle[1][0] = 3;
    wrong.hazard = NAN;
    EXPECT(remap_monitor_new(&wrong, 1, 2, &monitor), REMAP_ARGUMENT, "`hazard` is NaN");
    EXPECT(remap_monitor_new_levels(&problem, before, half, 2, &monitor), REMAP_ARGUMENT, "");
    EXPECT(remap_monitor_new_levels(&problem, NULL, after, 3, &monitor), REMAP_NULL, "before");

    OK(remap_monitor_new(&problem, 2, 2, &monitor));
    EXPECT(remap_monitor_observe(monitor, NAN, &decision), REMAP_ARGUMENT, "NaN");
    EXPECT(remap_monitor_report(monitor, 0, &decision), REMAP_NEEDS_OTHER, "measurements");
    OK(remap_monitor_observe(monitor, 1, &decision));
    if (decision.decided || decision.remap)
        ++failures;
    OK(remap_monitor_save(monitor, &text));
    OK(remap_monitor_restore(text, &other));
    EXPECT(remap_monitor_restore("[]", &other), REMAP_ARGUMENT, "not a stored monitor");
    /* Of a belief p and 1 - p, p is the first. */
    strstr(text, "\"changed\":0.0")[strlen("\"changed\":")] = '7';
    EXPECT(remap_monitor_restore(text, &other), REMAP_ARGUMENT, "belief is not a probability");
    remap_text_free(text);
    remap_monitor_free(monitor);
    remap_monitor_free(other);

    OK(remap_monitor_new_levels(&problem, before, after, 3, &monitor));
    EXPECT(remap_monitor_report(monitor, 3, &decision), REMAP_SIZE, "from 0 to 2");
    EXPECT(remap_monitor_observe(monitor, 1, &decision), REMAP_NEEDS_OTHER, "reports");
    OK(remap_monitor_remapped(monitor));
    remap_monitor_free(monitor);

    OK(remap_monitor_new_switching(&phases, before, after, 3, &monitor));
    OK(remap_monitor_report(monitor, 2, &decision));
    remap_monitor_free(monitor);
    remap_monitor_free(NULL);
}

static void fits(void)
{
    remap_fit *fit = NULL, *other = NULL;
    remap_controller *controller = NULL;
    remap_fit_summary_t summary;
    double numbers[REMAP_FIT_NUMBERS];
    char *text = NULL;

    EXPECT(remap_fit_new(NULL), REMAP_NULL, "fit");
    OK(remap_fit_new(&fit));
    EXPECT(remap_fit_step(fit, NAN, 1), REMAP_ARGUMENT, "NaN");
    EXPECT(remap_fit_step(fit, 1e200, 1), REMAP_ARGUMENT, "too large");
    EXPECT(remap_fit_step(fit, -1, 1), REMAP_ARGUMENT, "negative");
    EXPECT(remap_fit_step(fit, 1, -1), REMAP_ARGUMENT, "negative");
    EXPECT(remap_fit_step(NULL, 1, 1), REMAP_NULL, "fit");
    EXPECT(remap_fit_controller(fit, 1, &controller), REMAP_SIZE, "2 ranks");
    for (int step = 0; step < 40; ++step)
        OK(remap_fit_step(fit, 1 + 0.1 * step, 1 + 0.05 * step));
    OK(remap_fit_remapped(fit, 3));
    EXPECT(remap_fit_pack(fit, numbers, 3), REMAP_SIZE, "3 numbers");
    EXPECT(remap_fit_pack(fit, NULL, REMAP_FIT_NUMBERS), REMAP_NULL, "numbers");
    OK(remap_fit_pack(fit, numbers, REMAP_FIT_NUMBERS));
    OK(remap_fit_save(fit, &text));
    OK(remap_fit_restore(text, &other));
    remap_text_free(text);
    OK(remap_fit_merge(fit, numbers, REMAP_FIT_NUMBERS));
    EXPECT(remap_fit_merge(fit, numbers, 1), REMAP_SIZE, "1 numbers");
    numbers[0] = NAN;
    EXPECT(remap_fit_merge(fit, numbers, REMAP_FIT_NUMBERS), REMAP_ARGUMENT, "remap_fit_pack");
    OK(remap_fit_summary(fit, &summary));
    if (summary.ranks != 2 || summary.steps != 80 || summary.remap_cost != 3)
        ++failures;
    EXPECT(remap_fit_model(fit, NAN, &text), REMAP_ARGUMENT, "cannot cost");
    OK(remap_fit_model(fit, 3, &text));
    remap_text_free(text);
    OK(remap_fit_controller(fit, 3, &controller));
    remap_controller_free(controller);
    remap_fit_free(fit);
    remap_fit_free(other);
    remap_fit_free(NULL);
}

int main(void)
{
    controllers();
    monitors();
    fits();
    printf("%d failures\n", failures);
    return failures != 0;
}
