/* The generated functions, called with a point's values, and what every evaluation does with points.
 *
 * Most of it is inline: where a model's tables are compiled together with the runtime, sizes, arguments
 * and the functions themselves are constants here, and next to nothing is left of these calls.
 */
#ifndef MB_RUN_H
#define MB_RUN_H

#include <math.h>
#include <string.h>

#include "mb_instance.h"
#include "mb_tolerances.h"

/* mb_run.c */
void mb_keep_parameters(mb_instance *m);
void mb_update_cache(mb_instance *m, const mb_point *at);
void mb_run_change(mb_instance *m, const mb_point *at, double *rate, double *output);
void mb_run_rates_to_share(mb_instance *m, const mb_point *at, double *rate);
void mb_run_changes(mb_instance *m, const mb_point *at, const mb_columns *of, double *rate,
                    double *output);
double mb_relative_tolerance(const mb_instance *m);
int mb_each_finite(const double *values, int n);

static inline void mb_lay_arguments(mb_instance *m, const mb_point *at)
{
    const double **arg = m->arg;
    if (at == &m->now && arg[0] == &at->t) /* most calls in a row are at `now` */
        return;
    arg[0] = &at->t;
    arg[1] = at->s;
    arg[2] = at->d;
    arg[3] = at->u;
    arg[4] = at->p;
}

/* At a point whose arguments have been laid, with coordinates that may be others. */
static inline void mb_call_from(mb_instance *m, const mb_function *function, const double *x,
                                double *first, double *second)
{
    const double **arg = m->arg;
    arg[5] = x;
    for (int k = 0; k < function->extras; k++)
        arg[MB_ARGUMENTS + k] = m->extra[function->extra[k]];
    m->work += MB_CALL + function->statements;
    m->res[0] = first;
    m->res[1] = second;
    function->call(arg, m->res, m->w);
}

static inline void mb_call_at(mb_instance *m, const mb_function *function, const mb_point *at,
                              double *first, double *second)
{
    mb_lay_arguments(m, at);
    mb_call_from(m, function, at->x, first, second);
}

static inline int mb_uses_cache(const mb_function *function)
{
    return function->extras > 0 && function->extra[function->extras - 1] == MB_EXTRA_cached;
}

static inline void mb_note_cached(mb_instance *m, const mb_point *at)
{
    m->cached_now = m->cached_part = 0;
    m->cache_valid = 1;
    mb_copy_own(m, &m->cached_at, at);
}

static inline void mb_note_cached_now(mb_instance *m)
{
    m->rate_cached = m->cache_valid = m->cached_part = 0;
    m->cached_now = 1;
    m->fresh |= MB_CACHED;
}

/* Of what is cached, some values are others now. */
static inline void mb_note_cached_part(mb_instance *m, const mb_point *at)
{
    m->rate_cached = m->cache_valid = m->cached_now = 0;
    m->cached_part = at == &m->now;
    m->fresh |= m->cached_part ? MB_CACHED : 0;
}

static inline int mb_now_is_cached(const mb_instance *m)
{
    return m->cached_now && m->fresh & MB_CACHED;
}

static inline int mb_is_cached(const mb_instance *m, const mb_point *at)
{
    const size_t values = m->parameters_kept ? mb_moving_values(MB_MODEL) : mb_point_size(MB_MODEL);
    const size_t size = values * sizeof(double);
    if (at == &m->now && mb_now_is_cached(m))
        return 1;
    return m->cache_valid && m->cached_at.t == at->t && !memcmp(m->cached_at.values, at->values, size);
}

static inline void mb_run(mb_instance *m, const mb_function *function, const mb_point *at,
                          double *first, double *second)
{
    if (mb_uses_cache(function) && !(at == &m->now && mb_now_is_cached(m)))
        mb_update_cache(m, at);
    mb_call_at(m, function, at, first, second ? second : m->unused);
}

/* The rate at a point and, unless `measure` is NULL, the conditioning measures there. The
 * generated rate has the factors of the Jacobians, so that their measures cost next to nothing
 * with it. Where indicators follow, or the check of its virtual power, what they share with the rate is
 * cached. */
static inline void mb_run_rates(mb_instance *m, const mb_point *at, double *rate, double *measure)
{
    const mb_model *model = MB_MODEL;
    const int caches = m->indicators_follow && model->ne > 0 && model->caches_with_rates;
    const int part = m->indicators_follow && !caches && model->checked_values > 0 &&
                     m->unchecked_steps >= MB_CHECKED_STEPS - 1;
    if (!measure && m->rate_cached && mb_is_cached(m, at)) {
        memcpy(rate, m->cached_rate, (size_t)model->ns * sizeof(double));
        return;
    }
    m->evaluations++;
    m->res[2] = caches ? m->cached : NULL;
    m->res[3] = caches || part ? m->cached : NULL;
    mb_call_at(m, &model->derivative, at, rate, model->measures_with_rates ? measure : NULL);
    if (part)
        mb_note_cached_part(m, at);
    if (caches && at == &m->now)
        mb_note_cached_now(m);
    else if (caches) {
        m->rate_cached = 0;
        mb_note_cached(m, at);
    }
    if (measure && !model->measures_with_rates)
        mb_run(m, &model->conditioning, at, measure, NULL);
}

/* A sum is finite only if all its terms are; where it is not, it may just be too large. */
static inline int mb_all_finite(const double *values, int n)
{
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    if (n >= 4) {
        a = values[0], b = values[1], c = values[2], d = values[3];
        i = 4;
    }
    for (; i + 4 <= n; i += 4) {
        a += values[i];
        b += values[i + 1];
        c += values[i + 2];
        d += values[i + 3];
    }
    for (; i < n; i++)
        a += values[i];
    const double sum = (a + b) + (c + d);
    return sum - sum == 0 || mb_each_finite(values, n); /* the difference is NaN else */
}

#endif
