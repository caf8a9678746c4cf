/* Rows of results: at given times, or at the ends of steps and between those of long ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mb_native.h"

/* Lays out arrays of zeros; returns their block, NULL where there is not enough memory. */
double *mb_lay_out(const mb_part *part, size_t parts)
{
    size_t whole = 1;
    for (size_t k = 0; k < parts; k++)
        whole += part[k].count;
    double *block = calloc(whole, sizeof(double)), *next = block;
    for (size_t k = 0; block && k < parts; k++) {
        *part[k].place = next;
        next += part[k].count;
    }
    return block;
}

/* Makes room behind a list; returns its place, NULL where there is no memory. */
double *mb_extend(mb_list *list, long count)
{
    if (list->count + count > list->room) {
        const long room = 2 * list->room + 64 * count;
        double *larger = realloc(list->value, (size_t)room * sizeof(double));
        if (!larger)
            return NULL;
        list->value = larger;
        list->room = room;
    }
    list->count += count;
    return list->value + list->count - count;
}

/* The same for what a run notes; returns whether there is room. */
int mb_append(mb_native *run, mb_list *list, int count, double **place)
{
    *place = mb_extend(list, count);
    run->out_of_memory |= !*place;
    return *place != NULL;
}

static double *put(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof(double));
    return to + n;
}

/* Adds what has changed of the discrete variables since the last row, with the number of this one. */
static int record_discrete(mb_native *run, double row)
{
    const double *d = run->m->now.d;
    double *to;
    for (int i = 0; i < MB_MODEL->nd; i++) {
        if (!(run->unrecorded & MB_ALL) && mb_bits(d[i]) == mb_bits(run->recorded[i]))
            continue;
        if (!mb_append(run, &run->discrete, 3, &to))
            return 0;
        to[0] = row;
        to[1] = i;
        to[2] = run->recorded[i] = d[i];
    }
    run->unrecorded = 0;
    return 1;
}

/* Adds a row of `now`, which is configured; closed gaps and held slips are made zero first. */
mb_status mb_record_point(mb_native *run)
{
    mb_instance *m = run->m;
    const mb_model *model = MB_MODEL;
    const int columns =
        1 + model->ns + model->nu + model->ny + (run->with_coordinates ? model->nx : 0);
    const double row = (double)(run->rows.count / columns);
    double *to;
    const mb_status status = mb_project(m);
    if (status)
        return status;
    if (!mb_append(run, &run->rows, columns, &to) || (run->unrecorded && !record_discrete(run, row)))
        return MB_ERROR;
    *to++ = m->now.t;
    to = put(to, m->now.s, model->ns);
    to = put(to, m->now.u, model->nu);
    mb_run(m, &model->output, &m->now, to, NULL);
    to += model->ny;
    if (run->with_coordinates)
        put(to, m->now.x, model->nx);
    return MB_OK;
}

static mb_status record_between(mb_native *run, double t)
{
    mb_instance *m = run->m;
    mb_status status = mb_begin_dense(m, run->parked.s, run->parked_rate);
    if (status)
        return status;
    mb_dense_state(m, t, m->now.s);
    mb_go_to(m, t);
    if (!(status = mb_configure(m)))
        status = mb_record_point(run);
    return status;
}

static mb_status record_end(mb_native *run)
{
    mb_instance *m = run->m;
    mb_copy_point(MB_MODEL, &m->now, &run->parked);
    m->fresh = MB_CONFIGURED;
    return mb_record_point(run);
}

static mb_status record_times(mb_native *run)
{
    const double end = run->parked.t;
    mb_status status = MB_OK;
    while (!status && run->next_time < run->time_count && run->times[run->next_time] <= end) {
        const double t = run->times[run->next_time];
        status = t == end ? record_end(run) : record_between(run, t);
        run->next_time++;
    }
    return status;
}

static mb_status record_all(mb_native *run, double from)
{
    const double end = run->parked.t;
    const long parts = (long)ceil((end - from) / run->spacing - 1e-9);
    mb_status status = MB_OK;
    for (long k = 1; !status && k < parts; k++)
        status = record_between(run, from + (double)k * (end - from) / (double)parts);
    return status ? status : record_end(run);
}

/* Adds the rows in the step that ends at `now` and is not accepted yet; leaves all as it was. */
mb_status mb_record_step(mb_native *run, double from)
{
    mb_instance *m = run->m;
    const mb_model *model = MB_MODEL;
    mb_status status = MB_OK;
    if (run->times && !(run->next_time < run->time_count && run->times[run->next_time] <= m->now.t))
        return MB_OK;
    if (!m->method->adaptive && !(m->fresh & MB_DERIVED)) {
        if ((status = mb_derive(m, m->rate)))
            return status;
        m->fresh |= MB_DERIVED;
    }
    const unsigned fresh = m->fresh;
    mb_copy_point(model, &run->parked, &m->now);
    memcpy(run->parked_rate, m->rate, (size_t)model->ns * sizeof(double));
    memcpy(run->parked_measure, m->measure, (size_t)model->nr * sizeof(double));
    m->beside = MB_ASIDE;
    status = run->times ? record_times(run) : record_all(run, from);
    m->beside = 0;
    mb_copy_point(model, &m->now, &run->parked);
    memcpy(m->rate, run->parked_rate, (size_t)model->ns * sizeof(double));
    memcpy(m->measure, run->parked_measure, (size_t)model->nr * sizeof(double));
    m->fresh = fresh & ~(unsigned)(MB_INDICATED | MB_CHECKED | MB_OBSERVED);
    return status;
}

/* Adds a row of the point after an event, where one is wanted. */
mb_status mb_record_after_event(mb_native *run)
{
    mb_instance *m = run->m;
    if (run->times) {
        if (!(run->next_time < run->time_count && run->times[run->next_time] <= m->now.t))
            return MB_OK;
        run->next_time++;
    }
    return mb_record_point(run);
}
