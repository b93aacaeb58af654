/* A row of cells with work in each, cut into one piece a rank; a hot spot drifts along and makes cells dear. Each rank
 * has a controller, and after a remap the pieces are cut anew so that all have the same work. With a policy it
 * prints what the run came to; with a log too, it records the time of each rank at each step.
 *     mpirun -n 4 toy_mpi POLICY STEPS REMAP_COST [LOG.csv] [TRAINING.csv] */
#include <mpi.h>
#include <remap.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 4096 };

/* Work of a cell at a step, in seconds: smooth, with a spot 400 cells wide that comes round in 2500 steps. */
static double work(int cell, int step)
{
    double spot = (double)((step * CELLS / 2500) % CELLS), away = cell > spot ? cell - spot : spot - cell;
    if (away > CELLS / 2)
        away = CELLS - away;
    return 1e-3 * (away < 200 ? 1 + 4 * (1 - away / 200) : 1);
}

/* The first cell of each piece, so that all pieces have the same work. */
static void cut(int *first, int ranks, int step)
{
    double all = 0, sum = 0;
    int rank = 1;
    for (int cell = 0; cell < CELLS; ++cell)
        all += work(cell, step);
    first[0] = 0;
    for (int cell = 0; cell < CELLS; ++cell) {
        for (; rank < ranks && sum >= all * rank / ranks; ++rank)
            first[rank] = cell;
        sum += work(cell, step);
    }
    for (; rank <= ranks; ++rank)
        first[rank] = CELLS;
}

static int reduce(void *context, double *values, size_t count, remap_operation operation)
{
    (void)context;
    return MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE,
                         operation == REMAP_MAX ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
}

static void check(remap_status status)
{
    if (status != REMAP_OK) {
        fprintf(stderr, "%s\n", remap_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* The times of a log that an earlier run has written. */
static double *read_log(const char *path, int ranks, size_t *steps)
{
    double *times = NULL, value;
    size_t count = 0;
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*[^\n]") == EOF)
        MPI_Abort(MPI_COMM_WORLD, 1);
    while (fscanf(file, "%*d,%*d,%lf", &value) == 1) {
        times = realloc(times, ++count * sizeof *times);
        times[count - 1] = value;
    }
    fclose(file);
    *steps = count / (size_t)ranks;
    return times;
}

int main(int count, char **arguments)
{
    int rank, ranks, remaps = 0;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count < 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int steps = atoi(arguments[2]), *first = malloc((size_t)(ranks + 1) * sizeof *first);
    double cost = atof(arguments[3]), waited = 0, *all = malloc((size_t)ranks * sizeof *all);
    FILE *log = count > 4 && arguments[4][0] != '-' && rank == 0 ? fopen(arguments[4], "w") : NULL;
    remap_controller *controller = NULL;
    if (count > 5) {
        size_t rows;
        double *times = read_log(arguments[5], ranks, &rows);
        check(remap_controller_train(arguments[1], cost, times, (size_t)ranks, rows, steps, &controller));
        free(times);
    } else {
        check(remap_controller_new(arguments[1], cost, &controller));
    }
    if (log)
        fprintf(log, "step,rank,seconds\n");
    cut(first, ranks, 0);
    for (int step = 0; step < steps; ++step) {
        bool remap = false;
        double seconds = 0, max, mean;
        for (int cell = first[rank]; cell < first[rank + 1]; ++cell)
            seconds += work(cell, step); /* what a code would measure by MPI_Wtime */
        check(remap_controller_step_local(controller, seconds, (size_t)rank, (size_t)ranks, reduce, NULL,
                                          &remap));
        MPI_Allreduce(&seconds, &max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&seconds, &mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        waited += max - mean / ranks;
        MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int other = 0; log && other < ranks; ++other)
            fprintf(log, "%d,%d,%.17g\n", step, other, all[other]);
        if (remap && step + 1 < steps) {
            cut(first, ranks, step);
            check(remap_controller_remapped(controller, cost));
            ++remaps;
        }
    }
    if (rank == 0)
        printf("%s: %.3f seconds lost, %.3f in waiting and %d remaps\n", arguments[1],
               waited + remaps * cost, waited, remaps);
    if (log)
        fclose(log);
    remap_controller_free(controller);
    free(first);
    free(all);
    MPI_Finalize();
    return 0;
}
