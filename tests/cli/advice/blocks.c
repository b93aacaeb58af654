/* A program whose work is in blocks that are not split; see cases.rs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "remap_policy.h"
static unsigned long long state;
static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}
static double normal(void) { return sqrt(-2.0 * log(uniform())) * cos(6.283185307179586 * uniform()); }
static double work[BLOCKS];
static int owner[BLOCKS];
static void balance(void)
{
    double load[REMAP_RANKS] = {0};
    int taken[BLOCKS] = {0};
    for (int many = 0; many < BLOCKS; many++) {
        int largest = -1, least = 0;
        for (int b = 0; b < BLOCKS; b++)
            if (!taken[b] && (largest < 0 || work[b] > work[largest]))
                largest = b;
        for (int r = 1; r < REMAP_RANKS; r++)
            if (load[r] < load[least])
                least = r;
        owner[largest] = least;
        load[least] += work[largest];
        taken[largest] = 1;
    }
}
int main(int count, char **arguments)
{
    static remap_advised rule;
    const int every = count > 2 ? atoi(arguments[2]) : -1, print = count > 3;
    double paid = 0.0;
    state = (unsigned long long)atoll(arguments[1]);
    for (int i = 0; i < 10; i++)
        uniform();
    for (int b = 0; b < BLOCKS; b++)
        work[b] = 1.0 + 0.3 * uniform();
    balance();
    remap_advised_init(&rule, -1);
    remap_advised_remapped(&rule);
    if (print)
        printf("step,rank,seconds\n");
    for (int step = 0; step < 600; step++) {
        double times[REMAP_RANKS] = {0}, mean = 0.0, most = 0.0;
        for (int b = 0; b < BLOCKS; b++) {
            work[b] = fabs(work[b] + 0.02 * normal());
            times[owner[b]] += work[b];
        }
        for (int r = 0; r < REMAP_RANKS; r++) {
            mean += times[r] / REMAP_RANKS;
            most = times[r] > most ? times[r] : most;
            if (print)
                printf("%d,%d,%.9g\n", step, r, times[r]);
        }
        paid += most - mean;
        if (every < 0 ? remap_advised_step(&rule, times) : every > 0 && step % every == every - 1) {
            balance();
            remap_advised_remapped(&rule);
            paid += COST;
        }
    }
    if (!print)
        printf("%.17g\n", paid);
    return 0;
}
