/* Sums of mb_sums.h along several columns at once: a value is a vector of MB_DIRECTIONS numbers. */
#ifndef MB_SUM_COLUMNS_H
#define MB_SUM_COLUMNS_H

#include "mb_columns.h"
#include "mb_sums.h"

#include <stddef.h>

typedef double mb_directions __attribute__((vector_size(8 * MB_DIRECTIONS), may_alias));

/* Fills a zero and the argument's entries for some of the columns, from the first on. */
static void mb_take_columns(
    const mb_sums *of, const mb_columns *columns, int first, int lanes, mb_directions *value)
{
    const mb_directions none = {0};
    int k, lane;
    for (k = 0; k < 1 + of->entries; k++)
        value[k] = none;
    for (k = 0; k < columns->states; k++)
        for (lane = 0; lane < lanes; lane++)
            ((double *)(value + 1 + k))[lane] = columns->state[k * columns->count + first + lane];
    for (lane = 0; lane < lanes; lane++)
        if (columns->value[first + lane] >= 0)
            ((double *)(value + 1 + columns->value[first + lane]))[lane] = 1;
}

/* Results along several columns, with so many places from one row or column to the next; the second one
 * unless it has no place. Of the work array the first vector begins where vectors may: one that crosses
 * two lines takes twice as long. */
static void mb_sum_columns(const mb_sums *of, const double *factor, const mb_columns *columns,
    double *work, double **res, int to_row, int to_column)
{
    const size_t size = sizeof(mb_directions), past = (size_t)work % size;
    mb_directions *const value = (mb_directions *)((char *)work + (past ? size - past : 0));
    const mb_directions none = {0};
    const mb_sum_run *last = of->run + (res[1] ? of->runs : of->rate_runs);
    const int count = columns->count;
    int first, lane, k;
    for (first = 0; first < count; first += MB_DIRECTIONS) {
        const int lanes = count - first < MB_DIRECTIONS ? count - first : MB_DIRECTIONS;
        const MB_PLACE *place = of->factor, *back = of->back;
        const mb_sum_run *run = of->run;
        mb_directions *sum = value + 1 + of->entries;
        mb_take_columns(of, columns, first, lanes, value);
        for (; run < last; run++) {
            const mb_directions *end = sum + run->sums;
            if (run->kind == MB_QUOTIENT)
                MB_EACH_SUM(1, *(sum - *back) / factor[*place]);
            else if (run->kind == MB_CHOICE)
                MB_EACH_SUM(1, factor[*place] != 0 ? *(sum - *back) : none);
            else if (run->terms == 1)
                MB_EACH_SUM(1, MB_TERM(0));
            else if (run->terms == 2)
                MB_EACH_SUM(2, MB_TERM(0) + MB_TERM(1));
            else if (run->terms == 3)
                MB_EACH_SUM(3, MB_TERM(0) + MB_TERM(1) + MB_TERM(2));
            else
                for (; sum < end; sum++, place += run->terms, back += run->terms) {
                    mb_directions total = MB_TERM(0);
                    for (k = 1; k < run->terms; k++)
                        total += MB_TERM(k);
                    *sum = total;
                }
        }
        for (k = 0; k < of->rates; k++)
            for (lane = 0; lane < lanes; lane++)
                res[0][k * to_row + (first + lane) * to_column] =
                    ((double *)(value + of->result[k]))[lane];
        for (k = 0; res[1] && k < of->outputs; k++)
            for (lane = 0; lane < lanes; lane++)
                res[1][k * to_row + (first + lane) * to_column] =
                    ((double *)(value + of->result[of->rates + k]))[lane];
    }
#ifdef __AVX__ /* gcc does so itself at -O2 only; other code would take twice as long after it */
    __builtin_ia32_vzeroupper();
#endif
}

#endif
