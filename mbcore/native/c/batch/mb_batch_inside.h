/* Where events lie in steps of lanes. A step at whose end an event has occurred is tried with other
 * lengths until it ends there. Where an event may begin and end within a step, the instance makes this
 * step by itself.
 */
#ifndef MB_BATCH_INSIDE_H
#define MB_BATCH_INSIDE_H

#include "mb_batch_lanes.h"

/* The largest contradiction at an end of a step. */
static mb_lane mb_largest_of(const mb_lanes *l, const mb_lane *by)
{
    mb_lane largest = mb_all(-INFINITY);
    for (int i = 0; i < l->model->ne; i++)
        largest = mb_larger(largest, by[i]);
    return largest;
}

enum { MB_MOST_SOUGHT = 40 };
static const double MB_EXPECTED = 0.98; /* place of an event in a step that has begun at one */

/* Where ranges of indicators over the stages do not exclude an event inside. */
static mb_mask mb_may_hide_event(const mb_lanes *l)
{
    mb_mask may = {0};
    for (int i = 0; i < l->model->ne; i++)
        may |= ~(l->highest[i] + (l->highest[i] - l->lowest[i]) < 0);
    return may;
}

/* Contradictions at a place between the ends of a step, by third-order interpolation; returns where the
 * configuration there was found. */
static mb_mask mb_look_at_place(mb_lanes *l, int place)
{
    const mb_model *n = l->model;
    const double x = (double)place / (MB_INSIDE + 1), a = x * x * (3 - 2 * x);
    const mb_lane b = l->h * (x * (1 - x) * (1 - x)), c = l->h * (x * x * (x - 1));
    const mb_lane *v1 = l->stage[l->batch->stages];
    mb_lane *results[4] = {l->indicator};
    for (int i = 0; i < n->ns; i++)
        l->s[i] = (1 - a) * l->s0[i] + b * l->rate0[i] + a * l->end[i] + c * v1[i];
    l->t = l->t0 + x * l->h;
    const mb_mask found = mb_follow_lanes(l) & mb_configure_lanes(l);
    mb_call_lanes(l, mb_lane_indicate, results);
    for (int i = 0; i < n->ne; i++)
        l->inside[place * n->ne + i] = mb_contradiction_in_lanes(l, i);
    return found;
}

/* Where the parabola through the contradictions about a place may be positive at its top. What it adds
 * to them is doubled, for it is not the indicator. */
static mb_mask mb_tops_out(const mb_lanes *l, int event, int place)
{
    const int ne = l->model->ne;
    const mb_lane *here = l->inside + place * ne + event;
    const mb_lane left = here[-ne], right = here[ne], bend = left - 2 * here[0] + right;
    const mb_lane off = (left - right) / (2 * bend);
    const double least = place == 1 ? -1 : -0.5, most = place == MB_INSIDE ? 1 : 0.5;
    const mb_lane added = (left - right) * (left - right) / (-8 * bend);
    return (bend < 0) & (off >= least) & (off <= most) & ~(here[0] + 2 * added < 0);
}

/* Looks for events inside the steps of some lanes, and leaves the steps' ends as they were. */
static void mb_look_inside_lanes(mb_lanes *l, mb_mask where)
{
    const mb_model *n = l->model;
    const size_t ns = (size_t)n->ns, nx = (size_t)n->nx;
    const mb_mask live = l->live;
    const mb_lane t = l->t;
    where &= mb_may_hide_event(l);
    if (!mb_any(where))
        return;
    l->live = where;
    memcpy(l->end, l->s, ns * sizeof(mb_lane));
    memcpy(l->end_x, l->x, nx * sizeof(mb_lane));
    for (int k = 1; k <= MB_INSIDE; k++)
        l->event |= where & ~mb_look_at_place(l, k);
    for (int k = 1; k <= MB_INSIDE; k++)
        for (int i = 0; i < n->ne; i++)
            l->event |= where & (~(l->inside[k * n->ne + i] <= 0) | mb_tops_out(l, i, k));
    l->live = live;
    l->t = t;
    memcpy(l->s, l->end, ns * sizeof(mb_lane));
    memcpy(l->x, l->end_x, nx * sizeof(mb_lane));
}

/* The next length on trial of a step, of which the present one contradicts a mode by so much: by the secant
 * method, with bisection where that does not do. Returns whether the event is where the step ends. */
static int mb_try_lane(mb_lanes *l, int lane, double before, double by)
{
    const double at = l->h[lane];
    if (l->sought[lane] == 0) {
        l->whole[lane] = l->high[lane] = at;
        l->low[lane] = l->from[lane] = 0;
        l->there[lane] = before;
    }
    const double width = fmax(1e-13 * l->whole[lane], 1e-15 * fabs(l->t0[lane])) / 2;
    const double slope = (by - l->there[lane]) / (at - l->from[lane]);
    const int begun_at_event = l->sought[lane] == 0 && -before < 1e-3 * by;
    if (l->sought[lane] > 0 && slope > 0 && by > 0 && by <= slope * width)
        return 1;
    *(by > 0 ? &l->high[lane] : &l->low[lane]) = at;
    l->from[lane] = at;
    l->there[lane] = by;
    l->h[lane] = begun_at_event ? MB_EXPECTED * at : slope > 0 ? at + width / 2 - by / slope : 0;
    if (++l->sought[lane] % 8 == 0 || !(l->h[lane] > l->low[lane] && l->h[lane] < l->high[lane]))
        l->h[lane] = (l->low[lane] + l->high[lane]) / 2;
    return 0;
}

/* Looks for events in steps that are good otherwise. Returns where a step ends at one; notes where one is
 * inside or cannot be found, and where another length is on trial. */
static mb_mask mb_seek_events(mb_lanes *l, mb_mask where)
{
    mb_mask found = {0};
    l->seeking = (mb_mask){0};
    if (l->model->ne == 0)
        return found;
    const mb_lane before = mb_largest_of(l, l->by0), by = mb_largest_of(l, l->by1);
    for (int i = 0; i < MB_LANES; i++) {
        if (!where[i] || (!(by[i] > 0) && l->sought[i] == 0))
            continue;
        l->event[i] = l->sought[i] > MB_MOST_SOUGHT ? -1 : 0; /* the stages say nothing more */
        if (l->event[i])
            continue;
        if (mb_try_lane(l, i, before[i], by[i]))
            found[i] = -1;
        else
            l->seeking[i] = -1;
    }
    mb_look_inside_lanes(l, where & ~l->event & ~l->seeking);
    return found & ~l->event;
}

#endif
