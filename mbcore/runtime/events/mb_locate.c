/* Where events lie in a step: sought on an interpolant, found by steps that end there. */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"

enum { GUESSES = 12, SLIDES = 6 };

static const double EXPECTED = 0.98; /* place of an event that a step's length was chosen for */

/* Widens the ranges of indicators in a step by those at the present point; returns the largest
 * contradiction there. */
double mb_widen_ranges(mb_instance *m)
{
    double largest = -INFINITY;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const double by = mb_contradiction(m, i);
        mb_range *range = &m->indicator_range[i];
        range->highest = by > range->highest ? by : range->highest;
        range->lowest = by < range->lowest ? by : range->lowest;
        largest = by > largest ? by : largest;
    }
    return largest;
}

/* Attempts a step and returns by how much an event's indicator contradicts its mode at the end. */
mb_status mb_probe(mb_instance *m, double h, double t, double *contradiction)
{
    double error;
    m->stage_step = h;
    mb_status status = m->method->attempt(m, h, t, &error);
    if (!status)
        status = mb_indicate(m);
    *contradiction = mb_largest_contradiction(m);
    return status;
}

/* The end of a step and its rate, from which places inside are interpolated. */
mb_status mb_save_end(mb_instance *m)
{
    const size_t states = (size_t)MB_MODEL->ns * sizeof(double);
    const mb_status status = m->fresh & MB_DERIVED ? MB_OK : mb_derive(m, m->rate);
    memcpy(m->end_state, m->now.s, states);
    memcpy(m->end_rate, m->rate, states);
    memcpy(m->trial_start, m->now.x, (size_t)MB_MODEL->nx * sizeof(double));
    memcpy(m->end_input, m->now.u, (size_t)MB_MODEL->nu * sizeof(double));
    return status;
}

void mb_restore_end(mb_instance *m, double t)
{
    const size_t states = (size_t)MB_MODEL->ns * sizeof(double);
    m->now.t = t;
    memcpy(m->now.s, m->end_state, states);
    memcpy(m->rate, m->end_rate, states);
    memcpy(m->now.x, m->trial_start, (size_t)MB_MODEL->nx * sizeof(double));
    memcpy(m->now.u, m->end_input, (size_t)MB_MODEL->nu * sizeof(double));
    m->fresh = MB_CONFIGURED | MB_DERIVED;
}

/* Goes to a place between the ends of a step of length h, by third-order interpolation,
 * [Schwab2002] (5.23). */
mb_status mb_go_between(mb_instance *m, double h, double x)
{
    const double *s0 = m->accepted.s, *v0 = m->stage[0], *s1 = m->end_state, *v1 = m->end_rate;
    const double a = x * x * (3 - 2 * x), b = h * x * (1 - x) * (1 - x), c = h * x * x * (x - 1);
    for (int i = 0; i < MB_MODEL->ns; i++)
        m->now.s[i] = (1 - a) * s0[i] + b * v0[i] + a * s1[i] + c * v1[i];
    mb_go_to(m, m->accepted.t + x * h);
    return mb_configure(m);
}

/* Gives the largest contradiction there. */
static mb_status evaluate_between(mb_instance *m, double h, double x, double *contradiction)
{
    mb_status status = mb_go_between(m, h, x);
    if (!status)
        status = mb_indicate(m);
    *contradiction = mb_largest_contradiction(m);
    return status;
}

/* Whether the ranges of the indicators in a step exclude an event inside, except for those that are
 * visible at its end. */
static inline int clearly_quiet(const mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const mb_range *range = &m->indicator_range[i];
        const int quiet = range->highest + (range->highest - range->lowest) < 0;
        if (!quiet && !(mb_contradiction(m, i) > 0))
            return 0;
    }
    return 1;
}

static double *contradictions_at(const mb_instance *m, int place)
{
    return m->contradictions + place * MB_MODEL->ne;
}

static void note_contradictions(mb_instance *m, int place)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        contradictions_at(m, place)[i] = mb_contradiction(m, i);
}

/* Where the parabola through an event's contradictions about a place has its top, in parts of the
 * step; 0 where that belongs to another place. Near the ends no other place is in the middle. */
static double top_about(const mb_instance *m, int event, int place)
{
    const double left = contradictions_at(m, place - 1)[event];
    const double here = contradictions_at(m, place)[event];
    const double right = contradictions_at(m, place + 1)[event];
    const double bend = left - 2 * here + right, off = (left - right) / (2 * bend);
    const double least = place == 1 ? -1 : -0.5, most = place == MB_PLACES ? 1 : 0.5;
    return bend < 0 && off >= least && off <= most ? (place + off) / (MB_PLACES + 1) : 0;
}

/* An event, [Schwab2002] (5.22), may begin and end within a step. Checks places inside, and where the
 * contradictions of each event have a maximum; notes in m->inside the first place where an event has
 * occurred, and leaves the end of the step as it was. */
static MB_SELDOM mb_status check_between(mb_instance *m, double h)
{
    const double end = m->now.t;
    double there;
    for (int i = 0; i < MB_MODEL->ne; i++)
        contradictions_at(m, 0)[i] = m->indicator_range[i].start;
    note_contradictions(m, MB_PLACES + 1);
    mb_status status = mb_save_end(m);
    if (status)
        return status;
    for (int k = 1; !status && k <= MB_PLACES; k++) {
        const double place = (double)k / (MB_PLACES + 1);
        status = evaluate_between(m, h, place, &there);
        note_contradictions(m, k);
        if (!status && there > 0)
            m->inside = fmin(m->inside, place * h);
    }
    for (int k = 1; !status && k <= MB_PLACES; k++)
        for (int i = 0; !status && i < MB_MODEL->ne; i++) {
            const double top = top_about(m, i, k);
            if (!(top > 0 && top * h < m->inside))
                continue;
            status = evaluate_between(m, h, top, &there);
            if (!status && there > 0)
                m->inside = top * h;
        }
    mb_restore_end(m, end);
    return MB_OK; /* a place that cannot be evaluated says nothing about the step */
}

/* The event of a step of length h on its interpolant, at whose end it has occurred: by the secant
 * method, with bisection where that does not do. Leaves the point there in `now` where it was found
 * to the last bit. */
static mb_status seek_event(mb_instance *m, double h, double before, double after, double width,
                            double *place, int *found)
{
    double low = 0, high = 1, x = 1, f = after;
    double next = before < 0 ? before / (before - after) : 0.5;
    mb_status status = mb_save_end(m);
    if (-before < 1e-3 * after)
        next = EXPECTED; /* the step has begun at an event */
    for (int k = 1; !status && k <= GUESSES; k++) {
        const double from = x, there = f;
        x = next > low && next < high && k % 6 ? next : (low + high) / 2;
        status = evaluate_between(m, h, x, &f);
        *place = x;
        const double slope = (f - there) / (x - from);
        if (!status && f > 0 && f * h <= slope * width) {
            *found = 1;
            return MB_OK;
        }
        if (f > 0)
            high = x;
        else
            low = x;
        next = slope > 0 ? x + width / (2 * h) - f / slope : 0;
    }
    return status;
}

/* Whether the interpolant is as good as the step at a place near its end: the fourth derivative,
 * which it lacks, is judged by the step's error. */
static int near_enough(const mb_instance *m, double place, double error)
{
    const double tolerance = mb_relative_tolerance(m), rest = 1 - place;
    if (!m->method->adaptive)
        return 0;
    return 150 * rest * rest * pow(error * tolerance, 4 * m->method->exponent) <= 0.01 * tolerance;
}

/* Moves the end of a step, which a probe has left h after the accepted point, to the event, if that
 * is so near that the rate there does it; the contradiction grows with the slope. */
static mb_status slide(mb_instance *m, double h, double slope, double width, double contradiction,
                       int *found)
{
    const double most = h * sqrt(1e-3 * mb_relative_tolerance(m));
    double by = 0;
    mb_status status = mb_save_end(m);
    for (int k = 0; !status && k < SLIDES && slope > 0; k++) {
        const double further = width / 2 - contradiction / slope, there = contradiction;
        if (!(fabs(by + further) <= most))
            return MB_OK;
        by += further;
        for (int i = 0; i < MB_MODEL->ns; i++)
            m->now.s[i] = m->end_state[i] + by * m->end_rate[i];
        mb_go_to(m, m->accepted.t + h + by);
        status = mb_indicate(m);
        contradiction = mb_largest_contradiction(m);
        slope = (contradiction - there) / further;
        if (!status && contradiction > 0 && contradiction <= slope * width) {
            *found = 1;
            return MB_OK;
        }
    }
    return status;
}

/* The largest contradiction at the beginning of the step. */
static double at_beginning(const mb_instance *m)
{
    double largest = -INFINITY;
    for (int i = 0; i < MB_MODEL->ne; i++)
        largest = fmax(largest, m->indicator_range[i].start);
    return largest;
}

/* Shortens a step from h, at whose end an event has occurred, to the first instant at which it
 * has. A place on the interpolant is improved by steps that end there, by the secant method with
 * bisection where that does not do; the last bit is gone with the rate there. */
mb_status mb_locate_event(mb_instance *m, double h, double t, double after, double error)
{
    const double width = fmax(1e-13 * h, 1e-15 * fabs(t)) / 2;
    double before = at_beginning(m), low = 0, high = h, at = h, place = 0.5;
    int found = 0;
    /* a place that cannot be evaluated says nothing: any guess will do */
    if (!seek_event(m, h, before, after, width, &place, &found) && found &&
        near_enough(m, place, error))
        return MB_OK;
    double next = place * h;

    for (int k = 1; high - low > 2 * width; k++) {
        const double from = at, there = at == high ? after : before;
        if (!(next > low && next < high) || k % 8 == 0)
            next = (low + high) / 2;
        at = next;
        double contradiction;
        mb_status status = mb_probe(m, at, m->accepted.t + at, &contradiction);
        if (status)
            return status;
        if (contradiction > 0) {
            high = at;
            after = contradiction;
        } else {
            low = at;
            before = contradiction;
        }
        const double slope = (contradiction - there) / (at - from);
        if (slope > 0 && contradiction > 0 && contradiction <= slope * width)
            return MB_OK;
        found = 0;
        if ((status = slide(m, at, slope, width, contradiction, &found)) || found)
            return status;
        next = slope > 0 ? at + width / 2 - contradiction / slope : 0;
    }
    return mb_probe(m, high, high == h ? t : m->accepted.t + high, &after);
}

/* Before a step is attempted again, there are no stages yet. */
void mb_begin_ranges(mb_instance *m)
{
    m->last_checked = 0;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        mb_range *range = &m->indicator_range[i];
        range->lowest = range->highest = range->start;
    }
}

/* Looks for events that begin inside a step, at whose end the largest contradiction is `after`. Where
 * one seems to have occurred, the step is shortened to end there and searched again: a stage is not the
 * solution, and the event may lie before. */
mb_status mb_look_inside(mb_instance *m, double *h, double *after)
{
    mb_status status = MB_OK;
    while (!status) {
        if (*after > 0)
            m->inside = *h; /* its stages say nothing more */
        if (!(m->inside < *h) && !clearly_quiet(m))
            status = check_between(m, *h);
        if (status || !(m->inside < *h))
            break;
        *h = m->inside;
        mb_begin_ranges(m);
        status = mb_probe(m, *h, m->accepted.t + *h, after);
        mb_widen_ranges(m);
    }
    return status;
}
