/* What all these programs share: how they end, and the time that they take of a processor. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* Of this process alone: what else the machine does should not count. */
static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
