/* A function that is linear in one argument, and its transpose, from one table.
 *
 * Values are a zero, the entries of the argument, and sums behind them. A term of a sum is a value,
 * which is so many places before the sum, times a factor; or it is divided by the factor, or taken
 * only if that is not zero. Factors depend on the point alone. Sums with equally many terms follow
 * each other in runs, because a processor foresees such loops. */
#ifndef MB_SUMS_H
#define MB_SUMS_H

#ifndef MB_PLACE
#define MB_PLACE unsigned short
#endif

enum { MB_PRODUCT, MB_QUOTIENT, MB_CHOICE };

typedef struct {
    int sums, terms, kind;
} mb_sum_run;

typedef struct {
    const mb_sum_run *run;
    const MB_PLACE *factor, *back; /* by terms */
    const MB_PLACE *result;        /* places of the results among values */
    long terms;
    int runs, rate_runs;               /* numbers: all, and those that the first result needs */
    int entries, sums, rates, outputs; /* numbers: of the argument, of sums, of both results */
} mb_sums;

static inline double mb_term(int kind, double factor, double value)
{
    if (kind == MB_PRODUCT)
        return factor * value;
    if (kind == MB_QUOTIENT)
        return value / factor;
    return factor != 0 ? value : 0;
}

/* Results of the argument; the second one unless it has no place. */
static inline void mb_sum_up(
    const mb_sums *of, const double *factor, const double *argument, double *value, double **res)
{
    const mb_sum_run *run = of->run, *end = run + (res[1] ? of->runs : of->rate_runs);
    const MB_PLACE *place = of->factor, *back = of->back;
    double *sum = value + 1 + of->entries;
    int i, k;
    value[0] = 0;
    for (k = 0; k < of->entries; k++)
        value[1 + k] = argument[k];
    for (; run < end; run++)
        for (i = 0; i < run->sums; i++) {
            double total = mb_term(run->kind, factor[*place++], *(sum - *back++));
            for (k = 1; k < run->terms; k++)
                total += factor[*place++] * *(sum - *back++);
            *sum++ = total;
        }
    for (k = 0; k < of->rates; k++)
        res[0][k] = value[of->result[k]];
    for (k = 0; res[1] && k < of->outputs; k++)
        res[1][k] = value[of->result[of->rates + k]];
}

/* The transpose: entries of the argument, each with what seeds of the results take of it. */
static inline void mb_sum_back(const mb_sums *of, const double *factor, const double *rate_seed,
    const double *output_seed, double *value, double *argument)
{
    const mb_sum_run *run = of->run + of->runs;
    const MB_PLACE *place = of->factor + of->terms, *back = of->back + of->terms;
    double *sum = value + 1 + of->entries + of->sums;
    int i, k;
    for (k = 0; k < 1 + of->entries + of->sums; k++)
        value[k] = 0;
    for (k = 0; k < of->rates; k++)
        value[of->result[k]] += rate_seed[k];
    for (k = 0; k < of->outputs; k++)
        value[of->result[of->rates + k]] += output_seed[k];
    while (run-- > of->run)
        for (i = 0; i < run->sums; i++) {
            sum--;
            for (k = 0; k < run->terms; k++) {
                double *to = sum - *--back;
                *to += mb_term(run->kind, factor[*--place], *sum);
            }
        }
    for (k = 0; k < of->entries; k++)
        argument[k] = value[1 + k];
}

#endif
