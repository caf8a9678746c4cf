/* Evaluation at the present values. What is known already is seen here, without a call. */
#ifndef MB_EVALUATE_H
#define MB_EVALUATE_H

#include "mb_evaluation.h"

mb_status mb_check_all_parameters(mb_instance *m);
mb_status mb_check_start(mb_instance *m);
mb_status mb_check_now(mb_instance *m);
mb_status mb_configure_now(mb_instance *m);
mb_status mb_indicate_now(mb_instance *m);
mb_status mb_evaluate_now(mb_instance *m, unsigned wanted);
mb_status mb_accept_now(mb_instance *m);
mb_status mb_fail_rate(mb_instance *m, const double *rate);

/* What must hold of the parameters alone; before any configuration is sought. */
static inline mb_status mb_check_parameters(mb_instance *m)
{
    return m->parameters_checked ? MB_OK : mb_check_all_parameters(m);
}

/* What must hold while the model runs; needs a configuration. */
static inline mb_status mb_check(mb_instance *m)
{
    return m->fresh & MB_CHECKED ? MB_OK : mb_check_now(m);
}

static inline mb_status mb_configure(mb_instance *m)
{
    return m->fresh & MB_CONFIGURED ? MB_OK : mb_configure_now(m);
}

static inline mb_status mb_indicate(mb_instance *m)
{
    const unsigned both = MB_CONFIGURED | MB_INDICATED;
    return (m->fresh & both) == both ? MB_OK : mb_indicate_now(m);
}

/* One of MB_DERIVED, MB_OBSERVED and MB_INDICATED, where nothing that must hold is violated. */
static inline mb_status mb_evaluate(mb_instance *m, unsigned wanted)
{
    return m->fresh & wanted ? MB_OK : mb_evaluate_now(m, wanted);
}

/* Makes `now` the accepted point, from which the next configurations are solved for. */
static inline mb_status mb_accept(mb_instance *m)
{
    return m->fresh & MB_ACCEPTED ? MB_OK : mb_accept_now(m);
}

/* The rate, and the conditioning measures unless `measure` is NULL. */
static inline mb_status mb_derive_measured(mb_instance *m, double *rate, double *measure)
{
    m->rate_wanted = rate == m->rate;
    const mb_status status = mb_configure(m);
    m->rate_wanted = 0;
    if (status)
        return status;
    if (measure || rate != m->rate || !(m->fresh & MB_RATED))
        mb_run_rates(m, &m->now, rate, measure);
    return mb_all_finite(rate, MB_MODEL->ns) ? MB_OK : mb_fail_rate(m, rate);
}

void mb_warn_unmet(mb_instance *m);
void mb_warn_limit(mb_instance *m, const mb_variable *v, double value, double t);
mb_status mb_find_configuration(mb_instance *m);
mb_status mb_derive(mb_instance *m, double *rate);

#endif
