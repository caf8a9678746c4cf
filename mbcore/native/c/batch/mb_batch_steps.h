/* Many instances in lanes: the steps. Included once, behind the functions of the model in lanes. */
#include "mb_batch_inside.h"
#include "mb_batch_instances.h"
#include "mb_batch_power.h"

enum { MB_MOST_REPEATED = 12 };

static const double MB_SAFETY = 0.9, MB_GROW = 5, MB_SHRINK = 0.2, MB_AGAIN = 0.25;
static const double MB_AT_KINKS = 0.4; /* factor where the order is lower than the method's */
static const double MB_JUMP = 1e-12;   /* change of an input that is no rounding error, relative */

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
            const double h = fmin(l->next_h[i], b->steps.longest_step);
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
        const mb_lane tolerated = b->steps.absolute * b->nominal[i] + b->steps.relative * size;
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
                 mb_creeps(&l->context[i], l->t0[i], 1, l->batch->steps.longest_step))
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
