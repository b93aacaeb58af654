/* The C interface of remapping; see README.md. Written by cbindgen: REMAP_UPDATE_HEADER=1 cargo test header
 *
 * What threads may do at once: call any functions with different handles, and functions that take a pointer to a const
 * handle with the same one. All other calls with one handle must not overlap, neither with each other nor with those:
 * the caller waits for one to return before the next begins, from whichever thread. A handle may go from one thread to
 * another. remap_last_error is of the calling thread alone. A reduction is called by the thread that called the library,
 * before that call returns. No call leaves a thread behind. */

#ifndef REMAP_H
#define REMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of this header, as remap_version() says it of the library. */
#define REMAP_VERSION "0.1.0"
#define REMAP_VERSION_MAJOR 0
#define REMAP_VERSION_MINOR 1
#define REMAP_VERSION_PATCH 0

/**
 * How many numbers remap_fit_pack writes.
 */
#define REMAP_FIT_NUMBERS 15

/**
 * What a call came to. Anything but REMAP_OK leaves outputs and handles as they were, and remap_last_error says
 * what is wrong.
 */
typedef enum remap_status {
  /**
   * All is well.
   */
  REMAP_OK = 0,
  /**
   * A pointer is NULL that must not be.
   */
  REMAP_NULL = 1,
  /**
   * A number, a name or a text is not what it should be.
   */
  REMAP_ARGUMENT = 2,
  /**
   * There are more or fewer numbers than there should be.
   */
  REMAP_SIZE = 3,
  /**
   * The policy or the monitor needs to be told something else of a step.
   */
  REMAP_NEEDS_OTHER = 4,
  /**
   * The caller's reduction failed.
   */
  REMAP_REDUCTION = 5,
  /**
   * A bug of the library.
   */
  REMAP_BUG = 6,
} remap_status;

/**
 * What a policy must be told of a step.
 */
typedef enum remap_needs {
  /**
   * The largest and the mean time: remap_controller_step is enough.
   */
  REMAP_NEEDS_MAX_MEAN = 0,
  /**
   * The least too: remap_controller_step_times or remap_controller_step_local.
   */
  REMAP_NEEDS_MIN = 1,
  /**
   * The time of every rank: the same.
   */
  REMAP_NEEDS_TIMES = 2,
} remap_needs;

/**
 * How numbers of all ranks become one.
 */
typedef enum remap_operation {
  /**
   * The largest.
   */
  REMAP_MAX = 0,
  /**
   * The sum.
   */
  REMAP_SUM = 1,
} remap_operation;

/**
 * A policy in a running program.
 */
typedef struct remap_controller remap_controller;

/**
 * Statistics of the times of one rank, and what was merged from others.
 */
typedef struct remap_fit remap_fit;

/**
 * A watch for changes of phase.
 */
typedef struct remap_monitor remap_monitor;

/**
 * Replaces each of `count` numbers by its maximum or sum over all ranks, the same on each of them, as
 * MPI_Allreduce with MPI_IN_PLACE does. Returns 0 if that has worked. `context` is what the call was given. No exception
 * may leave it (remap.hpp catches them).
 */
typedef int (*remap_reduce)(void *context,
                            double *values,
                            size_t count,
                            enum remap_operation operation);

/**
 * What the statistics come to.
 */
typedef struct remap_fit_summary_t {
  /**
   * Number of ranks.
   */
  uint64_t ranks;
  /**
   * Steps taken in, by all of them together.
   */
  uint64_t steps;
  /**
   * Mean time of a step.
   */
  double mean;
  /**
   * Standard deviation of the ranks' drifts a step, around their mean.
   */
  double drift_deviation;
  /**
   * Standard deviation of what a step adds to a rank for good, around its drift.
   */
  double deviation;
  /**
   * Standard deviation of noise, which the next step takes back.
   */
  double noise;
  /**
   * Remaps seen.
   */
  uint64_t remaps;
  /**
   * Mean of what they have cost; NaN if that was not measured.
   */
  double remap_cost;
} remap_fit_summary_t;

/**
 * One change of phase, seen by a detector that errs. Times share one unit.
 */
typedef struct remap_phase_change {
  /**
   * M: the last cycle the program can have.
   */
  uint64_t last_step;
  /**
   * Chance that the program ends after a cycle, from 1 on; 0 if it has M cycles for certain.
   */
  double end_rate;
  /**
   * Chance that the phase changes between one step and the next.
   */
  double hazard;
  /**
   * Mean time of a cycle before the change.
   */
  double before;
  /**
   * After it, not remapped.
   */
  double after;
  /**
   * After it, remapped.
   */
  double remapped;
  /**
   * Delay of finding a new mapping, at every attempt.
   */
  double test;
  /**
   * Delay of installing it.
   */
  double install;
  /**
   * Chance that the detector reports a change where none was; read where the detector says yes or no.
   */
  double false_alarm;
  /**
   * Chance that it reports none after one.
   */
  double missed;
  /**
   * Mean time of a cycle that was remapped too soon, before the change; negative or NaN if that is noticed
   * and undone.
   */
  double before_remapped;
} remap_phase_change;

/**
 * Two phases that alternate, two mappings. Times share one unit.
 */
typedef struct remap_phase_switching {
  /**
   * M: the last cycle; 0 for a program that never ends.
   */
  uint64_t last_step;
  /**
   * cycle[z][m]: mean time of a cycle in phase z under mapping m.
   */
  double cycle[2][2];
  /**
   * What it costs to switch away from either mapping; negative or NaN if that cannot be done.
   */
  double switch_cost[2];
  /**
   * Chance that either phase ends between one step and the next.
   */
  double rates[2];
  /**
   * The belief at the start that the second phase is on; the program starts under the first mapping.
   */
  double initial;
} remap_phase_switching;

/**
 * What a measurement or a report led to.
 */
typedef struct remap_decision {
  /**
   * Whether there is a decision: measurements that complete no cluster lead to none.
   */
  bool decided;
  /**
   * Whether to remap now: to switch to the other mapping, where there are two.
   */
  bool remap;
  /**
   * Whether the change test has reported a change.
   */
  bool reported;
  /**
   * Decision step, from 1 on.
   */
  uint64_t step;
  /**
   * The belief that the phase has changed, or that the second phase is on.
   */
  double belief;
  /**
   * The threshold it is compared with.
   */
  double threshold;
} remap_decision;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * A controller by the name of a policy, as `remap replay --policies` has them: never, fixed:40, threshold:0.5,
 * utilization:0.8, range:0.3, ratio:1.2, stop_at_rise, menon, metabalancer, zhai, procassini, marquez:0.1,
 * advised, adaptive_cold, ... For remaps that cost `remap_cost`, in the unit of the times. It knows nothing yet, and
 * learns in place if it is one that learns. The program starts balanced.
 *
 * # Safety
 * `policy` is a text that ends with a NUL; `controller` may be written through.
 */
enum remap_status remap_controller_new(const char *policy,
                                       double remap_cost,
                                       struct remap_controller **controller);

/**
 * The same trained on recorded steps: `times` has the ranks of the first step, then the second, and so on, of a
 * stretch without a remap; the program is balanced after the last of them. `steps_left` is how many
 * steps follow, negative if that is not known. Takes all policies, also advised, adaptive, predictive, solved, fixed,
 * threshold, utilization, interval and q_learning.
 *
 * # Safety
 * `policy` is a text that ends with a NUL; `times` points to ranks x steps numbers; `controller` may be written
 * through.
 */
enum remap_status remap_controller_train(const char *policy,
                                         double remap_cost,
                                         const double *times,
                                         size_t ranks,
                                         size_t steps,
                                         int64_t steps_left,
                                         struct remap_controller **controller);

/**
 * A controller as remap_controller_save or `remap export --to controller` wrote it.
 *
 * # Safety
 * `text` ends with a NUL; `controller` may be written through.
 */
enum remap_status remap_controller_restore(const char *text, struct remap_controller **controller);

/**
 * All that a controller is between two steps, as a text for a checkpoint; to be given back by remap_text_free.
 *
 * # Safety
 * `controller` is one of the library's, `text` may be written through.
 */
enum remap_status remap_controller_save(const struct remap_controller *controller,
                                        char **text);

/**
 * What the policy must be told of a step; REMAP_NEEDS_TIMES for NULL.
 *
 * # Safety
 * `controller` is NULL or one of the library's.
 */
enum remap_needs remap_controller_needs(const struct remap_controller *controller);

/**
 * Says that `steps` steps follow, to a policy that has a use for it.
 *
 * # Safety
 * `controller` is one of the library's.
 */
enum remap_status remap_controller_steps_left(struct remap_controller *controller, uint64_t steps);

/**
 * Takes in a step by its largest and its mean time; `remap` becomes whether to remap now. For policies that do
 * not look at single ranks; what takes times is in remap_controller_needs.
 *
 * # Safety
 * `controller` is one of the library's, `remap` may be written through.
 */
enum remap_status remap_controller_step(struct remap_controller *controller,
                                        double max,
                                        double mean,
                                        bool *remap);

/**
 * The same by the time of each rank, for any policy. The decisions are those of `remap replay`, bit for bit.
 *
 * # Safety
 * `controller` is one of the library's, `times` points to `ranks` numbers, `remap` may be written through.
 */
enum remap_status remap_controller_step_times(struct remap_controller *controller,
                                              const double *times,
                                              size_t ranks,
                                              bool *remap);

/**
 * The same on all ranks at once, each with a controller of its own that was made alike: rank `rank` of `ranks` hands
 * over its own time, and `reduce` makes of it what the policy needs. Policies that look at single ranks get all
 * times by a sum of `ranks` numbers, exactly; others one maximum and one sum, in which a reduction may
 * round otherwise than a sum in the order of the ranks, by a few units in the last place of the mean. All
 * ranks come to the same answer if the reduction gives them the same numbers.
 *
 * # Safety
 * `controller` is one of the library's, `reduce` may be called, `remap` may be written through.
 */
enum remap_status remap_controller_step_local(struct remap_controller *controller,
                                              double seconds,
                                              size_t rank,
                                              size_t ranks,
                                              remap_reduce reduce,
                                              void *context,
                                              bool *remap);

/**
 * The program has remapped, whoever asked for it, at a cost of `seconds`; negative or NaN if that was not measured.
 * Policies go on with the cost they were made for, as in `remap replay`.
 *
 * # Safety
 * `controller` is one of the library's.
 */
enum remap_status remap_controller_remapped(struct remap_controller *controller,
                                            double seconds);

/**
 * Mean of what remaps have cost so far; NaN before one was measured, and for NULL.
 *
 * # Safety
 * `controller` is NULL or one of the library's.
 */
double remap_controller_remap_cost(const struct remap_controller *controller);

/**
 * Ends a controller. NULL is allowed.
 *
 * # Safety
 * `controller` is NULL, or one of the library's that was not ended yet.
 */
void remap_controller_free(struct remap_controller *controller);

/**
 * What was wrong with the last call of this thread that failed; empty before any has. Valid until the next
 * call of this thread that fails.
 */
const char *remap_last_error(void);

/**
 * Version of the library, such as 0.1.0.
 */
const char *remap_version(void);

/**
 * Statistics of one rank, which has seen nothing yet.
 *
 * # Safety
 * `fit` may be written through.
 */
enum remap_status remap_fit_new(struct remap_fit **fit);

/**
 * Takes in the time this rank needed for a step, and the mean over the ranks.
 *
 * # Safety
 * `fit` is one of the library's.
 */
enum remap_status remap_fit_step(struct remap_fit *fit, double seconds, double mean);

/**
 * The program has remapped, at a cost of `seconds`; negative or NaN if that was not measured.
 *
 * # Safety
 * `fit` is one of the library's.
 */
enum remap_status remap_fit_remapped(struct remap_fit *fit, double seconds);

/**
 * Writes the statistics as REMAP_FIT_NUMBERS numbers, to be sent to another rank.
 *
 * # Safety
 * `fit` is one of the library's, `numbers` points to `count` numbers that may be written.
 */
enum remap_status remap_fit_pack(const struct remap_fit *fit, double *numbers, size_t count);

/**
 * Adds the statistics of other ranks, as remap_fit_pack wrote them there.
 *
 * # Safety
 * `fit` is one of the library's, `numbers` points to `count` numbers.
 */
enum remap_status remap_fit_merge(struct remap_fit *fit, const double *numbers, size_t count);

/**
 * What the statistics come to so far.
 *
 * # Safety
 * `fit` is one of the library's, `summary` may be written through.
 */
enum remap_status remap_fit_summary(const struct remap_fit *fit,
                                    struct remap_fit_summary_t *summary);

/**
 * A controller that remaps at the interval of least cost by these statistics, for remaps that cost `remap_cost`.
 *
 * # Safety
 * `fit` is one of the library's, `controller` may be written through.
 */
enum remap_status remap_fit_controller(const struct remap_fit *fit,
                                       double remap_cost,
                                       struct remap_controller **controller);

/**
 * The statistics as a model file that `remap solve`, `sweep` and `report` take; to be given back by
 * remap_text_free.
 *
 * # Safety
 * `fit` is one of the library's, `text` may be written through.
 */
enum remap_status remap_fit_model(const struct remap_fit *fit, double remap_cost, char **text);

/**
 * The statistics as a text for a checkpoint; to be given back by remap_text_free.
 *
 * # Safety
 * `fit` is one of the library's, `text` may be written through.
 */
enum remap_status remap_fit_save(const struct remap_fit *fit, char **text);

/**
 * Statistics as remap_fit_save wrote them.
 *
 * # Safety
 * `text` ends with a NUL, `fit` may be written through.
 */
enum remap_status remap_fit_restore(const char *text, struct remap_fit **fit);

/**
 * Ends statistics. NULL is allowed.
 *
 * # Safety
 * `fit` is NULL, or one of the library's that was not ended yet.
 */
void remap_fit_free(struct remap_fit *fit);

/**
 * A monitor of measurements, such as the time of each cycle. Means of `batch` measurements make up clusters of
 * `cluster` >= 2; every cluster is tested against the first one, and is a step of the problem. Solves the
 * problem, which takes milliseconds to seconds.
 *
 * # Safety
 * `problem` points to a valid problem, `monitor` may be written through.
 */
enum remap_status remap_monitor_new(const struct remap_phase_change *problem,
                                    uint32_t batch,
                                    uint32_t cluster,
                                    struct remap_monitor **monitor);

/**
 * A monitor of a detector that reports by itself, one of `levels` levels at a step: `before` and `after` are the
 * chances of each before and after the change. Reads neither `false_alarm` nor `missed`. A detector that says
 * yes or no has two.
 *
 * # Safety
 * `problem` points to a valid problem, `before` and `after` to `levels` numbers each, `monitor` may be written
 * through.
 */
enum remap_status remap_monitor_new_levels(const struct remap_phase_change *problem,
                                           const double *before,
                                           const double *after,
                                           size_t count,
                                           struct remap_monitor **monitor);

/**
 * The same for two phases that alternate: `before` and `after` are the chances in the first and the second.
 *
 * # Safety
 * As remap_monitor_new_levels.
 */
enum remap_status remap_monitor_new_switching(const struct remap_phase_switching *problem,
                                              const double *before,
                                              const double *after,
                                              size_t count,
                                              struct remap_monitor **monitor);

/**
 * Takes the measurement of a cycle in.
 *
 * # Safety
 * `monitor` is one of the library's, `decision` may be written through.
 */
enum remap_status remap_monitor_observe(struct remap_monitor *monitor,
                                        double measurement,
                                        struct remap_decision *decision);

/**
 * Takes the report of the next step in: a level of the detector, from 0 on.
 *
 * # Safety
 * `monitor` is one of the library's, `decision` may be written through.
 */
enum remap_status remap_monitor_report(struct remap_monitor *monitor,
                                       size_t level,
                                       struct remap_decision *decision);

/**
 * The program has remapped, or switched to the other mapping.
 *
 * # Safety
 * `monitor` is one of the library's.
 */
enum remap_status remap_monitor_remapped(struct remap_monitor *monitor);

/**
 * All that a monitor is between two steps, as a text for a checkpoint; to be given back by remap_text_free.
 *
 * # Safety
 * `monitor` is one of the library's, `text` may be written through.
 */
enum remap_status remap_monitor_save(const struct remap_monitor *monitor,
                                     char **text);

/**
 * A monitor as remap_monitor_save wrote it.
 *
 * # Safety
 * `text` ends with a NUL, `monitor` may be written through.
 */
enum remap_status remap_monitor_restore(const char *text, struct remap_monitor **monitor);

/**
 * Ends a monitor. NULL is allowed.
 *
 * # Safety
 * `monitor` is NULL, or one of the library's that was not ended yet.
 */
void remap_monitor_free(struct remap_monitor *monitor);

/**
 * Gives back a text that the library made. NULL is allowed.
 *
 * # Safety
 * `text` is NULL or was made by the library and not given back yet.
 */
void remap_text_free(char *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* REMAP_H */
