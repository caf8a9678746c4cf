/* Lengths of steps: of the first one, of the next one by the error of the last, and so that a step
 * ends where the next impact is expected. */
#include <math.h>

#include "mb_integrator.h"

static const double SAFETY = 0.9;          /* of a step size expected to be just good enough */
static const double GROWTH = 5;            /* largest change of the step size */
static const double SMALLEST_ERROR = 1e-4; /* what step size control remembers at least */
static const double SHORTENED = 0.2;       /* part of a step that an event in it leaves at least */
static const double WHOLE = 0.999;         /* part of the suggested step that is not cut short */

static double norm_of_rate(const mb_instance *m) { return mb_error_norm(m, m->rate); }

/* The length that the first step after an event had when the event occurred last, to the same mode. */
static double *known_first_step(mb_instance *m, int event)
{
    return &m->event_memory[event].first_step[mb_active(m, event)];
}

/* Notes the length of the first step after events. One that was cut short tells no more than that it was possible. */
static void note_first_step(mb_instance *m, double length, int cut)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (m->event_memory[i].occurred) {
            double *known = known_first_step(m, i);
            if (!cut)
                *known = length;
            else if (*known > 0)
                *known = fmax(*known, length);
            m->event_memory[i].occurred = 0;
        }
}

/* A first step that changes no state by more than a small part of its size, and whose error
 * should be small; after E. Hairer, S. P. Norsett, G. Wanner: Solving Ordinary Differential
 * Equations I, section II.4, with nominal values for the sizes. What a law does next, such as Hertz's where
 * a contact begins, is not in the rates there: after an event the step is no longer than it was the last time. */
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
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (m->event_memory[i].occurred && *known_first_step(m, i) > 0)
            h = fmin(h, *known_first_step(m, i));
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
static double repeat_factor(const mb_instance *m, double error)
{
    return fmin(SAFETY, step_size_factor(m, error));
}

/* When the first event is on straight lines between two samples, as the time after the first of them; INFINITY: none. */
static double first_between(const mb_instance *m, int k)
{
    const int ne = MB_MODEL->ne;
    const double *here = m->contradictions + k * ne, length = m->sample_time[k] - m->sample_time[k - 1];
    double first = INFINITY;
    for (int i = 0; i < ne; i++)
        if (here[i] > 0 && MB_MODEL->kind[i] != MB_KNOT) {
            const double before = fmin(here[i - ne], 0);
            first = fmin(first, length * before / (before - here[i]));
        }
    return first;
}

/* The time from the begin of a step to the first event in it, by straight lines between its stages and to its end, where
 * `now` is; 0: none. The step may be too coarse to be good. */
static double likely_event(mb_instance *m)
{
    if (m->told_events == 0 || mb_indicate(m))
        return 0;
    (void)mb_widen_ranges(m);
    for (int k = 1; k < m->samples; k++) {
        const double first = first_between(m, k);
        if (isfinite(first))
            return m->sample_time[k - 1] - m->accepted.t + first;
    }
    return 0;
}

/* The length of the next attempt after one of length h whose error was too large. Laws need not be smooth beyond an event
 * in it, and their error shortens steps without end: the next one ends a little beyond the event. */
double mb_shorten(mb_instance *m, double h, double error)
{
    const double next = h * repeat_factor(m, error), event = likely_event(m);
    if (!(event > 0))
        return next;
    mb_step_size *step = &m->step_size;
    if (!(step->exactly > 0) && !(step->time_to_impact > 0 && step->time_to_impact < event))
        step->time_to_impact = event;
    return fmin(next, fmax(MB_BEYOND * event, SHORTENED * next));
}

void mb_next_step_size(mb_instance *m, double h, double error, int repeated)
{
    double next = h * step_size_factor(m, fmax(error, SMALLEST_ERROR * SMALLEST_ERROR));
    if (repeated && next > h)
        next = h;
    note_first_step(m, next, !repeated && h < WHOLE * m->step_size.next);
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
