/* A function that is linear in one argument, and its transpose, from one table.
 *
 * Values are a zero, the entries of the argument, and sums behind them. A term of a sum is a value,
 * which is so many places before the sum, times a factor; or it is divided by the factor, or taken
 * only if that is not zero; a sum of several terms has products only. Factors depend on the point
 * alone. Sums with equally many terms follow each other in runs, because a processor foresees such
 * loops; the shortest are written out. */
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

/* Macros, because the file that includes this is compiled without inlining.
 * Term k of the sum that comes next, and loops over the sums of a run. */
#define MB_TERM(k) (factor[place[k]] * *(sum - back[k]))
#define MB_EACH_SUM(terms, value) \
    for (; sum < end; sum++, place += (terms), back += (terms)) \
        *sum = value

/* Results of the argument; the second one unless it has no place. */
static inline void mb_sum_up(
    const mb_sums *of, const double *factor, const double *argument, double *value, double **res)
{
    const mb_sum_run *run = of->run, *last = run + (res[1] ? of->runs : of->rate_runs);
    const MB_PLACE *place = of->factor, *back = of->back;
    double *sum = value + 1 + of->entries;
    int k;
    value[0] = 0;
    for (k = 0; k < of->entries; k++)
        value[1 + k] = argument[k];
    for (; run < last; run++) {
        const double *end = sum + run->sums;
        if (run->kind == MB_QUOTIENT)
            MB_EACH_SUM(1, *(sum - *back) / factor[*place]);
        else if (run->kind == MB_CHOICE)
            MB_EACH_SUM(1, factor[*place] != 0 ? *(sum - *back) : 0);
        else if (run->terms == 1)
            MB_EACH_SUM(1, MB_TERM(0));
        else if (run->terms == 2)
            MB_EACH_SUM(2, MB_TERM(0) + MB_TERM(1));
        else if (run->terms == 3)
            MB_EACH_SUM(3, MB_TERM(0) + MB_TERM(1) + MB_TERM(2));
        else
            for (; sum < end; sum++, place += run->terms, back += run->terms) {
                double total = MB_TERM(0);
                for (k = 1; k < run->terms; k++)
                    total += MB_TERM(k);
                *sum = total;
            }
    }
    for (k = 0; k < of->rates; k++)
        res[0][k] = value[of->result[k]];
    for (k = 0; res[1] && k < of->outputs; k++)
        res[1][k] = value[of->result[of->rates + k]];
}

/* What a seed gives to the value of term k, and loops over the sums of a run from its end. A seed
 * of zero gives nothing, whatever the factor, which may be infinite where a choice shuts it out. */
#define MB_GIVE(k) *(sum - back[k]) += factor[place[k]] * seed
#define MB_EACH_SEED(terms, give) \
    while (sum > first) { \
        const double seed = *--sum; \
        place -= (terms); \
        back -= (terms); \
        if (seed != 0) { \
            give; \
        } \
    }

/* The transpose: entries of the argument, each with what seeds of the results take of it. */
static inline void mb_sum_back(const mb_sums *of, const double *factor, const double *rate_seed,
    const double *output_seed, double *value, double *argument)
{
    const mb_sum_run *run = of->run + of->runs;
    const MB_PLACE *place = of->factor + of->terms, *back = of->back + of->terms;
    double *sum = value + 1 + of->entries + of->sums;
    int k;
    for (k = 0; k < 1 + of->entries + of->sums; k++)
        value[k] = 0;
    for (k = 0; k < of->rates; k++)
        value[of->result[k]] += rate_seed[k];
    for (k = 0; k < of->outputs; k++)
        value[of->result[of->rates + k]] += output_seed[k];
    while (run-- > of->run) {
        const double *first = sum - run->sums;
        if (run->kind == MB_QUOTIENT)
            MB_EACH_SEED(1, *(sum - *back) += seed / factor[*place])
        else if (run->kind == MB_CHOICE)
            MB_EACH_SEED(1, *(sum - *back) += factor[*place] != 0 ? seed : 0)
        else if (run->terms == 1)
            MB_EACH_SEED(1, MB_GIVE(0))
        else if (run->terms == 2)
            MB_EACH_SEED(2, MB_GIVE(1); MB_GIVE(0))
        else if (run->terms == 3)
            MB_EACH_SEED(3, MB_GIVE(2); MB_GIVE(1); MB_GIVE(0))
        else
            MB_EACH_SEED(run->terms, for (k = run->terms; k-- > 0;) MB_GIVE(k))
    }
    for (k = 0; k < of->entries; k++)
        argument[k] = value[1 + k];
}

#endif
