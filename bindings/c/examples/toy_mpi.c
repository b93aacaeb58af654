/* A row of cells, cut into a piece for each rank; a hot spot drifts along it and makes cells dear. Every rank has a
 * controller; after a remap all pieces have the same work again. With a log, rank 0 records every rank's time.
 *     mpirun -n 4 toy_mpi POLICY STEPS REMAP_COST [LOG.csv [CONTROLLER.json]] */
#include <mpi.h>
#include <remap.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 4096, ROUND = 2500 };

/* Seconds a cell takes at a step: a spot 1000 cells wide comes round in 2500 steps, and now and then jumps. */
static double work(int cell, int step)
{
    int spot = (step * CELLS / ROUND + step / 700 * 1500) % CELLS, away = abs(cell - spot);
    if (away > CELLS / 2)
        away = CELLS - away;
    return 1e-3 * (away < 500 ? 1 + 4 * (1 - away / 500.0) : 1);
}

/* The first cell of each piece, so that all have the same work. */
static void cut(int *first, int ranks, int step)
{
    double all = 0, sum = 0;
    int rank = 0;
    for (int cell = 0; cell < CELLS; ++cell)
        all += work(cell, step);
    for (int cell = 0; cell < CELLS; sum += work(cell++, step))
        while (rank < ranks && sum >= all * rank / ranks)
            first[rank++] = cell;
    while (rank <= ranks)
        first[rank++] = CELLS;
}

static int reduce(void *context, double *values, size_t count, remap_operation operation)
{
    return MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE,
                         operation == REMAP_MAX ? MPI_MAX : MPI_SUM, *(MPI_Comm *)context);
}

static void check(remap_status status)
{
    if (status != REMAP_OK && fprintf(stderr, "%s\n", remap_last_error()))
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void restore(const char *path, remap_controller **controller)
{
    static char text[1 << 24];
    FILE *file = fopen(path, "r");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0 || fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    check(remap_controller_restore(text, controller));
}

int main(int count, char **arguments)
{
    int rank, ranks, remaps = 0, remapped = 0;
    MPI_Comm world = MPI_COMM_WORLD;
    remap_controller *controller = NULL;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    if (count < 4)
        MPI_Abort(world, 2);
    int steps = atoi(arguments[2]), *first = malloc((size_t)(ranks + 1) * sizeof *first);
    double cost = atof(arguments[3]), waited = 0, *times = malloc((size_t)ranks * sizeof *times);
    FILE *log = count > 4 && rank == 0 ? fopen(arguments[4], "w") : NULL;
    if (count > 5)
        restore(arguments[5], &controller);
    else
        check(remap_controller_new(arguments[1], cost, &controller));
    if (log)
        fprintf(log, "step,rank,seconds,remap\n");
    cut(first, ranks, 0);
    for (int step = 0; step < steps; ++step) {
        double seconds = 0, max = 0, mean = 0; /* a code would measure it: MPI_Wtime */
        bool remap = false;
        for (int cell = first[rank]; cell < first[rank + 1]; ++cell)
            seconds += work(cell, step);
        check(remap_controller_step_local(controller, seconds, (size_t)rank, (size_t)ranks, reduce,
                                          &world, &remap));
        MPI_Gather(&seconds, 1, MPI_DOUBLE, times, 1, MPI_DOUBLE, 0, world);
        for (int other = 0; rank == 0 && other < ranks; ++other) {
            max = times[other] > max ? times[other] : max;
            mean += times[other] / ranks;
            if (log)
                fprintf(log, "%d,%d,%.9f,%d\n", step, other, times[other], remapped);
        }
        waited += max - mean;
        if ((remapped = remap && step + 1 < steps)) {
            cut(first, ranks, step);
            check(remap_controller_remapped(controller, cost));
            ++remaps;
        }
    }
    if (rank == 0)
        printf("%s: %.2f seconds lost, %.2f in waiting and %d remaps\n", arguments[1],
               waited + remaps * cost, waited, remaps);
    if (log)
        fclose(log);
    free(first), free(times);
    remap_controller_free(controller);
    MPI_Finalize();
}
