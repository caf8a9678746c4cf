/* Many instances in lanes: the steps. Included once, behind the functions of the model in lanes, since
 * their number is the compiler's.
 */
#include <stdlib.h>

#include "mb_batch.h"
#include "mb_tolerances.h"

enum { MB_ALIGNMENT = 64, MB_MOST_REPEATED = 12, MB_INSIDE = 5 /* places where events are sought */ };

static const double MB_SAFETY = 0.9, MB_GROW = 5, MB_SHRINK = 0.2, MB_AGAIN = 0.25;
static const double MB_AT_KINKS = 0.4; /* factor where the order is lower than the method's */
static const double MB_JUMP = 1e-12;    /* change of an input that is no rounding error, relative */
static const double MB_FIRST_PART = 1e-4; /* part of the time to the first stop, for the first step */

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

static void mb_put(mb_lane *to, const double *from, int n, int lane)
{
    for (int i = 0; i < n; i++)
        to[i][lane] = from[i];
}

static void mb_get(double *to, const mb_lane *from, int n, int lane)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i][lane];
}

static void mb_keep(mb_lane *to, const mb_lane *from, int n, mb_mask where)
{
    for (int i = 0; i < n; i++)
        to[i] = mb_choose(where, from[i], to[i]);
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

#include "mb_batch_inside.h"

#include "mb_batch_instances.h"
#include "mb_batch_power.h"

/* Steps */

/* Plans the way to the next stop. */
static void mb_plan_lane(mb_lanes *l, int lane)
{
    const mb_batch *b = l->batch;
    const double way = l->stop[lane] - l->t0[lane];
    const double parts = fmax(1, ceil(way / b->longest_step - 1e-6));
    l->begin[lane] = l->t0[lane];
    l->parts[lane] = parts < 1e15 ? (long)parts : 1000000000000000L;
    l->part[lane] = way / parts;
    l->done[lane] = 0;
    if (b->estimates && l->next_h[lane] == 0)
        l->next_h[lane] = fmin(MB_FIRST_PART * way, b->longest_step);
}

/* The length of each lane's step, and where it ends. */
static void mb_choose_steps(mb_lanes *l)
{
    const mb_batch *b = l->batch;
    for (int i = 0; i < MB_LANES; i++) {
        if (!l->live[i])
            continue;
        const double left = l->stop[i] - l->t0[i];
        if (l->sought[i])
            continue; /* its length is on trial */
        if (b->estimates) { /* two equal steps in place of a long one and a short one */
            const double h = fmin(l->next_h[i], b->longest_step);
            l->h[i] = h >= left ? left : 2 * h > left ? left / 2 : h;
        } else
            l->h[i] = l->part[i];
    }
}

/* Where each lane's step ends; the last one ends at the stop to the bit. */
static mb_lane mb_step_ends(const mb_lanes *l)
{
    mb_lane ends = l->t0 + l->h;
    for (int i = 0; i < MB_LANES; i++) {
        if (!l->live[i])
            continue;
        const double end = l->stop[i];
        if (l->sought[i])
            continue;
        if (!l->batch->estimates)
            ends[i] = l->begin[i] + (double)(l->done[i] + 1) * l->part[i];
        if (l->batch->estimates ? l->h[i] == end - l->t0[i] : l->done[i] + 1 == l->parts[i])
            ends[i] = end;
    }
    return ends;
}

static void mb_weigh(const mb_lanes *l, const double *weight, int stages, int i, mb_lane *sum)
{
    for (int j = 0; j < stages; j++)
        if (weight[j] != 0)
            *sum += weight[j] * l->stage[j][i];
}

/* The estimated error over what is tolerated, as mb_runge_kutta.c has it for one instance. */
static mb_lane mb_lane_error(const mb_lanes *l)
{
    const mb_batch *b = l->batch;
    mb_lane squares[2] = {mb_all(0), mb_all(0)};
    const int n = l->model->ns;
    for (int i = 0; i < n; i++) {
        const mb_lane size = mb_larger(mb_magnitude(l->s0[i]), mb_magnitude(l->s[i]));
        const mb_lane tolerated = b->absolute * b->nominal[i] + b->relative * size;
        for (int k = 0; k < b->estimates; k++) {
            mb_lane sum = mb_all(0);
            mb_weigh(l, b->error + k * (b->stages + 1), b->stages + 1, i, &sum);
            const mb_lane part = l->h * sum / tolerated;
            squares[k] += part * part / n;
        }
    }
    if (b->estimates < 2)
        return mb_root(squares[0]);
    const mb_lane both = mb_root(squares[0] + 0.01 * squares[1]);
    return mb_choose(both > 0, squares[0] / both, mb_all(0));
}

/* Attempts a step of every lane; returns where nothing unusual was met, but for events. */
static mb_mask mb_attempt_lanes(mb_lanes *l)
{
    const mb_batch *b = l->batch;
    const mb_model *n = l->model;
    mb_mask good = l->live;
    double checked = 0;
    l->event = (mb_mask){0};
    memcpy(l->lowest, l->by0, (size_t)n->ne * sizeof(mb_lane));
    memcpy(l->highest, l->by0, (size_t)n->ne * sizeof(mb_lane));
    memcpy(l->stage[0], l->rate0, (size_t)n->ns * sizeof(mb_lane));
    for (int k = 1; k <= b->stages; k++) {
        for (int i = 0; i < n->ns; i++) {
            mb_lane sum = mb_all(0);
            mb_weigh(l, b->a + k * b->stages, k, i, &sum);
            l->s[i] = l->s0[i] + l->h * sum;
        }
        l->t = k < b->stages ? l->t0 + b->c[k] * l->h : mb_step_ends(l);
        good &= mb_rate_lanes(l, l->stage[k]);
        if (k < b->stages && b->c[k] < 1 && b->c[k] >= checked + MB_SPACING) {
            mb_note_events(l);
            checked = b->c[k];
        }
    }
    l->error = b->estimates ? mb_lane_error(l) : mb_all(0);
    for (int i = 0; i < n->ne; i++)
        l->by1[i] = mb_contradiction_in_lanes(l, i);
    return good;
}

/* Factor of the next step by the error of the last one. */
static mb_lane mb_factor(const mb_lanes *l)
{
    const mb_lane least = mb_larger(l->error, mb_all(1e-12));
    const mb_lane factor = MB_SAFETY * mb_lane_exp(-l->batch->exponent * mb_lane_log(least));
    return mb_smaller(mb_all(MB_GROW), mb_larger(mb_all(MB_SHRINK), factor));
}

/* Repeats steps that are too long. An instance that does not get on leaves its lane for a step. */
static void mb_repeat_lanes(mb_lanes *l, mb_mask repeat, mb_mask good, mb_mask *fresh)
{
    if (!mb_any(repeat))
        return;
    mb_lane most = mb_all(MB_SAFETY);
    for (int i = 0; i < MB_LANES; i++)
        if (l->repeated[i] > 0)
            most[i] = MB_AT_KINKS;
    const mb_lane factor = mb_choose(good, mb_smaller(mb_factor(l), most), mb_all(MB_AGAIN));
    l->next_h = mb_choose(repeat, factor * l->h, l->next_h);
    for (int i = 0; i < MB_LANES; i++) {
        if (!repeat[i])
            continue;
        l->sought[i] = 0;
        if (!l->batch->estimates || ++l->repeated[i] > MB_MOST_REPEATED ||
            !(l->t0[i] + l->next_h[i] > l->t0[i]))
            mb_pass_lane(l, i, fresh);
    }
}

/* Goes on from where steps have ended; returns the lanes that have come to their stops. */
static mb_mask mb_accept_lanes(mb_lanes *l, mb_mask accepted)
{
    const mb_model *n = l->model;
    const mb_lane next = mb_factor(l) * l->h;
    mb_mask stopped = {0};
    mb_keep(l->s0, l->s, n->ns, accepted);
    mb_keep(l->x0, l->x, n->nx, accepted);
    mb_keep(l->rate0, l->stage[l->batch->stages], n->ns, accepted);
    l->t0 = mb_choose(accepted, l->t, l->t0);
    for (int i = 0; i < n->ne; i++)
        l->by0[i] = mb_choose(accepted, l->by1[i], l->by0[i]);
    for (int i = 0; i < n->nr; i++)
        l->largest[i] = mb_choose(accepted, mb_larger(l->largest[i], mb_magnitude(l->measure[i])),
                                  l->largest[i]);
    for (int i = 0; i < MB_LANES; i++) {
        if (!accepted[i])
            continue;
        l->steps++;
        l->context[i].steps++;
        l->done[i]++;
        /* a step that a stop has cut short says nothing against a longer one, that to an event nothing */
        if (l->sought[i])
            continue;
        if (l->repeated[i] || next[i] > l->next_h[i] || 2 * l->h[i] > l->next_h[i])
            l->next_h[i] = l->repeated[i] ? fmin(next[i], l->h[i]) : next[i];
        l->repeated[i] = 0;
        stopped[i] = l->t0[i] == l->stop[i] ? -1 : 0;
    }
    return stopped;
}

/* Finds the next stops of lanes that have come to theirs; returns where inputs jump there. */
static mb_mask mb_leave_stops(mb_lanes *l, mb_mask stopped)
{
    const mb_signals *signals = &l->batch->signals;
    const mb_mask live = l->live;
    mb_mask jumps = {0};
    l->live = stopped;
    mb_follow_lanes(l);
    memcpy(l->u_before, l->u, (size_t)l->model->nu * sizeof(mb_lane));
    for (int i = 0; i < MB_LANES; i++)
        if (stopped[i])
            mb_find_stop(l, i);
    mb_follow_lanes(l);
    for (int j = 0; j < signals->count; j++) {
        const mb_lane now = l->u[signals->signal[j].input];
        const mb_lane before = l->u_before[signals->signal[j].input];
        const mb_lane size = mb_larger(mb_magnitude(now), mb_magnitude(before));
        jumps |= stopped & ~(mb_magnitude(now - before) <= MB_JUMP * size);
    }
    l->live = live;
    return jumps;
}

/* Writes the rows of lanes that have come to them. Where inputs jump, a lane begins anew. */
static void mb_stop_lanes(mb_lanes *l, mb_mask stopped, mb_mask *fresh)
{
    if (!mb_any(stopped))
        return;
    const mb_mask jumps = mb_leave_stops(l, stopped);
    mb_mask good = l->live;
    if (mb_any(mb_at_rows(l, stopped & ~jumps)))
        good &= mb_observe_lanes(l);
    for (int i = 0; i < MB_LANES; i++) {
        if (!stopped[i])
            continue;
        if (jumps[i])
            (*fresh)[i] = -1;
        else if (!good[i])
            mb_end_lane(l, i, MB_LEFT_TO_HOST, fresh);
        else if (mb_record_rows(l, i))
            mb_plan_lane(l, i);
        else
            mb_end_lane(l, i, MB_DONE, fresh);
    }
}

static void mb_step_lanes(mb_lanes *l)
{
    mb_mask fresh = {0};
    mb_choose_steps(l);
    const mb_mask good = mb_attempt_lanes(l), exact = l->live & good & (l->error <= 1);
    const mb_mask lost = mb_lost_lanes(l, exact);
    const mb_mask found = mb_seek_events(l, exact), inside = exact & l->event;
    const mb_mask accepted = exact & ~inside & ~l->seeking & ~lost;
    const mb_mask back = l->live & ~accepted, stopped = mb_accept_lanes(l, accepted);
    mb_keep(l->x, l->x0, l->model->nx, back);
    mb_stop_lanes(l, stopped, &fresh);
    mb_repeat_lanes(l, l->live & ~exact & ~fresh, good, &fresh);
    for (int i = 0; i < MB_LANES; i++)
        if (lost[i])
            mb_end_lane(l, i, MB_LEFT_TO_HOST, &fresh);
        else if (inside[i] || found[i])
            mb_pass_lane(l, i, &fresh);
        else if (accepted[i] && l->id[i] >= 0 && !fresh[i] &&
                 mb_creeps(&l->context[i], l->t0[i], 1, l->batch->longest_step))
            mb_end_lane(l, i, MB_LEFT_TO_HOST, &fresh);
    /* t, s and x of fresh lanes are at their start, those of the others where they were accepted */
    mb_keep(l->s, l->s0, l->model->ns, ~fresh);
    l->t = mb_choose(fresh, l->t, l->t0);
    mb_begin_lanes(l, fresh);
}

MB_EXPORT long mb_batch_run(const mb_batch *batch, mb_analysis *a, long first, long last)
{
    mb_lanes *l = NULL, *block = calloc(1, sizeof *l + MB_ALIGNMENT);
    long steps = -1;
    if (!block)
        return -1;
    l = (mb_lanes *)(void *)((char *)block + MB_ALIGNMENT - (size_t)block % MB_ALIGNMENT);
    l->batch = batch;
    l->a = a;
    l->model = MB_MODEL;
    l->next = first;
    l->last = last;
    if (mb_make_lanes(l)) {
        mb_mask fresh = {0};
        for (int i = 0; i < MB_LANES; i++) {
            l->id[i] = -1;
            if (mb_start_lane(l, i))
                l->live[i] = fresh[i] = -1;
        }
        mb_begin_lanes(l, fresh);
        while (mb_any(l->live) && !*batch->stop)
            mb_step_lanes(l);
        steps = l->steps;
    }
    free(l->stage);
    free(l->block);
    free(block);
    return steps;
}
