#include <stdio.h>
#include "remap_policy.h"

int main(void)
{
    /* KIND belief */
    long long n; double p; int report;
    while (scanf("%lld %lf %d", &n, &p, &report) == 3)
        printf("%d %.17g\n", remap_now(p, n), remap_belief(p, n, report));
    /* KIND switching */
    long long n; double p; int second, report;
    while (scanf("%lld %lf %d %d", &n, &p, &second, &report) == 4)
        printf("%d %.17g\n", remap_now(p, n, second), remap_belief(p, report));
    /* KIND map */
    for (;;) {
        int64_t load[REMAP_PROCESSES];
        for (int i = 0; i < REMAP_PROCESSES; i++) {
            long long value;
            if (scanf("%lld", &value) != 1)
                return 0;
            load[i] = value;
        }
        printf("%c %d\n", remap_decision(load), remap_now(load));
    }
    /* KIND imbalance */
    long long step; double max, mean;
    while (scanf("%lld %lf %lf", &step, &max, &mean) == 3)
        printf("%d\n", remap_now(step, max, mean));
    /* KIND curve */
    long long step, since; double max, mean;
    while (scanf("%lld %lld %lf %lf", &step, &since, &max, &mean) == 4)
        printf("%d\n", remap_now(step, since, max, mean));
    /* KIND level */
    double max, mean;
    while (scanf("%lf %lf", &max, &mean) == 2)
        printf("%d\n", remap_now(max, mean));
    /* KIND advised */
    static remap_advised rule;
    static double times[REMAP_RANKS];
    char word[8];
    while (scanf("%7s", word) == 1) {
        if (word[0] == 's') {
            long long steps;
            int cold;
            if (scanf("%lld %d", &steps, &cold) != 2)
                return 1;
            if (cold)
                remap_advised_cold(&rule, steps);
            else
                remap_advised_init(&rule, steps);
            puts("start");
            continue;
        }
        for (int i = 0; i < REMAP_RANKS; i++)
            if (scanf("%lf", &times[i]) != 1)
                return 1;
        printf("%d\n", remap_advised_step(&rule, times));
        if (word[0] == '1')
            remap_advised_remapped(&rule);
        if (word[0] == '2')
            remap_advised_begun(&rule);
    }
    /* KIND interval */
    long long since;
    while (scanf("%lld", &since) == 1)
        printf("%d\n", remap_now(since));
    /* KIND end */
    return 0;
}
