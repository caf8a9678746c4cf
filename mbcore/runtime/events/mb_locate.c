/* Events in a step: sought on the method's interpolant, where its stages do not exclude them. Where the
 * interpolant is coarser than the method, a step that ends there improves the place. */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"
#include "mb_search.h"

enum { SLIDES = 6 };
static const double CHORD = 1e-2; /* part of the way to an event over which its slope is taken */
static const double FAR = 4; /* ranges: samples of what oscillates lie by chance that near to each other */
enum { ENOUGH = 4 }; /* samples, of which no two neighbours are far apart */
static const double AT_BEGIN = 1e-6; /* part of a step up to which its interpolant is exact, as its begin is */

/* Where the sample of the present point belongs: behind the others, or to the last one at the same time. */
static double *place_of_sample(mb_instance *m)
{
    if (m->now.t > m->sample_time[m->samples - 1] && m->samples <= MB_PARTS)
        m->samples++;
    m->sample_time[m->samples - 1] = m->now.t;
    return m->contradictions + (m->samples - 1) * MB_MODEL->ne;
}

/* Widens the ranges of indicators in a step by those at the present point; returns the largest
 * contradiction there. */
double mb_widen_ranges(mb_instance *m)
{
    double largest = -INFINITY, *sample = place_of_sample(m);
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const double by = sample[i] = mb_contradiction(m, i);
        mb_range *range = &m->indicator_range[i];
        range->highest = by > range->highest ? by : range->highest;
        range->lowest = by < range->lowest ? by : range->lowest;
        largest = by > largest ? by : largest;
    }
    return largest;
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

/* Whether a flight is known to be a parabola, for the one before has ended when it was expected to, and those through
 * the samples of its indicator at stages exclude an event before the end of the step. */
static int flies_as_foretold(const mb_instance *m, int event)
{
    const int ne = MB_MODEL->ne;
    const double *sample = m->contradictions + event;
    if (!m->event_memory[event].foretold || m->samples < ENOUGH || sample[0] > 0)
        return 0;
    for (int k = 1; k < m->samples - 1; k++) {
        const double *here = sample + k * ne, value[] = {-here[-ne], -*here, -here[ne]};
        if (!(*here < 0) || mb_may_dip(m->sample_time + k - 1, value))
            return 0;
    }
    return 1;
}

/* Whether the stages of a step exclude all events inside: where an indicator stays much farther from its threshold than
 * it varies, or a flight is as it was foretold. */
static int stages_exclude_events(const mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const mb_range *range = &m->indicator_range[i];
        const int quiet = range->highest + FAR * (range->highest - range->lowest) < 0;
        if (!quiet && !flies_as_foretold(m, i))
            return 0;
    }
    return 1;
}

/* What a search goes over. */
typedef struct {
    mb_instance *m;
    double end;
    mb_status status; /* why a place could not be evaluated */
} mb_inside;

/* Goes to a time in a step, whose end is saved and whose interpolant is known. */
static mb_status go_inside(mb_instance *m, double t, double end)
{
    if (t == end) {
        mb_restore_end(m, end);
        return MB_OK;
    }
    mb_dense_state(m, t, m->now.s);
    mb_go_to(m, t);
    return mb_configure(m);
}

static int indicators_inside(void *owner, double t, double *indicator)
{
    mb_inside *of = owner;
    of->status = go_inside(of->m, t, of->end);
    if (!of->status)
        of->status = mb_indicate(of->m);
    for (int i = 0; !of->status && i < MB_MODEL->ne; i++)
        indicator[i] = -mb_contradiction(of->m, i);
    return !of->status;
}

/* Prepares the inside of a step, at whose end `now` is: places between the ends follow. */
static mb_status open_step(mb_instance *m)
{
    mb_status status = mb_save_end(m);
    m->beside = MB_ASIDE;
    if (!status)
        status = mb_begin_dense(m, m->end_state, m->end_rate);
    m->beside = 0;
    return status;
}

/* Attempts a step of length h; returns the largest contradiction at its end. */
static mb_status probe(mb_instance *m, double h, double t, double *contradiction)
{
    double error;
    m->stage_step = h;
    m->dense_known = m->slid = 0;
    mb_status status = m->method->attempt(m, h, t, &error);
    if (!status)
        status = mb_indicate(m);
    *contradiction = mb_largest_contradiction(m);
    return status;
}

/* Whether the interpolant is as good as the step at a place: a tableau's own is, and others are near the end,
 * where value and rate are those of the step. The fourth derivative is judged by the step's error. */
static int near_enough(const mb_instance *m, double t, double end, double error)
{
    const double tolerance = mb_relative_tolerance(m), rest = (end - t) / m->stage_step;
    if (t == end || m->method->dense == MB_DENSE_OWN)
        return 1;
    if (!m->method->adaptive || m->method->dense == MB_DENSE_RODAS)
        return 0;
    return 150 * rest * rest * pow(error * tolerance, 4 * m->method->exponent) <= 0.01 * tolerance;
}

/* The time by which the rate at the end of a step moves it well enough. */
static double farthest_slide(const mb_instance *m, double h)
{
    return fmax(h * sqrt(1e-3 * mb_relative_tolerance(m)), 4e-15 * fabs(m->accepted.t));
}

/* Goes from the end of a step, which is saved, by its rate. */
static mb_status go_from_end(mb_instance *m, double end, double by)
{
    for (int i = 0; i < MB_MODEL->ns; i++)
        m->now.s[i] = m->end_state[i] + by * m->end_rate[i];
    mb_go_to(m, end + by);
    return mb_indicate(m);
}

/* Moves the end of a step, which is saved, from h after the accepted point to the event, if that is so near
 * that the rate there does it; the contradiction grows with the slope, and its rounding is known. */
static mb_status slide(mb_instance *m, double h, double slope, double width, double rounding,
                       double contradiction, int *found)
{
    const double most = farthest_slide(m, h);
    double by = 0;
    mb_status status = MB_OK;
    m->slid = 1;
    for (int k = 0; !status && k < SLIDES && slope > 0; k++) {
        const double further = width / 2 + (rounding / 2 - contradiction) / slope, there = contradiction;
        if (!(fabs(by + further) <= most))
            return MB_OK;
        by += further;
        status = go_from_end(m, m->accepted.t + h, by);
        contradiction = mb_largest_contradiction(m);
        slope = (contradiction - there) / further;
        if (!status && contradiction > 0 && contradiction <= slope * width + rounding) {
            *found = 1;
            return MB_OK;
        }
    }
    return status;
}

/* How fast the largest contradiction grows on the interpolant up to a time, at which `now` is. */
static mb_status slope_before(mb_instance *m, double t, double end, double *slope)
{
    const double over = CHORD * (t - m->accepted.t), there = mb_largest_contradiction(m);
    mb_status status = go_inside(m, t - over, end);
    if (!status)
        status = mb_indicate(m);
    *slope = (there - mb_largest_contradiction(m)) / over;
    return status;
}

static mb_status return_to(mb_instance *m, double t, const double *state)
{
    memcpy(m->now.s, state, (size_t)MB_MODEL->ns * sizeof(double));
    mb_go_to(m, t);
    const mb_status status = mb_configure(m);
    return status ? status : mb_indicate(m);
}

/* Ends the step at the event that the interpolant has at a time, at which `now` is: by steps that end there,
 * the secant method with bisection where that does not do, and the rate there for the last bit. Steps may
 * miss an event that grazes and is not due at the end: it is where the interpolant says. */
static mb_status step_to_event(mb_instance *m, double t, double end, int due)
{
    const double h = end - m->accepted.t, width = fmax(1e-13 * h, 1e-15 * fabs(end)) / 2;
    double at = t - m->accepted.t, low = 0, high = h, from = 0, there = 0, slope;
    double *beyond = m->dense_rate[0]; /* of no use to this method */
    if (at <= 2 * width)
        return MB_OK;
    memcpy(beyond, m->now.s, (size_t)MB_MODEL->ns * sizeof(double));
    if (slope_before(m, t, end, &slope)) /* a place that cannot be evaluated says nothing */
        slope = 0;
    for (int k = 1; high - low > 2 * width; k++) {
        double contradiction;
        int found = 0;
        mb_status status = probe(m, at, m->accepted.t + at, &contradiction);
        if (status)
            return status;
        *(contradiction > 0 ? &high : &low) = at;
        if (k > 1)
            slope = (contradiction - there) / (at - from);
        if (slope > 0 && contradiction > 0 && contradiction <= slope * width)
            return MB_OK;
        status = mb_save_end(m);
        if (!status)
            status = slide(m, at, slope, width, 0, contradiction, &found);
        if (status || found)
            return status;
        if (contradiction <= 0 && k == 1 && !due)
            return return_to(m, t, beyond);
        from = at, there = contradiction;
        at = slope > 0 ? from + width / 2 - there / slope : 0;
        if (!(at > low && at < high) || k % 8 == 7)
            at = (low + high) / 2;
    }
    return probe(m, high, high == h ? end : m->accepted.t + high, &there);
}

/* Ends the step at the point of a table that the interpolant has at a time, at which `now` is. The interpolant
 * of a step over such a point is as wrong as the step, so the place follows from steps that end there, by the
 * secant method. */
static mb_status step_to_knot(mb_instance *m, double t, double end)
{
    const double h = end - m->accepted.t, width = fmax(1e-13 * h, 1e-15 * fabs(end));
    double at = t - m->accepted.t, from = (1 - CHORD) * at, there;
    if (at <= AT_BEGIN * h)
        return MB_OK;
    mb_status status = go_inside(m, m->accepted.t + from, end);
    if (status || (status = mb_indicate(m)))
        return status;
    there = mb_largest_contradiction(m);
    for (int k = 0; k < SLIDES; k++) {
        double contradiction;
        if ((status = probe(m, at, m->accepted.t + at, &contradiction)))
            return status;
        const double slope = (contradiction - there) / (at - from);
        const double next = at - contradiction / slope + width / 2;
        if (!(slope > 0) || (contradiction > 0 && contradiction <= slope * width) || next == at ||
            !(next > 0 && next <= h))
            return MB_OK;
        from = at, there = contradiction;
        at = next;
    }
    return MB_OK;
}

/* A short flight ends so slowly that rounding of its gap, which the band covers, moves the end by more than that of
 * time does. */
static double rounding_of_gap(const mb_instance *m, double contradiction)
{
    double rounding = 0;
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (MB_MODEL->kind[i] == MB_IMPACT && mb_contradiction(m, i) == contradiction)
            rounding = MB_MODEL->band[i];
    return rounding;
}

/* Ends a step at the impact up to whose foreseen time it has been made. */
static mb_status step_to_foreseen(mb_instance *m, int *found)
{
    const double end = m->now.t, h = m->stage_step, back = farthest_slide(m, h);
    const double width = fmax(1e-13 * h, 1e-15 * fabs(end)), there = mb_largest_contradiction(m);
    const double rounding = rounding_of_gap(m, there);
    if ((*found = there > 0 && there <= rounding))
        return MB_OK;
    const size_t indicators = (size_t)MB_MODEL->ne * sizeof(double);
    memcpy(m->end_indicator, m->indicator, indicators);
    mb_status status = mb_save_end(m);
    if (!status)
        status = go_from_end(m, end, -back);
    if (!status)
        status = slide(m, h, (there - mb_largest_contradiction(m)) / back, width, rounding, there, found);
    if (status || *found)
        return status;
    mb_restore_end(m, end);
    memcpy(m->indicator, m->end_indicator, indicators);
    m->fresh |= MB_INDICATED;
    return MB_OK;
}

/* Searches the inside of a step, at whose end `now` is, in so many parts. Where an event is found, `now` goes there. */
static mb_status search_inside(mb_instance *m, int parts, double error, int due, int *found)
{
    const int ne = MB_MODEL->ne;
    const double end = m->now.t;
    double *sample = m->contradictions, *last = m->end_indicator;
    mb_inside of = {m, end, MB_OK};
    mb_search search = {.begin = m->accepted.t, .end = end, .parts = parts, .events = ne,
                        .sample = sample, .indicator = sample + (MB_PARTS + 1) * ne,
                        .between = indicators_inside, .owner = &of};
    memcpy(last, m->indicator, (size_t)ne * sizeof(double));
    for (int i = 0; i < ne; i++) {
        sample[i] = -m->indicator_range[i].start;
        sample[parts * ne + i] = -mb_contradiction(m, i);
    }
    mb_status status = open_step(m);
    if (!status)
        (void)mb_fill_samples(&search, 1, parts - 1); /* one that fails says nothing */
    const double t = status ? NAN : mb_first_event(&search);
    if (isfinite(t)) {
        *found = 1;
        m->check_stages = 0;
        if ((status = go_inside(m, t, end)) || (status = mb_indicate(m)))
            return status;
        if (mb_knots_alone(m))
            return step_to_knot(m, t, end);
        return near_enough(m, t, end, error) ? MB_OK : step_to_event(m, t, end, due);
    }
    if (isnan(t) && due)
        return status ? status : of.status;
    mb_restore_end(m, end);
    memcpy(m->indicator, last, (size_t)ne * sizeof(double));
    m->fresh |= MB_INDICATED;
    return MB_OK;
}

/* Looks for the first event in a step, at whose end `now` is; the end is `aimed` at one. Where there is one, `now` goes
 * there. Where stages exclude others, there is nothing to be sampled. */
mb_status mb_seek_event(mb_instance *m, double error, int aimed, int *found)
{
    const int due = mb_widen_ranges(m) > 0, quiet = stages_exclude_events(m);
    mb_status status = MB_OK;
    *found = 0;
    if (aimed && quiet)
        status = step_to_foreseen(m, found);
    if (!status && !*found && (due || !quiet || m->inside < m->stage_step))
        status = search_inside(m, quiet ? 1 : MB_PARTS, error, due, found);
    if (!status && !*found && aimed && !quiet)
        status = step_to_foreseen(m, found);
    return status;
}

/* Before a step is attempted again, there are no stages yet. */
void mb_begin_ranges(mb_instance *m)
{
    m->last_checked = 0;
    m->samples = 1;
    m->sample_time[0] = m->accepted.t;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        mb_range *range = &m->indicator_range[i];
        range->lowest = range->highest = m->contradictions[i] = range->start;
    }
}
