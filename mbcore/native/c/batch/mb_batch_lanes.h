/* Many instances in lanes: their room, and evaluation in all lanes at once. Included behind the functions
 * of the model in lanes, since their number is the compiler's.
 */
#ifndef MB_BATCH_LANES_H
#define MB_BATCH_LANES_H

#include <stdlib.h>

#include "mb_batch.h"
#include "mb_tolerances.h"

enum { MB_ALIGNMENT = 64, MB_INSIDE = 5 /* places where events are sought */ };

typedef struct {
    const mb_batch *batch;
    mb_analysis *a;
    const mb_model *model;
    void *block;
    long next, last; /* instances that have no lane yet */
    long steps;

    long id[MB_LANES], row[MB_LANES]; /* instance, -1: none; next row */
    int repeated[MB_LANES];           /* attempts at this step */
    double stop[MB_LANES];            /* the next row, or break of inputs, where a step ends */
    double begin[MB_LANES];           /* of the way there, */
    double part[MB_LANES];            /* in steps of this length */
    long parts[MB_LANES], done[MB_LANES];
    mb_step_context context[MB_LANES];
    mb_mask live;
    mb_mask event, seeking; /* where one is seen inside this step, or its length is on trial */
    int sought[MB_LANES];   /* trials to end a step at the one that is seen at its end, of them */
    double low[MB_LANES], high[MB_LANES], whole[MB_LANES]; /* bounds of its length, and the first, */
    double from[MB_LANES], there[MB_LANES]; /* the last one, and the contradiction there */

    mb_lane t, t0, h, next_h, error;
    mb_lane *s, *s0, *d, *u, *u_before, *p, *x, *x0, *following, *per_scale, *rate, *rate0;
    mb_lane **stage; /* rates of the stages, the last one at the end of the step */
    mb_lane *measure, *branch, *largest, *indicator, *required, *output, *w;
    mb_lane *by0, *by1, *inside; /* contradictions of events at a step's ends, and at all places, */
    mb_lane *power, *power_part, *watched; /* by the last check of accelerations, and measures there */
    long unchecked;                        /* steps of the lanes since then */
    mb_lane *lowest, *highest;   /* their range at its stages, */
    mb_lane *end, *end_x;        /* and its end while its inside is searched */
    double *value;               /* of the inputs that are functions of time, for each lane */
} mb_batch_run_state;

typedef mb_batch_run_state mb_lanes;

static void mb_call_lanes(mb_lanes *l, mb_lane_function function, mb_lane *results[4])
{
    const mb_lane *arg[6] = {&l->t, l->s, l->d, l->u, l->p, l->x};
    function(arg, results, l->w);
}

/* Room */

static void *mb_lay(char **place, size_t count)
{
    mb_lane *here = (mb_lane *)(void *)*place;
    *place += count * sizeof(mb_lane);
    return here;
}

static int mb_make_lanes(mb_lanes *l)
{
    const mb_model *n = l->model;
    const size_t ns = (size_t)n->ns, nx = (size_t)n->nx, nr = (size_t)n->nr;
    const size_t nf = (size_t)n->nf;
    const size_t stages = (size_t)l->batch->stages + 1;
    const size_t ne = (size_t)n->ne;
    const size_t all = (5 + stages) * ns + (size_t)(n->nd + n->nu + n->np) + 5 * nx + 4 * nr + 2 * nf +
                       (3 + MB_INSIDE + 2) * ne + (size_t)(n->nq + n->ny + 2 * n->nu) + MB_LANE_WORK + 16;
    char *place = l->block = calloc(all * sizeof(mb_lane) + MB_ALIGNMENT, 1);
    l->stage = calloc(stages, sizeof *l->stage);
    if (!place || !l->stage)
        return 0;
    place += MB_ALIGNMENT - (size_t)place % MB_ALIGNMENT;
    mb_lane **const of_state[] = {&l->s, &l->s0, &l->rate, &l->rate0, &l->end};
    for (size_t k = 0; k < 5; k++)
        *of_state[k] = mb_lay(&place, ns);
    for (size_t k = 0; k < stages; k++)
        l->stage[k] = mb_lay(&place, ns);
    l->d = mb_lay(&place, (size_t)n->nd);
    l->u = mb_lay(&place, (size_t)n->nu);
    l->u_before = mb_lay(&place, (size_t)n->nu);
    l->p = mb_lay(&place, (size_t)n->np);
    mb_lane **const of_place[] = {&l->x, &l->x0, &l->following, &l->per_scale, &l->end_x};
    for (size_t k = 0; k < 5; k++)
        *of_place[k] = mb_lay(&place, nx);
    mb_lane **const of_block[] = {&l->measure, &l->branch, &l->largest, &l->watched};
    for (size_t k = 0; k < 4; k++)
        *of_block[k] = mb_lay(&place, nr);
    mb_lane **const of_event[] = {&l->indicator, &l->lowest, &l->highest};
    for (size_t k = 0; k < 3; k++)
        *of_event[k] = mb_lay(&place, ne);
    l->inside = l->by0 = mb_lay(&place, (MB_INSIDE + 2) * ne);
    l->by1 = l->inside + (MB_INSIDE + 1) * ne;
    l->power = mb_lay(&place, nf);
    l->power_part = mb_lay(&place, nf);
    l->required = mb_lay(&place, (size_t)n->nq);
    l->output = mb_lay(&place, (size_t)n->ny);
    l->value = (double *)mb_lay(&place, (size_t)n->nu);
    l->w = mb_lay(&place, MB_LANE_WORK);
    return 1;
}

static void mb_to_lane(mb_lane *to, const double *from, int n, int lane)
{
    for (int i = 0; i < n; i++)
        to[i][lane] = from[i];
}

static void mb_from_lane(double *to, const mb_lane *from, int n, int lane)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i][lane];
}

static void mb_keep(mb_lane *to, const mb_lane *from, int n, mb_mask where)
{
    for (int i = 0; i < n; i++)
        to[i] = mb_choose(where, from[i], to[i]);
}

/* Lets the instance by itself be at the point of a lane, at a time with these states and coordinates. */
static void mb_take_out(mb_lanes *l, int lane, double t, const mb_lane *s, const mb_lane *x)
{
    const mb_model *n = l->model;
    mb_point *at = &l->a->m->now;
    l->a->m->fresh = 0;
    at->t = t;
    mb_from_lane(at->s, s, n->ns, lane);
    mb_from_lane(at->d, l->d, n->nd, lane);
    mb_from_lane(at->u, l->u, n->nu, lane);
    mb_from_lane(at->p, l->p, n->np, lane);
    mb_from_lane(at->x, x, n->nx, lane);
}

/* Evaluation */

/* Sets the inputs that are functions of time to their values at t; returns where nothing is unusual. */
static mb_mask mb_follow_lanes(mb_lanes *l)
{
    const mb_signals *signals = &l->batch->signals;
    mb_signal_place place[MB_LANES];
    unsigned char usual[MB_LANES];
    int lane[MB_LANES], count = 0;
    mb_mask good = l->live;
    for (int i = 0; signals->count && i < MB_LANES; i++)
        if (l->live[i]) {
            place[count] = (mb_signal_place){l->id[i], l->t[i], l->stop[i]};
            lane[count++] = i;
        }
    if (count == 0)
        return good;
    mb_follow_signals(signals, count, place, l->value, usual);
    for (int k = 0; k < count; k++) {
        for (int j = 0; j < signals->count; j++)
            l->u[signals->signal[j].input][lane[k]] = l->value[k * signals->count + j];
        good[lane[k]] &= -(long long)usual[k];
    }
    return good;
}

/* Newton's iteration from x, as mb_configuration.c has it for one instance; returns where it ends. */
static mb_mask mb_configure_lanes(mb_lanes *l)
{
    const mb_model *n = l->model;
    mb_lane limit = mb_all(MB_FARTHEST), *results[4] = {l->following};
    mb_mask active = l->live, good = l->live;
    while (n->nx && mb_any(active)) {
        mb_lane size = mb_all(0), reach = mb_all(0);
        mb_call_lanes(l, mb_lane_newton, results);
        for (int i = 0; i < n->nx; i++) {
            const mb_lane moved = mb_magnitude(l->following[i] - l->x[i]) * l->per_scale[i];
            size = mb_choose(moved <= size, size, moved); /* keeps what is not finite */
        }
        const mb_mask fits = size <= limit;
        good &= ~active | fits;
        active &= fits;
        mb_keep(l->x, l->following, n->nx, active);
        if (n->ni == 0)
            break;
        for (int i = 0; i < n->nx; i++)
            reach = mb_larger(reach, mb_magnitude(l->x[i]) * l->per_scale[i]);
        active &= ~((size <= MB_CONVERGED) |
                    ((size <= MB_NEAR) & (size <= MB_CONVERGED + MB_ROUNDING * reach)));
        limit = mb_smaller(MB_CONTRACTION * size, mb_all(MB_NEAR));
    }
    return good;
}

/* By how much an event's indicator contradicts its mode, as mb_contradiction() has it. */
static mb_lane mb_contradiction_in_lanes(const mb_lanes *l, int i)
{
    const mb_mask active = l->d[i] > 0.5;
    const double band = l->model->band[i];
    const mb_lane z = mb_choose(active, mb_all(-band), mb_all(band)) - l->indicator[i];
    return mb_choose(active, z, -z);
}

/* Notes where an event is seen at a stage, and the range of contradictions. */
static void mb_note_events(mb_lanes *l)
{
    for (int i = 0; i < l->model->ne; i++) {
        const mb_lane by = mb_contradiction_in_lanes(l, i);
        l->event |= l->live & (by > 0);
        l->highest[i] = mb_larger(l->highest[i], by);
        l->lowest[i] = mb_smaller(l->lowest[i], by);
    }
}

/* Whether nothing is unusual: rates are finite, blocks regular and on their branch. */
static mb_mask mb_usual(mb_lanes *l, const mb_lane *rate)
{
    const mb_model *n = l->model;
    mb_mask good = l->live;
    for (int i = 0; i < n->ns; i++)
        good &= mb_magnitude(rate[i]) < (double)INFINITY;
    for (int i = 0; i < n->nr; i++)
        good &= (l->measure[i] * l->branch[i] > 0) &
                (mb_magnitude(l->measure[i]) >
                 (i < n->limits ? 0 : l->batch->conditioning_threshold) * l->largest[i]);
    for (int i = 0; i < n->ne; i++)
        good &= l->indicator[i] == l->indicator[i];
    for (int i = 0; i < n->nq; i++)
        good &= (n->requirement[i].when == MB_ALWAYS ? l->required[i] : mb_all(1)) > 0;
    return good;
}

/* The rates at t, s; returns where all is usual there. */
static mb_mask mb_rate_lanes(mb_lanes *l, mb_lane *rate)
{
    mb_lane *results[4] = {rate, l->measure, l->indicator, l->required};
    const mb_mask followed = mb_follow_lanes(l), found = followed & mb_configure_lanes(l);
    mb_call_lanes(l, mb_lane_rates, results);
    return found & mb_usual(l, rate);
}

#endif
