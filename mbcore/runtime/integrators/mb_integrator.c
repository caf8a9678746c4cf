/* What the integration methods share: evaluation at a stage, and the norm of an error. */
#include <math.h>

#include "mb_integrator.h"

/* Notes the indicators of a stage. It is not the solution, but where it contradicts an event's mode the
 * step may have passed through the event and back. */
mb_status mb_check_stage(mb_instance *m, double h, double c)
{
    m->last_checked = c;
    const mb_status status = mb_indicate(m);
    if (!status && mb_widen_ranges(m) > 0)
        m->inside = c * h;
    return status;
}

/* The derivative at now.s, c h after the accepted point. */
mb_status mb_stage(mb_instance *m, double h, double c, double *rate)
{
    mb_go_to(m, m->accepted.t + c * h);
    m->beside = m->method->adaptive ? MB_STAGE : MB_ASIDE;
    const int noted = c >= m->last_noted + MB_SPACING, checked = mb_stage_is_checked(m, h, c);
    m->indicators_follow = checked;
    mb_status status = mb_derive_measured(m, rate, noted ? m->measure : NULL);
    m->beside = m->indicators_follow = 0;
    if (!status && noted) {
        m->last_noted = c;
        mb_note_trial(m, m->measure);
    }
    if (!status && checked)
        status = mb_check_stage(m, h, c);
    return status;
}

/* The derivative at the end of a step: the next one begins with it. */
mb_status mb_arrive(mb_instance *m, double t)
{
    mb_go_to(m, t);
    m->indicators_follow = 1;
    const mb_status status = mb_derive(m, m->rate);
    m->indicators_follow = 0;
    if (!status)
        m->fresh |= MB_DERIVED;
    return status;
}

/* The square of an error over its tolerance; `size` is the nominal one of the state. */
static inline double squared(const mb_instance *m, double tolerance, double size, int i, double difference)
{
    const double a = fabs(m->accepted.s[i]), b = fabs(m->now.s[i]);
    const double e = difference / (tolerance * (m->absolute_share * size + (a > b ? a : b)));
    return e * e;
}

/* Root of the mean square of the error over its tolerance. */
double mb_error_norm(const mb_instance *m, const double *difference)
{
    const double tolerance = mb_relative_tolerance(m);
    double sum = 0;
    for (int i = 0; i < MB_MODEL->ns; i++)
        sum += squared(m, tolerance, m->nominal[i], i, difference[i]);
    return MB_MODEL->ns > 0 ? sqrt(sum / MB_MODEL->ns) : 0;
}

/* The same of an implicit step. Rates of fast parts decay within it, and count by a share of what they change
 * in values; other errors of rates add up. */
double mb_implicit_error_norm(const mb_instance *m, double h, const double *difference)
{
    const double tolerance = mb_relative_tolerance(m), *nominal = m->nominal;
    const int valued = m->rates_by_values ? MB_MODEL->nm : 0, value = MB_MODEL->nf;
    double sum = 0;
    for (int i = 0; i < MB_MODEL->ns; i++) {
        const double size = i < valued ? fmax(nominal[i], MB_SHARE_OF_VALUE * nominal[value + i] / h) : nominal[i];
        sum += squared(m, tolerance, size, i, difference[i]);
    }
    return MB_MODEL->ns > 0 ? sqrt(sum / MB_MODEL->ns) : 0;
}
