/* The generated functions, called with a point's values, and the work that one call of an importer
 * may cause by them, whatever the values are: solver.most_evaluations right-hand sides.
 *
 * Work is counted in statements of the model. It is checked where a configuration is solved for,
 * because every loop that may be long does that. Once it is used up, every further configuration fails,
 * and so the call ends and restores the state from before it.
 */
#include <math.h>
#include <string.h>

#include "mb_instance.h"

static const double TIGHTEST = 1e-13; /* below it rounding errors dominate: steps would shrink to 0 */

void mb_lay_point(const mb_model *model, mb_point *point, double *values)
{
    point->values = point->s = values;
    point->d = point->s + model->ns;
    point->u = point->d + model->nd;
    point->x = point->u + model->nu;
    point->p = point->x + model->nx;
}

size_t mb_moving_values(const mb_model *model)
{
    return (size_t)(model->ns + model->nd + model->nu + model->nx);
}

size_t mb_point_size(const mb_model *model) { return mb_moving_values(model) + (size_t)model->np; }

void mb_copy_point(const mb_model *model, mb_point *to, const mb_point *from)
{
    to->t = from->t;
    memcpy(to->values, from->values, mb_point_size(model) * sizeof(double));
}

/* How many values of a point may differ from those of the instance's other points. */
static size_t own_values(const mb_instance *m)
{
    return m->parameters_kept ? mb_moving_values(m->model) : mb_point_size(m->model);
}

/* The same between points of the instance. */
void mb_copy_own(const mb_instance *m, mb_point *to, const mb_point *from)
{
    to->t = from->t;
    memcpy(to->values, from->values, own_values(m) * sizeof(double));
}

/* Begins a call in which parameters stay as they are. Where the accepted point has the same ones, no
 * point of the instance has others until the call ends. */
void mb_keep_parameters(mb_instance *m)
{
    const size_t size = (size_t)m->model->np * sizeof(double);
    if (memcmp(m->cached_at.p, m->now.p, size) != 0) {
        memcpy(m->cached_at.p, m->now.p, size);
        m->cache_valid = 0;
    }
    m->parameters_kept = !memcmp(m->accepted.p, m->now.p, size);
}

static void call(mb_instance *m, const mb_function *function, const mb_point *at, double *first,
                 double *second)
{
    const double **arg = m->arg;
    if (at != &m->now || arg[0] != &at->t) { /* most calls in a row are at `now` */
        arg[0] = &at->t;
        arg[1] = at->s;
        arg[2] = at->d;
        arg[3] = at->u;
        arg[4] = at->p;
        arg[5] = at->x;
    }
    for (int k = 0; k < function->extras; k++)
        arg[MB_ARGUMENTS + k] = m->extra[function->extra[k]];
    m->work += MB_CALL + function->statements;
    m->res[0] = first;
    m->res[1] = second;
    function->call(arg, m->res, m->w);
}

static int uses_cache(const mb_function *function)
{
    return function->extras > 0 && function->extra[function->extras - 1] == MB_EXTRA_cached;
}

static void note_cached(mb_instance *m, const mb_point *at)
{
    mb_copy_own(m, &m->cached_at, at);
    m->cache_valid = 1;
}

static int is_cached(const mb_instance *m, const mb_point *at)
{
    const size_t size = own_values(m) * sizeof(double);
    return m->cache_valid && m->cached_at.t == at->t && !memcmp(m->cached_at.values, at->values, size);
}

/* Calculates the values that several functions need, unless they are cached for the same point:
 * importers often read rates, outputs and indicators of one point in turn. The rate comes with them and
 * is often the next to be asked for; it is kept here, because nothing that is saved with the state may
 * depend on what happens to be cached. */
static void update_cache(mb_instance *m, const mb_point *at)
{
    if (is_cached(m, at))
        return;
    m->rate_cached = at == &m->now && m->model->caches_with_rates;
    if (m->rate_cached) {
        m->evaluations++;
        m->res[2] = m->cached;
        call(m, &m->model->derivative, at, m->cached_rate, NULL);
    } else
        call(m, &m->model->common, at, m->cached, NULL);
    note_cached(m, at);
}

void mb_run(mb_instance *m, const mb_function *function, const mb_point *at, double *first,
            double *second)
{
    if (uses_cache(function))
        update_cache(m, at);
    call(m, function, at, first, second ? second : m->unused);
}

/* The rate at a point and, unless `measure` is NULL, the conditioning measures there. The
 * generated rate has the factors of the Jacobians, so that their measures cost next to nothing
 * with it. Where indicators follow, what they share with the rate is cached. */
void mb_run_rates(mb_instance *m, const mb_point *at, double *rate, double *measure)
{
    const mb_model *model = m->model;
    const int caches = m->indicators_follow && model->ne > 0 && model->caches_with_rates;
    if (!measure && m->rate_cached && is_cached(m, at)) {
        memcpy(rate, m->cached_rate, (size_t)model->ns * sizeof(double));
        return;
    }
    m->evaluations++;
    m->res[2] = caches ? m->cached : NULL;
    call(m, &model->derivative, at, rate, model->measures_with_rates ? measure : NULL);
    if (caches) {
        m->rate_cached = 0;
        note_cached(m, at);
    }
    if (measure && !model->measures_with_rates)
        mb_run(m, &model->conditioning, at, measure, NULL);
}

/* The change of the rate by m->variation, and, unless that is NULL, of the outputs. */
void mb_run_change(mb_instance *m, const mb_point *at, double *rate, double *output)
{
    const mb_function *change = &m->model->change;
    if (uses_cache(change))
        update_cache(m, at);
    call(m, change, at, rate, output);
}

/* A sum is finite only if all its terms are; where it is not, it may just be too large. */
int mb_all_finite(const double *values, int n)
{
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a += values[i];
        b += values[i + 1];
        c += values[i + 2];
        d += values[i + 3];
    }
    for (; i < n; i++)
        a += values[i];
    if (isfinite((a + b) + (c + d)))
        return 1;
    for (i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

/* The value of one of the runtime's own parameters, which are the last of p. */
double mb_solver(const mb_instance *m, int parameter)
{
    return m->now.p[m->model->np - MB_SOLVER_PARAMETERS + parameter];
}

/* The relative tolerance of integration: the importer's, or the parameter's. */
double mb_relative_tolerance(const mb_instance *m)
{
    const double given = m->tolerance > 0 ? m->tolerance : mb_solver(m, MB_SOLVER_TOLERANCE);
    return given > TIGHTEST ? given : TIGHTEST;
}

void mb_begin_work(mb_instance *m)
{
    const double most = mb_solver(m, MB_SOLVER_MOST_EVALUATIONS);
    if (m->updating)
        return; /* the work of a step goes on */
    m->work = 0;
    m->most_work = most * (MB_CALL + m->model->derivative.statements);
}

int mb_exhausted(const mb_instance *m) { return m->work > m->most_work; }
