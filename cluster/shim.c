/* What `remap-mpi` asks of MPI and PETSc. An error that is none of files ends all ranks. */

#include <mpi.h>
#include <petscksp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { USAGE = 2, BUG = 4 };

/* Counts of MPI are ints. */
static const int64_t MOST = 1 << 27;

static void must(int error, const char *what)
{
    if (error) {
        fprintf(stderr, "%s failed with error %d\n", what, error);
        MPI_Abort(MPI_COMM_WORLD, BUG);
    }
}

/* What PETSc has said of the first error, in place of its trace. */
static char reason[1024];

static PetscErrorCode note(MPI_Comm all, int line, const char *function, const char *file, PetscErrorCode error,
                           PetscErrorType type, const char *message, void *context)
{
    (void)all, (void)line, (void)function, (void)file, (void)context;
    if (type == PETSC_ERROR_INITIAL && !reason[0])
        snprintf(reason, sizeof reason, "%s", message ? message : "");
    return error;
}

/* Ends all ranks where a solver of PETSc fails: by the options it was given, if there are any. */
static void must_solve(int error)
{
    char *options = NULL;
    int rank = 0;
    if (!error)
        return;
    if (PetscOptionsGetAll(NULL, &options) || !options || !options[0])
        must(error, reason);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* The first rank speaks for all, and is to be heard. */
    if (rank)
        sleep(1);
    else
        fprintf(stderr,
                "error: PETSc cannot solve with these options: %s\n  PETSc says: %s\n"
                "help: the matrix is never formed: take -pc_type none or jacobi, and a -ksp_type that needs no transpose\n",
                options, reason);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, USAGE);
}

void remap_start(int *rank, int *ranks)
{
    int provided;
    must(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    must(PetscInitializeNoArguments(), "PetscInitialize");
    /* PETSc would print a trace for every signal, and mpirun says what happened. */
    must(PetscPopSignalHandler(), "PetscPopSignalHandler");
    must(PetscPushErrorHandler(note, NULL), "PetscPushErrorHandler");
    must(MPI_Comm_rank(MPI_COMM_WORLD, rank), "MPI_Comm_rank");
    must(MPI_Comm_size(MPI_COMM_WORLD, ranks), "MPI_Comm_size");
}

void remap_stop(void)
{
    must(PetscFinalize(), "PetscFinalize");
    must(MPI_Finalize(), "MPI_Finalize");
}

void remap_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

/* Seconds that processors have worked for this process. */
double remap_worked(void)
{
    struct timespec time;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time))
        return 0.0;
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The most states that vectors of PETSc can have. */
int64_t remap_most(void)
{
    return PETSC_MAX_INT;
}

void remap_broadcast(void *bytes, int64_t length)
{
    for (int64_t at = 0; at < length; at += MOST) {
        int part = (int)(length - at < MOST ? length - at : MOST);
        must(MPI_Bcast((char *)bytes + at, part, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast");
    }
}

void remap_largest(double *numbers, int count)
{
    must(MPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
}

/* One number of each rank, on all. */
void remap_counts(int64_t own, int64_t *all)
{
    must(MPI_Allgather(&own, 1, MPI_INT64_T, all, 1, MPI_INT64_T, MPI_COMM_WORLD), "MPI_Allgather");
}

/* What each rank has, in their order: on all of them if root < 0. */
void remap_gather(const double *own, int count, double *all, const int *counts, const int *places, int root)
{
    if (root < 0)
        must(MPI_Allgatherv(own, count, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, MPI_COMM_WORLD), "MPI_Allgatherv");
    else
        must(MPI_Gatherv(own, count, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, root, MPI_COMM_WORLD), "MPI_Gatherv");
}

static int64_t parts_of(int64_t length)
{
    return (length + MOST - 1) / MOST;
}

/* Receives from and sends to other ranks, all at once. */
void remap_exchange(int receives, const int *from, double *const *into, const int64_t *expected,
                    int sends, const int *to, const double *const *what, const int64_t *lengths)
{
    int64_t all = 0, started = 0;
    for (int k = 0; k < receives; k++)
        all += parts_of(expected[k]);
    for (int k = 0; k < sends; k++)
        all += parts_of(lengths[k]);
    MPI_Request *requests;
    must(PetscMalloc1(all, &requests), "PetscMalloc");
    for (int k = 0; k < receives; k++)
        for (int64_t at = 0; at < expected[k]; at += MOST) {
            int part = (int)(expected[k] - at < MOST ? expected[k] - at : MOST);
            must(MPI_Irecv(into[k] + at, part, MPI_DOUBLE, from[k], 0, MPI_COMM_WORLD, &requests[started++]), "MPI_Irecv");
        }
    for (int k = 0; k < sends; k++)
        for (int64_t at = 0; at < lengths[k]; at += MOST) {
            int part = (int)(lengths[k] - at < MOST ? lengths[k] - at : MOST);
            must(MPI_Isend(what[k] + at, part, MPI_DOUBLE, to[k], 0, MPI_COMM_WORLD, &requests[started++]), "MPI_Isend");
        }
    must(MPI_Waitall((int)started, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    must(PetscFree(requests), "PetscFree");
}

typedef struct {
    void (*apply)(void *context, const double *x, double *image, int64_t count);
    void (*diagonal)(void *context, double *out, int64_t count);
    int (*halts)(void *context);
    void *context;
} Operator;

static PetscErrorCode diagonal(Mat matrix, Vec out)
{
    Operator *operator;
    PetscScalar *to;
    PetscInt count;
    PetscFunctionBeginUser;
    PetscCall(MatShellGetContext(matrix, &operator));
    PetscCall(VecGetLocalSize(out, &count));
    PetscCall(VecGetArray(out, &to));
    operator->diagonal(operator->context, to, count);
    PetscCall(VecRestoreArray(out, &to));
    PetscFunctionReturn(0);
}

typedef struct {
    Operator *operator;
    void *usual;
} Test;

/* The usual test, and whether somebody has asked to stop. */
static PetscErrorCode converged(KSP solver, PetscInt step, PetscReal norm, KSPConvergedReason *why, void *context)
{
    Test *test = context;
    PetscFunctionBeginUser;
    PetscCall(KSPConvergedDefault(solver, step, norm, why, test->usual));
    if (*why == KSP_CONVERGED_ITERATING && test->operator->halts(test->operator->context))
        *why = KSP_DIVERGED_ITS;
    PetscFunctionReturn(0);
}

static PetscErrorCode multiply(Mat matrix, Vec x, Vec image)
{
    Operator *operator;
    const PetscScalar *from;
    PetscScalar *to;
    PetscInt count;
    PetscFunctionBeginUser;
    PetscCall(MatShellGetContext(matrix, &operator));
    PetscCall(VecGetLocalSize(x, &count));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArray(image, &to));
    operator->apply(operator->context, from, to, count);
    PetscCall(VecRestoreArray(image, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(Operator *operator, int symmetric, int64_t own, const double *right, double *x,
                            double goal, int64_t limit, int *stopped)
{
    Mat matrix;
    Vec b, y;
    KSP solver;
    PC preconditioner;
    KSPConvergedReason why;
    Test test = {operator, NULL};
    PetscFunctionBeginUser;
    PetscCall(MatCreateShell(PETSC_COMM_WORLD, (PetscInt)own, (PetscInt)own, PETSC_DETERMINE, PETSC_DETERMINE, operator, &matrix));
    PetscCall(MatShellSetOperation(matrix, MATOP_MULT, (void (*)(void))multiply));
    PetscCall(MatShellSetOperation(matrix, MATOP_GET_DIAGONAL, (void (*)(void))diagonal));
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, (PetscInt)own, PETSC_DETERMINE, right, &b));
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, (PetscInt)own, PETSC_DETERMINE, x, &y));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(KSPSetOperators(solver, matrix, matrix));
    PetscCall(KSPSetType(solver, symmetric ? KSPCG : KSPBCGS));
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCSetType(preconditioner, symmetric ? PCNONE : PCJACOBI));
    /* The goal is one of residuals as they are. */
    PetscCall(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetInitialGuessNonzero(solver, PETSC_TRUE));
    PetscCall(KSPSetTolerances(solver, 0.0, goal, 1e20, (PetscInt)(limit < 1000000 ? limit : 1000000)));
    PetscCall(KSPConvergedDefaultCreate(&test.usual));
    PetscCall(KSPSetConvergenceTest(solver, converged, &test, NULL));
    PetscCall(KSPSetFromOptions(solver));
    PetscCall(KSPSolve(solver, b, y));
    PetscCall(KSPGetConvergedReason(solver, &why));
    *stopped = (int)why;
    PetscCall(KSPConvergedDefaultDestroy(test.usual));
    PetscCall(KSPDestroy(&solver));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&matrix));
    PetscFunctionReturn(0);
}

/* Improves x towards the solution for this right side; reason is that of the KSP. */
void remap_solve(void (*apply)(void *, const double *, double *, int64_t), void (*diagonal)(void *, double *, int64_t),
                 int (*halts)(void *), void *context, int symmetric, int64_t own, const double *right, double *x,
                 double goal, int64_t limit, int *why)
{
    Operator operator = {apply, diagonal, halts, context};
    must_solve(solve(&operator, symmetric, own, right, x, goal, limit, why));
}
