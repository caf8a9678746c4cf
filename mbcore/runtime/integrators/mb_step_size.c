/* Lengths of steps: of the first one, of the next one by the error of the last, and so that a step
 * ends where the next impact is expected. */
#include <math.h>

#include "mb_integrator.h"

static const double SAFETY = 0.9;          /* of a step size expected to be just good enough */
static const double GROWTH = 5;            /* largest change of the step size */
static const double SMALLEST_ERROR = 1e-4; /* what step size control remembers at least */

static double norm_of_rate(const mb_instance *m) { return mb_error_norm(m, m->rate); }

/* A first step that changes no state by more than a small part of its size, and whose error
 * should be small; after E. Hairer, S. P. Norsett, G. Wanner: Solving Ordinary Differential
 * Equations I, section II.4, with nominal values for the sizes. */
double mb_first_step(mb_instance *m, double longest)
{
    const int n = MB_MODEL->ns;
    const unsigned fresh = m->fresh;
    const double speed = norm_of_rate(m), change = 0.01 / mb_relative_tolerance(m);
    double h = speed * longest > change ? change / speed : longest;
    double *rate = m->stage[1], largest = speed;

    for (int i = 0; i < n; i++)
        m->now.s[i] = m->accepted.s[i] + h * m->rate[i];
    m->check_stages = 0;
    if (mb_stage(m, h, 1, rate))
        h /= 100;
    else {
        for (int i = 0; i < n; i++)
            rate[i] = (rate[i] - m->rate[i]) / h;
        largest = fmax(largest, mb_error_norm(m, rate));
        if (largest > 0)
            h = fmin(100 * h, pow(0.01 / largest, m->method->exponent));
    }
    mb_copy_own(m, &m->now, &m->accepted);
    m->fresh = fresh;
    return fmin(h, longest);
}

/* Factor for the next step size; PI control as in DOPRI5 of Hairer, Norsett and Wanner. */
static double step_size_factor(const mb_instance *m, double error)
{
    const mb_method *method = m->method;
    double factor = SAFETY * pow(error, 0.75 * method->damping - method->exponent);
    if (m->step_size.error > 0)
        factor *= pow(m->step_size.error, method->damping);
    return fmax(1 / GROWTH, fmin(GROWTH, factor));
}

/* Factor for a step that is repeated because of its error. */
double mb_repeat_factor(const mb_instance *m, double error)
{
    return fmin(SAFETY, step_size_factor(m, error));
}

void mb_next_step_size(mb_instance *m, double h, double error, int repeated)
{
    double next = h * step_size_factor(m, fmax(error, SMALLEST_ERROR * SMALLEST_ERROR));
    if (repeated && next > h)
        next = h;
    /* a step that the communication interval cut short says nothing against a longer one */
    if (repeated || 2 * h > m->step_size.next || next > m->step_size.next)
        m->step_size.next = next;
    m->step_size.error = fmax(error, SMALLEST_ERROR);
}

/* The time until an impact is expected, after a step of length h. A flight may last longer than
 * expected: then steps double from there on, for a long one would pass over a contact that is
 * short. */
double mb_time_to_impact_after(double time_to_impact, double h)
{
    if (!(time_to_impact > 0))
        return 0;
    return h < time_to_impact ? fmax(time_to_impact - h, h) : 2 * h;
}
