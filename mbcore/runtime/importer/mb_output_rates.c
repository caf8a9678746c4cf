/* How outputs change in time: exact, along the motion and the courses of the inputs. */
#include <math.h>
#include <string.h>

#include "mb_calls.h"

static mb_status check(mb_instance *m, unsigned reference, int order)
{
    if (reference >= (unsigned)m->model->variables)
        return mb_refuse(m, MB_ERROR,
                         "value reference %u does not exist; the model description lists 0 to %d",
                         reference, m->model->variables - 1);
    const mb_variable *v = &m->model->variable[reference];
    const mb_status visit = mb_check_visit(m, reference, 0);
    if (visit)
        return visit;
    const int calculated = v->kind == MB_OUTPUT || v->kind == MB_STATE || v->kind == MB_DERIVATIVE ||
                           v->kind == MB_DISCRETE;
    if (!calculated || v->type != MB_REAL)
        return mb_refuse(m, MB_ERROR,
                         "%s has no derivative that can be read; read those of real outputs", v->name);
    if (order == 1)
        return MB_OK;
    return mb_refuse(m, MB_ERROR, "the derivative of order %d of %s cannot be read; order 1 can",
                     order, v->name);
}

static double rate_of(const mb_instance *m, const mb_variable *v)
{
    switch (v->kind) {
    case MB_STATE: return m->rate[v->index];
    case MB_DERIVATIVE: return m->rate_rate[v->index];
    case MB_OUTPUT: return m->output_rate[v->index];
    default: return 0; /* discrete: it changes at events only */
    }
}

/* Calculates what all of them are read from. */
static mb_status calculate(mb_instance *m)
{
    const mb_model *model = m->model;
    const mb_status status = mb_provide(m, MB_DERIVED);
    if (status)
        return status;
    memcpy(m->variation, m->rate, (size_t)model->ns * sizeof(double));
    m->variation[model->ns] = 1;
    mb_input_rates(m, m->variation + model->ns + 1);
    mb_run_change(m, &m->now, m->rate_rate, m->output_rate);
    memset(m->variation, 0, (size_t)(model->ns + 1 + model->nu) * sizeof(double));
    return MB_OK;
}

/* The derivatives with respect to time of outputs, all or none. */
mb_status mb_get_output_rates(mb_instance *m, const unsigned *references, const int *orders, size_t n,
                              double *values)
{
    mb_status status = MB_OK;
    for (size_t i = 0; !status && i < n; i++)
        status = check(m, references[i], orders[i]);
    if (status || n == 0 || (status = calculate(m)))
        return status;
    for (size_t i = 0; i < n; i++) {
        const mb_variable *v = &m->model->variable[references[i]];
        if (!isfinite(rate_of(m, v)))
            return mb_fail(m,
                           "the derivative of %s is not finite at t = %.9g s: the output has a corner "
                           "there, or the configuration is singular; go on without it",
                           v->name, m->now.t);
    }
    for (size_t i = 0; i < n; i++)
        values[i] = rate_of(m, &m->model->variable[references[i]]);
    return MB_OK;
}
