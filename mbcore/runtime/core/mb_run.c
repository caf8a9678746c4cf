/* What generated functions share at a point, and what is kept of it while a call lasts. */
#include "mb_run.h"

static const double TIGHTEST = 1e-13; /* below it rounding errors dominate: steps would shrink to 0 */

/* Begins a call in which parameters stay as they are. Where the accepted point has the same ones, no
 * point of the instance has others until the call ends. */
void mb_keep_parameters(mb_instance *m)
{
    const size_t size = (size_t)MB_MODEL->np * sizeof(double);
    m->parameters_kept = m->parameters_same;
    if (m->parameters_same)
        return;
    if (memcmp(m->cached_at.p, m->now.p, size) != 0) {
        memcpy(m->cached_at.p, m->now.p, size);
        m->cache_valid = 0;
    }
    m->parameters_kept = m->parameters_same = !memcmp(m->accepted.p, m->now.p, size);
}

/* Calculates the values that several functions need, unless they are cached for the same point:
 * importers often read rates, outputs and indicators of one point in turn. The rate comes with them and
 * is often the next to be asked for; it is kept here, because nothing that is saved with the state may
 * depend on what happens to be cached. */
void mb_update_cache(mb_instance *m, const mb_point *at)
{
    if (mb_is_cached(m, at))
        return;
    m->rate_cached = at == &m->now && MB_MODEL->caches_with_rates;
    if (m->rate_cached) {
        m->evaluations++;
        m->res[2] = m->res[3] = m->cached;
        mb_call_at(m, &MB_MODEL->derivative, at, m->cached_rate, NULL);
    } else
        mb_call_at(m, &MB_MODEL->common, at, m->cached, NULL);
    mb_note_cached(m, at);
}

int mb_each_finite(const double *values, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

/* The change of the rate by m->variation, and, unless that is NULL, of the outputs. */
void mb_run_change(mb_instance *m, const mb_point *at, double *rate, double *output)
{
    const mb_function *change = &MB_MODEL->change;
    if (mb_uses_cache(change))
        mb_update_cache(m, at);
    mb_call_at(m, change, at, rate, output);
}

/* The rate at a point, and what functions share there, at once. */
void mb_run_rates_to_share(mb_instance *m, const mb_point *at, double *rate)
{
    if (!mb_uses_cache(&MB_MODEL->change) || mb_is_cached(m, at)) {
        mb_run_rates(m, at, rate, NULL);
        return;
    }
    m->evaluations++;
    m->rate_cached = 0;
    mb_call_at(m, &MB_MODEL->common, at, m->cached, rate);
    mb_note_cached(m, at);
}

/* Changes of rate and output along several variations, row by row, where they are written. */
void mb_run_changes(mb_instance *m, const mb_point *at, const mb_columns *of, double *rate,
                    double *output)
{
    const double **arg = m->arg;
    mb_update_cache(m, at);
    mb_lay_arguments(m, at);
    arg[MB_ARGUMENTS - 1] = at->x;
    arg[MB_ARGUMENTS] = m->extra[MB_EXTRA_cached];
    m->work += MB_CALL + (double)of->count * MB_MODEL->change.statements;
    m->res[0] = rate;
    m->res[1] = output;
    MB_MODEL->changes(arg, of, m->res, m->w);
}

/* The relative tolerance of integration: the importer's, or the parameter's. */
double mb_relative_tolerance(const mb_instance *m)
{
    const double given = m->tolerance > 0 ? m->tolerance : mb_solver(m, MB_SOLVER_TOLERANCE);
    return given > TIGHTEST ? given : TIGHTEST;
}
