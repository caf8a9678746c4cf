/* Evaluation at the present values: each result once, and every one finite. */
#include <math.h>
#include <string.h>

#include "mb_calculation.h"
#include "mb_tolerances.h"

static int first_not_finite(const double *values)
{
    int i = 0;
    while (isfinite(values[i]))
        i++;
    return i;
}

static mb_status fail_not_finite(mb_instance *m, mb_kind kind, const double *values)
{
    const int i = first_not_finite(values);
    return mb_fail(m,
                   "%s is not finite at t = %.9g s: the configuration is singular or a value is "
                   "out of its physical range; check states, inputs and parameters",
                   mb_name_of(m->model, kind, i), m->now.t);
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
    return mb_all_finite(rate, m->model->ns) ? MB_OK : fail_not_finite(m, MB_DERIVATIVE, rate);
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
        if (!mb_all_finite(m->indicator, model->ne))
            return mb_fail(m,
                           "the indicator of event %s is not finite at t = %.9g s; check states, "
                           "inputs and parameters",
                           model->event[first_not_finite(m->indicator)], m->now.t);
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
        if (!mb_all_finite(m->output, m->model->ny))
            status = fail_not_finite(m, MB_OUTPUT, m->output);
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
