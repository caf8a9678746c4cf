/* Evaluation at the present values: each result once, and every one finite. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mb_calculation.h"
#include "mb_tolerances.h"

enum { MOST_ZEROS = 300 /* characters */ };

/* Writes which parameters have been set to zero that are not by default: a mass, say. */
static void list_zeros(const mb_instance *m, char *to, size_t size)
{
    size_t used = 0;
    to[0] = 0;
    for (int i = 0; i < m->model->variables; i++) {
        const mb_variable *v = &m->model->variable[i];
        const size_t more = strlen(v->name) + 2;
        const int zero = v->kind == MB_PARAMETER && v->type == MB_REAL && v->start != 0 &&
                         m->now.p[v->index] == 0;
        if (!zero || used + more >= size)
            continue;
        snprintf(to + used, size - used, "%s%s", used > 0 ? ", " : "", v->name);
        used = strlen(to);
    }
}

static mb_status fail_not_finite(mb_instance *m, const char *name)
{
    char zeros[MOST_ZEROS];
    list_zeros(m, zeros, sizeof zeros);
    return mb_fail(m,
                   "%s is not finite at t = %.9g s: the configuration is singular or a value is "
                   "out of its physical range; check states, inputs and parameters%s%s",
                   name ? name : "a calculated value", m->now.t,
                   zeros[0] ? ", of which these are set to 0: " : "", zeros);
}

/* The name of the first value that is not finite and has one, else NULL. */
static const char *name_not_finite(const mb_instance *m, mb_kind kind, const double *values, int n)
{
    const mb_variable *row = NULL;
    for (int i = 0; i < n && !row; i++)
        if (!isfinite(values[i]))
            row = mb_row_of(m->model, kind, i);
    return row ? row->name : NULL;
}

static mb_status check_rate(mb_instance *m, const double *rate)
{
    if (mb_all_finite(rate, m->model->ns))
        return MB_OK;
    return fail_not_finite(m, name_not_finite(m, MB_DERIVATIVE, rate, m->model->ns));
}

/* An output that is the derivative of a state has that one's row, and so its name. */
static mb_status check_output(mb_instance *m)
{
    if (mb_all_finite(m->output, m->model->ny))
        return MB_OK;
    const char *name = name_not_finite(m, MB_OUTPUT, m->output, m->model->ny);
    const mb_status status = name ? MB_OK : mb_derive(m, m->rate);
    return status ? status : fail_not_finite(m, name);
}

mb_status mb_configure(mb_instance *m)
{
    if (m->fresh & MB_CONFIGURED)
        return MB_OK;
    if (mb_exhausted(m))
        return mb_fail_exhausted(m);
    const mb_status status = mb_check_parameters(m);
    return status ? status : mb_follow(m);
}

mb_status mb_derive(mb_instance *m, double *rate) { return mb_derive_measured(m, rate, NULL); }

/* The rate, and the measures of regularity unless they are to go nowhere. */
mb_status mb_derive_measured(mb_instance *m, double *rate, double *measure)
{
    m->rate_wanted = rate == m->rate;
    const mb_status status = mb_configure(m);
    m->rate_wanted = 0;
    if (status)
        return status;
    if (measure || rate != m->rate || !(m->fresh & MB_RATED))
        mb_run_rates(m, &m->now, rate, measure);
    return check_rate(m, rate);
}

/* Whether any contact is closed or slip held at present, so that its force counts. */
int mb_closed_contacts(const mb_instance *m)
{
    if (m->model->contacts == 0)
        return 0;
    for (int i = 0; i < m->model->ne; i++)
        if (m->model->kind[i] >= MB_CLOSED && m->now.d[i] > 0.5)
            return 1;
    return 0;
}

mb_status mb_indicate(mb_instance *m)
{
    const mb_model *model = m->model;
    const mb_status status = mb_configure(m);
    if (status || (m->fresh & MB_INDICATED))
        return status;
    if (model->ne > 0) {
        const int closed = mb_closed_contacts(m);
        mb_run(m, closed ? &model->indicator : &model->free_indicator, &m->now, m->indicator, NULL);
        for (int i = 0; i < model->ne; i++)
            if (!isfinite(m->indicator[i]))
                return mb_fail(m,
                               "the indicator of event %s is not finite at t = %.9g s; check states, "
                               "inputs and parameters",
                               model->event[i], m->now.t);
    }
    m->fresh |= MB_INDICATED;
    return MB_OK;
}

/* One of MB_DERIVED, MB_OBSERVED and MB_INDICATED, where nothing that must hold is violated. */
mb_status mb_evaluate(mb_instance *m, unsigned wanted)
{
    if (m->fresh & wanted)
        return MB_OK;
    m->rate_wanted = wanted == MB_DERIVED;
    mb_status status = mb_configure(m);
    m->rate_wanted = 0;
    if (!status)
        status = mb_check(m);
    if (status)
        return status;
    if (wanted == MB_INDICATED)
        return mb_indicate(m);
    if (wanted == MB_DERIVED)
        status = mb_derive(m, m->rate);
    else {
        mb_run(m, &m->model->output, &m->now, m->output, NULL);
        status = check_output(m);
    }
    if (!status)
        m->fresh |= wanted;
    return status;
}

static mb_status measure_regularity(mb_instance *m)
{
    const mb_model *model = m->model;
    if (model->nr == 0)
        return MB_OK;
    if (!(m->fresh & MB_SIGNED))
        mb_run(m, &model->regularity, &m->now, m->sign, NULL);
    return mb_accept_regularity(m, m->sign);
}

/* Makes `now` the place from which the next configurations are reached. */
mb_status mb_accept(mb_instance *m)
{
    if (m->fresh & MB_ACCEPTED)
        return MB_OK;
    mb_status status = mb_configure(m);
    if (!status)
        status = mb_check(m);
    if (!status)
        status = measure_regularity(m);
    if (status)
        return status;
    mb_tell(m);
    mb_copy_point(m->model, &m->accepted, &m->now);
    m->fresh |= MB_ACCEPTED;
    return MB_OK;
}
