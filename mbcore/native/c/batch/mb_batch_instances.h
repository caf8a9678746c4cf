/* Instances come to lanes, write their rows there, leave them for what is unusual, and end. */
#ifndef MB_BATCH_INSTANCES_H
#define MB_BATCH_INSTANCES_H

#include "mb_batch_lanes.h"

static const double MB_FIRST_PART = 1e-4; /* part of the time to the first stop, for the first step */

static void mb_record_lane(mb_lanes *l, int lane)
{
    const mb_batch *b = l->batch;
    const mb_model *n = l->model;
    double *to = b->row + (l->id[lane] * b->times + l->row[lane]) * b->columns;
    for (int k = 0; k < b->columns; k++) {
        int i = b->column[k];
        const mb_lane *from = l->s;
        if (i >= n->ns)
            i -= n->ns, from = l->d;
        if (from == l->d && i >= n->nd)
            i -= n->nd, from = l->u;
        if (from == l->u && i >= n->nu)
            i -= n->nu, from = l->output;
        to[k] = from[i][lane];
    }
    l->row[lane]++;
}

/* Outputs at t, s, x of all lanes; returns where they are finite. */
static mb_mask mb_observe_lanes(mb_lanes *l)
{
    mb_lane *results[4] = {l->output};
    mb_mask good = mb_follow_lanes(l);
    if (!l->batch->observed)
        return good;
    mb_call_lanes(l, mb_lane_output, results);
    for (int i = 0; i < l->model->ny; i++)
        good &= mb_magnitude(l->output[i]) < (double)INFINITY;
    return good;
}

/* When an instance begins. */
static double mb_begins(const mb_batch *b, long id) { return b->begun ? b->begun[id] : 0; }

/* The time of a row of an instance. */
static double mb_row_time(const mb_batch *b, long id, long row) { return mb_begins(b, id) + b->time[row]; }

/* The next row or break behind a time, from this row on. */
static double mb_next_stop(const mb_batch *b, long id, long row, double t)
{
    while (row < b->times && mb_row_time(b, id, row) <= t)
        row++;
    const double end = row < b->times ? mb_row_time(b, id, row) : INFINITY;
    return b->signals.count ? fmin(end, mb_next_break(&b->signals, id, t)) : end;
}

/* Finds the stop behind the present time. */
static void mb_find_stop(mb_lanes *l, int lane)
{
    l->stop[lane] = mb_next_stop(l->batch, l->id[lane], l->row[lane], l->t[lane]);
}

/* Where the state of an instance that is done is stored. */
static double *mb_stored_row(const mb_lanes *l, long id)
{
    return l->batch->stored + id * (2 * (l->model->nx + l->model->nr) + 1);
}

/* Keeps what the next run needs beside states and inputs to go on from here. */
static void mb_keep_instance(const mb_lanes *l, int lane)
{
    const mb_lane *const parts[] = {l->x, l->per_scale, l->branch, l->largest};
    const int nx = l->model->nx, nr = l->model->nr, sizes[] = {nx, nx, nr, nr};
    double *to = mb_stored_row(l, l->id[lane]);
    for (int k = 0; k < 4; to += sizes[k++])
        mb_from_lane(to, parts[k], sizes[k], lane);
    *to = l->next_h[lane];
}

/* Lets an instance go on in a lane from its stored state. */
static void mb_resume_instance(mb_lanes *l, int lane, long id)
{
    mb_lane *const parts[] = {l->x, l->per_scale, l->branch, l->largest};
    const int nx = l->model->nx, nr = l->model->nr, sizes[] = {nx, nx, nr, nr};
    const double *from = mb_stored_row(l, id);
    for (int k = 0; k < 4; from += sizes[k++])
        mb_to_lane(parts[k], from, sizes[k], lane);
    mb_to_lane(l->watched, from - nr, nr, lane);
    l->next_h[lane] = *from;
}

/* Takes coordinates and measures of the instance by itself, which has begun. */
static void mb_take_start(mb_lanes *l, int lane)
{
    mb_instance *m = l->a->m;
    const mb_model *n = l->model;
    mb_to_lane(l->x, m->now.x, n->nx, lane);
    mb_to_lane(l->branch, m->measure, n->nr, lane);
    for (int i = 0; i < n->nr; i++)
        l->largest[i][lane] = l->watched[i][lane] = fabs(m->measure[i]);
    for (int i = 0; i < n->nx; i++)
        l->per_scale[i][lane] = 1 / m->scale[i];
    l->unchecked = MB_CHECKED_STEPS; /* the first step of each instance is checked */
    l->next_h[lane] = 0;
}

/* Starts the next instance that can be started in a lane; returns whether there is one. */
static int mb_start_lane(mb_lanes *l, int lane)
{
    const mb_batch *b = l->batch;
    const mb_model *n = l->model;
    for (; l->next < l->last && !*b->stop; l->next++) {
        mb_point *at = &l->a->m->now;
        const double t = at->t = mb_begins(b, l->next);
        mb_batch_instance one = {b, l->a, {l->next, t, mb_next_stop(b, l->next, 0, t)}, l->value, 0};
        mb_point_give(n, at, b->start + l->next * b->values);
        const int resumed = b->resumed && b->resumed[l->next];
        if (!mb_batch_follow(&one, t) || (!resumed && !mb_point_begin(l->a, b->own, b->mass))) {
            b->outcome[l->next] = MB_LEFT_TO_HOST;
            continue;
        }
        mb_to_lane(l->s, at->s, n->ns, lane);
        mb_to_lane(l->d, at->d, n->nd, lane);
        mb_to_lane(l->u, at->u, n->nu, lane);
        mb_to_lane(l->p, at->p, n->np, lane);
        if (resumed)
            mb_resume_instance(l, lane, l->next);
        else
            mb_take_start(l, lane);
        l->t[lane] = t;
        l->stop[lane] = one.place.until;
        l->id[lane] = l->next++;
        l->row[lane] = l->repeated[lane] = l->sought[lane] = 0;
        l->parts[lane] = l->done[lane] = 0;
        l->context[lane] = (mb_step_context){.end = mb_row_time(b, l->id[lane], b->times - 1)};
        return 1;
    }
    return 0;
}

/* Plans the way to the next stop. */
static void mb_plan_lane(mb_lanes *l, int lane)
{
    const mb_batch *b = l->batch;
    const double way = l->stop[lane] - l->t0[lane];
    const double parts = fmax(1, ceil(way / b->steps.longest_step - 1e-6));
    l->begin[lane] = l->t0[lane];
    l->parts[lane] = parts < 1e15 ? (long)parts : 1000000000000000L;
    l->part[lane] = way / parts;
    l->done[lane] = 0;
    if (b->estimates && l->next_h[lane] == 0)
        l->next_h[lane] = fmin(MB_FIRST_PART * way, b->steps.longest_step);
}

/* The lane's instance has an outcome; the next one takes its place. */
static void mb_end_lane(mb_lanes *l, int lane, int outcome, mb_mask *fresh)
{
    l->batch->outcome[l->id[lane]] = (unsigned char)outcome;
    if (l->batch->stored && outcome == MB_DONE)
        mb_keep_instance(l, lane);
    l->id[lane] = -1;
    l->live[lane] = 0;
    if (mb_start_lane(l, lane))
        l->live[lane] = (*fresh)[lane] = -1;
}

/* Writes the rows at the present time; returns whether there are more to come. */
static int mb_record_rows(mb_lanes *l, int lane)
{
    const mb_batch *b = l->batch;
    while (l->row[lane] < b->times && mb_row_time(b, l->id[lane], l->row[lane]) == l->t[lane])
        mb_record_lane(l, lane);
    return l->row[lane] < b->times;
}

/* Whether a lane has come to the time of a row. */
static mb_mask mb_at_rows(const mb_lanes *l, mb_mask where)
{
    for (int i = 0; i < MB_LANES; i++)
        if (where[i] && l->t[i] != mb_row_time(l->batch, l->id[i], l->row[i]))
            where[i] = 0;
    return where;
}

/* Leaves the lane for the event at the present point, or for a step from there, and for what follows as
 * long as contacts are closed or slips held. */
static void mb_pass_lane(mb_lanes *l, int lane, mb_mask *fresh)
{
    const mb_batch *b = l->batch;
    const mb_model *n = l->model;
    mb_instance *m = l->a->m;
    mb_point *at = &m->now;
    mb_take_out(l, lane, l->t0[lane], l->s0, l->x0);
    mb_from_lane(m->largest, l->largest, n->nr, lane);
    for (int i = 0; i < n->nx; i++)
        m->scale[i] = 1 / l->per_scale[i][lane];
    double next = b->estimates ? l->next_h[lane] : 0;
    mb_batch_instance one = {b, l->a, {l->id[lane], 0, 0}, l->value, 0};
    do {
        one.place.until = l->stop[lane];
        if (!mb_batch_pass(&one, &l->context[lane], &next)) {
            mb_end_lane(l, lane, MB_LEFT_TO_HOST, fresh);
            return;
        }
        l->steps++;
        l->t[lane] = at->t;
        if (at->t == l->stop[lane])
            mb_find_stop(l, lane);
        mb_to_lane(l->s, at->s, n->ns, lane);
        mb_to_lane(l->d, at->d, n->nd, lane);
        mb_to_lane(l->x, at->x, n->nx, lane);
        mb_to_lane(l->largest, m->largest, n->nr, lane);
        if (!mb_closed_contacts(m)) {
            l->next_h[lane] = next;
            l->repeated[lane] = l->sought[lane] = 0;
            (*fresh)[lane] = -1;
            return;
        }
        if (at->t == mb_row_time(b, l->id[lane], l->row[lane]) && (!mb_observe_lanes(l)[lane] || !mb_record_rows(l, lane))) {
            mb_end_lane(l, lane, l->row[lane] == b->times ? MB_DONE : MB_LEFT_TO_HOST, fresh);
            return;
        }
    } while (!*b->stop);
}

/* Where contacts are closed or slips held. */
static mb_mask mb_closed_in_lanes(const mb_lanes *l)
{
    const mb_model *n = l->model;
    mb_mask closed = {0};
    for (int i = 0; i < n->ne; i++)
        if (n->kind[i] >= MB_CLOSED_CONTACT)
            closed |= l->d[i] > 0.5;
    return closed;
}

/* Evaluates instances that have just come to their lanes, until all of them can go on. */
static void mb_begin_lanes(mb_lanes *l, mb_mask fresh)
{
    const mb_model *n = l->model;
    while (mb_any(fresh)) {
        const mb_mask begun = fresh, live = l->live;
        fresh = (mb_mask){0};
        /* lanes on their way keep their rates; their configuration is where it was */
        l->live = begun;
        l->event = (mb_mask){0};
        mb_mask good = mb_rate_lanes(l, l->rate);
        mb_note_events(l);
        /* by a rounding error that the instance does not have, or held from its start */
        const mb_mask pass = l->event | mb_closed_in_lanes(l);
        if (mb_any(mb_at_rows(l, begun)))
            good &= mb_observe_lanes(l);
        l->live = live;
        mb_keep(l->rate0, l->rate, n->ns, begun);
        mb_keep(l->s0, l->s, n->ns, begun);
        mb_keep(l->x0, l->x, n->nx, begun);
        l->t0 = mb_choose(begun, l->t, l->t0);
        for (int i = 0; i < n->ne; i++)
            l->by0[i] = mb_choose(begun, mb_contradiction_in_lanes(l, i), l->by0[i]);
        for (int i = 0; i < MB_LANES; i++) {
            if (!begun[i])
                continue;
            if (!good[i])
                mb_end_lane(l, i, MB_LEFT_TO_HOST, &fresh);
            else if (!mb_record_rows(l, i))
                mb_end_lane(l, i, MB_DONE, &fresh);
            else if (pass[i])
                mb_pass_lane(l, i, &fresh);
            else
                mb_plan_lane(l, i);
        }
    }
}

#endif
