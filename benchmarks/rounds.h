/* What the programs share that evaluate a mechanism at states from a file: reading, timing, printing.
 *
 * A file holds the numbers of rows and columns, then the values row by row. Of states, the first
 * row is where the evaluations begin; the others are evaluated in turn. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "process.h"

typedef struct {
    int rows, columns;
    double *values;
} number_table;

static number_table read_table(const char *path)
{
    number_table t;
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d %d", &t.rows, &t.columns) != 2)
        die(path);
    t.values = (double *)malloc(sizeof(double) * (size_t)t.rows * (size_t)t.columns);
    for (int i = 0; i < t.rows * t.columns; i++)
        if (fscanf(file, "%lf", &t.values[i]) != 1)
            die(path);
    fclose(file);
    return t;
}

static const double *row_of(const number_table *t, int row)
{
    return t->values + (size_t)row * (size_t)t->columns;
}

/* Of this process alone: what else the machine does should not count. */
/* Calls for the rows but the first in turn; returns seconds per call. */
static double time_calls(void (*call)(const double *state), const number_table *t, long calls)
{
    const double start = seconds_now();
    for (long i = 0; i < calls; i++)
        call(row_of(t, 1 + (int)(i % (t->rows - 1))));
    return (seconds_now() - start) / (double)calls;
}

/* Prints `name seconds-per-call ...`, one number for each of some blocks of the given seconds. */
static void time_blocks(const char *name, void (*call)(const double *state),
                        const number_table *t, int blocks, double seconds)
{
    long calls = t->rows - 1;
    double each = time_calls(call, t, calls);
    while (each * (double)calls < seconds / 4) { /* caches and clock rate settle, too */
        calls *= 2;
        each = time_calls(call, t, calls);
    }
    calls = (long)(seconds / each) + 1;
    printf("%s", name);
    for (int k = 0; k < blocks; k++)
        printf(" %.6g", time_calls(call, t, calls));
    printf("\n");
}

/* Prints `rowI value ...` with the results at each row but the first. */
static void print_rows(void (*call)(const double *state), const number_table *t,
                       const double *result, int n)
{
    for (int row = 1; row < t->rows; row++) {
        call(row_of(t, row));
        printf("row%d", row);
        for (int i = 0; i < n; i++)
            printf(" %.17g", result[i]);
        printf("\n");
    }
}

#endif
