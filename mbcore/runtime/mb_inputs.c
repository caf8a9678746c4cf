/* Inputs that have more to them than a value: states that start there, and rates given beside. */
#include <math.h>

#include "mb_instance.h"
#include "mb_tolerances.h"

/* States that start at an input's value take it while start values may still change. */
void mb_start_at_input(mb_instance *m, int input)
{
    for (int i = 0; i < m->model->input_starts; i++) {
        const mb_input_start *start = &m->model->input_start[i];
        if (start->input == input)
            m->now.s[start->state] = m->now.u[input];
    }
}

/* The input at whose value a state starts, or -1. */
int mb_start_input(const mb_model *model, int state)
{
    for (int i = 0; i < model->input_starts; i++)
        if (model->input_start[i].state == state)
            return model->input_start[i].input;
    return -1;
}

static double largest(double a, double b, double c)
{
    return fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

static int contradicts(double before, double now, double rate_before, double rate_now, double span)
{
    const double slope = (now - before) / span;
    const double apart =
        fmax(slope - fmax(rate_before, rate_now), fmin(rate_before, rate_now) - slope);
    const double noise = MB_RATE_FLOOR * (1 + fmax(fabs(before), fabs(now))) / span;
    return apart > MB_RATE_AGREES * largest(slope, rate_before, rate_now) + noise;
}

/* Tells once of each input that has changed otherwise since the accepted point than the rate that is
 * given with it; the accepted inputs were given at the time `since`. A solver's steps may pass over
 * whole periods of an input, so where `steady_only` just rates that are the same at both ends count. */
void mb_compare_rates(mb_instance *m, double since, int steady_only)
{
    const mb_model *model = m->model;
    const double span = m->now.t - since, *u = m->now.u, *before = m->accepted.u;
    if (!(span > 0))
        return;
    for (int i = 0; i < model->input_rates; i++) {
        const int input = model->input_rate[i].input, rate = model->input_rate[i].rate;
        if (m->rate_told[i] || (steady_only && before[rate] != u[rate]) ||
            !contradicts(before[input], u[input], before[rate], u[rate], span))
            continue;
        mb_run(m, &model->rate_use, &m->now, m->input_use, NULL);
        if (m->input_use[input] == 0)
            continue;
        m->rate_told[i] = 1;
        mb_warn(m,
                "%s changes by %.6g per second from t = %.9g s to t = %.9g s, but its rate %s is "
                "%.6g there; motions and forces that use both are wrong, connect %s to the "
                "derivative of %s",
                mb_name_of(model, MB_INPUT, input), (u[input] - before[input]) / span, since,
                m->now.t, mb_name_of(model, MB_INPUT, rate), u[rate],
                mb_name_of(model, MB_INPUT, rate), mb_name_of(model, MB_INPUT, input));
    }
}
