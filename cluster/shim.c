/* What `remap-mpi` asks of MPI and PETSc. An error that is none of files ends all ranks. */

#include <mpi.h>
#include <petscksp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { BUG = 4 };

/* Counts of MPI are ints. */
static const int64_t MOST = 1 << 27;

static void must(int error, const char *what)
{
    if (error) {
        fprintf(stderr, "%s failed with error %d\n", what, error);
        MPI_Abort(MPI_COMM_WORLD, BUG);
    }
}

void remap_start(int *rank, int *ranks)
{
    int provided;
    must(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    must(PetscInitializeNoArguments(), "PetscInitialize");
    /* PETSc would print a trace for every signal, and mpirun says what happened. */
    must(PetscPopSignalHandler(), "PetscPopSignalHandler");
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
    void *context;
} Operator;

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
                            double goal, int64_t limit, int *reason)
{
    Mat matrix;
    Vec b, y;
    KSP solver;
    PC preconditioner;
    KSPConvergedReason why;
    PetscFunctionBeginUser;
    PetscCall(MatCreateShell(PETSC_COMM_WORLD, (PetscInt)own, (PetscInt)own, PETSC_DETERMINE, PETSC_DETERMINE, operator, &matrix));
    PetscCall(MatShellSetOperation(matrix, MATOP_MULT, (void (*)(void))multiply));
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, (PetscInt)own, PETSC_DETERMINE, right, &b));
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, (PetscInt)own, PETSC_DETERMINE, x, &y));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(KSPSetOperators(solver, matrix, matrix));
    PetscCall(KSPSetType(solver, symmetric ? KSPCG : KSPBCGS));
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCSetType(preconditioner, PCNONE));
    PetscCall(KSPSetNormType(solver, symmetric ? KSP_NORM_UNPRECONDITIONED : KSP_NORM_PRECONDITIONED));
    PetscCall(KSPSetInitialGuessNonzero(solver, PETSC_TRUE));
    PetscCall(KSPSetTolerances(solver, 0.0, goal, 1e20, (PetscInt)(limit < 1000000 ? limit : 1000000)));
    PetscCall(KSPSetFromOptions(solver));
    PetscCall(KSPSolve(solver, b, y));
    PetscCall(KSPGetConvergedReason(solver, &why));
    *reason = (int)why;
    PetscCall(KSPDestroy(&solver));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&matrix));
    PetscFunctionReturn(0);
}

/* Improves x towards the solution for this right side; reason is that of the KSP. */
void remap_solve(void (*apply)(void *, const double *, double *, int64_t), void *context, int symmetric,
                 int64_t own, const double *right, double *x, double goal, int64_t limit, int *reason)
{
    Operator operator = {apply, context};
    must(solve(&operator, symmetric, own, right, x, goal, limit, reason), "KSPSolve");
}

/* Writes to or reads from an existing file, all ranks together; 0 if this rank succeeded. */
int remap_file(const char *path, int writes, int64_t place, void *bytes, int64_t length)
{
    MPI_File file;
    int mode = writes ? MPI_MODE_WRONLY : MPI_MODE_RDONLY, failed = 0;
    if (MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file))
        return 1;
    /* Each rank for itself: collective calls would gather all of it on few of them. */
    for (int64_t at = 0; at < length && !failed; at += MOST) {
        int part = (int)(length - at < MOST ? length - at : MOST), done = 0;
        MPI_Status status;
        char *from = (char *)bytes + at;
        failed = writes ? MPI_File_write_at(file, place + at, from, part, MPI_BYTE, &status)
                        : MPI_File_read_at(file, place + at, from, part, MPI_BYTE, &status);
        if (!failed)
            failed = MPI_Get_count(&status, MPI_BYTE, &done) || done != part;
    }
    if (writes)
        failed |= MPI_File_sync(file);
    failed |= MPI_File_close(&file);
    return failed;
}
