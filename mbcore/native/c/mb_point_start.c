/* Starts of analyses: assembled, checked, able to move. Where something is not as it should be, the
 * host finds out by itself what to say.
 */
#include <math.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_point.h"
#include "mb_tolerances.h"

static const double MASSLESS = 1e-13; /* part of a mass that counts as none */

/* Whether the model's own values lead to another branch; their configuration is kept. */
static int is_on_own_branch(mb_analysis *a, const mb_point *own, const double *measure)
{
    mb_instance *m = a->m;
    const mb_model *model = MB_MODEL;
    const size_t given = (size_t)(model->ns + model->nd + model->nu) * sizeof(double);
    const size_t np = (size_t)model->np * sizeof(double);
    if (!a->own_known || memcmp(a->own.values, own->values, given) != 0 ||
        memcmp(a->own.p, own->p, np) != 0) {
        mb_copy_point(model, &a->own, own);
        a->own_found = mb_assemble(m, &a->own);
        mb_run(m, &model->conditioning, &a->own, a->own_measure, NULL);
        a->own_known = 1;
    }
    return !a->own_found || mb_same_branch(a->own_measure, measure, model->nr);
}

static int has_event(mb_instance *m, const mb_point *at)
{
    const mb_model *model = MB_MODEL;
    if (!model->ne)
        return 0;
    mb_run(m, &model->indicator, at, m->indicator, NULL);
    for (int i = 0; i < model->ne; i++)
        if (!(at->d[i] > 0.5) && m->indicator[i] > 0 && model->kind[i] != MB_IMPACT)
            return 1;
    return 0;
}

/* Whether some motion moves no mass, by the LU factors of M where its diagonal is scaled to one. */
int mb_point_is_massless(mb_analysis *a, const double *M)
{
    const int n = MB_MODEL->nf;
    double *f = a->factors;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double size = sqrt(fabs(M[i + n * i])) * sqrt(fabs(M[j + n * j]));
            f[i + n * j] = M[i + n * j] / (size > 0 ? size : 1);
        }
    int massless = !mb_factorize(f, a->m->pivot, n);
    for (int k = 0; k < n; k++)
        massless |= !(fabs(f[k + n * k]) > MASSLESS);
    return massless;
}

/* Assembles a start and checks it; gives the coordinates' sizes and the conditioning measures. */
static int assembles(mb_analysis *a, mb_point *at, const mb_point *own, double *scale,
                     double *measure)
{
    mb_instance *m = a->m;
    if (!mb_point_meets(m, at, MB_VIOLATION_IS_ERROR, 1u << MB_OF_PARAMETERS) || !mb_assemble(m, at))
        return 0;
    memmove(scale, m->scale, (size_t)MB_MODEL->nx * sizeof(double));
    mb_run(m, &MB_MODEL->conditioning, at, measure, NULL);
    return is_on_own_branch(a, own, measure) &&
           mb_point_meets(m, at, MB_VIOLATION_IS_ERROR, MB_AT_ANY_TIME);
}

/* Whether blocks are regular, rates finite, and every motion moves mass, which the host knows where
 * there is no function for it (a place below 0). Mass and rates are kept, for what is started is
 * linearized next. */
static int can_move(mb_analysis *a, const mb_point *at, int mass, const double *measure)
{
    mb_instance *m = a->m;
    for (int i = 0; i < MB_MODEL->nr; i++)
        if (!(fabs(measure[i]) > MB_SINGULAR))
            return 0;
    a->started_known = 0;
    mb_run_rates(m, at, a->rates, NULL);
    if (!mb_all_finite(a->rates, MB_MODEL->ns))
        return 0;
    if (mass < 0)
        return 1;
    mb_run(m, &mb_generated_functions[mass], at, a->mass, m->adjoint);
    if (mb_point_is_massless(a, a->mass))
        return 0;
    mb_copy_point(MB_MODEL, &a->started, at);
    a->started_known = 1;
    return 1;
}

/* Starts where no event occurs and nothing is closed or held. `own` is the start of the model's
 * author. */
MB_EXPORT int mb_point_start(mb_analysis *a, mb_point *at, const mb_point *own, int mass,
                             double *scale, double *measure)
{
    return assembles(a, at, own, scale, measure) && !has_event(a->m, at) &&
           can_move(a, at, mass, measure);
}

/* Starts the instance at its own values, with its events. */
int mb_point_begin(mb_analysis *a, const mb_point *own, int mass)
{
    mb_instance *m = a->m;
    mb_point *at = &m->now;
    if (!assembles(a, at, own, m->scale, m->measure))
        return 0;
    if (has_event(m, at)) {
        m->extra[MB_EXTRA_fired] = m->fired; /* not the host's */
        mb_copy_point(MB_MODEL, &m->accepted, at);
        m->fresh = MB_CONFIGURED;
        mb_start_conditioning(m, m->measure);
        if (mb_start_events(m) || mb_project(m) ||
            !mb_point_meets(m, at, MB_VIOLATION_IS_ERROR, MB_AT_ANY_TIME))
            return 0;
        mb_run(m, &MB_MODEL->conditioning, at, m->measure, NULL);
    }
    return can_move(a, at, mass, m->measure);
}
