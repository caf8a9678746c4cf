/* The run itself: steps of the integrator with their events, until the host has something to do. */
#include "mb_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_PER_REPORT = 64,        /* of progress */
    NUMBERS_PER_RETURN = 1 << 20 /* of rows: the host has all of them in the end, here are few */
};

static void request_inputs(mb_instance *m)
{
    mb_native *run = m->environment;
    if (!run->ended && run->input && run->input(m->update.t) != MB_GO_ON) {
        run->ended = 1;
        m->most_work = -1; /* every way to a configuration ends */
    }
}

/* Whether an event of this round has done what it is for; `modes` are from before the round. */
int mb_has_happened(const mb_instance *m, int event, const double *modes, const int *shown_by)
{
    if (MB_MODEL->kind[event] == MB_IMPACT && m->fired[event] == 0)
        return 0;
    for (int k = shown_by[event]; k < shown_by[event + 1]; k++)
        if (m->now.d[shown_by[k]] != modes[shown_by[k]])
            return 1;
    return 0;
}

/* Logger of the instance. An event round logs each of its events after the round; the first message
 * appends all of them, the others find nothing new. */
static void note_events(mb_instance *m, mb_status status, const char *category, const char *message)
{
    mb_native *run = m->environment;
    (void)category, (void)message;
    if (status == MB_WARNING)
        run->to_examine = 1;
    if (status != MB_OK)
        return;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        double *to;
        if (!mb_has_happened(m, i, run->modes, run->shown_by) || !mb_append(run, &run->events, 2, &to))
            continue;
        to[0] = m->now.t;
        to[1] = i;
    }
    memcpy(run->modes, m->now.d, (size_t)MB_MODEL->nd * sizeof(double));
}

static void note_update(mb_instance *m)
{
    mb_native *run = m->environment;
    run->unrecorded |= MB_SOME;
}

static int make_room(mb_native *run)
{
    const mb_model *model = MB_MODEL;
    const size_t ns = (size_t)model->ns;
    double *parked;
    const mb_part part[] = {
        {&run->before, ns}, {&run->others, ns}, {&run->parked_rate, ns},
        {&parked, mb_point_size(model)},
        {&run->parked_measure, (size_t)model->nr},
        {&run->modes, (size_t)model->nd},
        {&run->recorded, (size_t)model->nd},
    };
    if (!mb_lay_out(part, sizeof part / sizeof *part))
        return 0;
    mb_lay_point(model, &run->parked, parked);
    return 1;
}

MB_EXPORT void mb_native_close(mb_native *run)
{
    if (!run)
        return;
    free(run->before); /* the block of all arrays */
    free(run->rows.value);
    free(run->events.value);
    free(run->changes.value);
    free(run->discrete.value);
    mb_free(run->m);
    free(run);
}

/* Returns NULL where there is not enough memory. */
MB_EXPORT mb_native *mb_native_open(void)
{
    char message[MB_MESSAGE];
    mb_native *run = calloc(1, sizeof *run);
    mb_instance *m = mb_create(__func__, "", mb_generated_model.token, MB_CO_SIMULATION, message);
    if (!run || !m) {
        mb_free(m);
        free(run);
        return NULL;
    }
    run->m = m;
    if (!make_room(run)) {
        mb_native_close(run);
        return NULL;
    }
    m->environment = run;
    m->log = note_events;
    m->update_callback = request_inputs;
    m->before_update = note_update;
    mb_start_logging(m, 0, MB_LOG_WARNING | MB_LOG_EVENTS);
    run->s = m->now.s;
    run->d = m->now.d;
    run->u = m->now.u;
    run->p = m->now.p;
    run->x = m->now.x;
    run->scale = m->scale;
    run->largest = m->largest;
    run->nominal = m->nominal;
    return run;
}

/* Begins steps of a method at the point in `now`, which is configured and checked there. Conditioning
 * measures have been as large as this so far. */
void mb_begin_steps(mb_instance *m, const mb_stepping *how, const double *largest)
{
    const mb_model *model = MB_MODEL;
    double *solver = m->now.p + model->np - MB_SOLVER_PARAMETERS;
    solver[MB_SOLVER_METHOD] = MB_METHOD_RK45;
    solver[MB_SOLVER_TOLERANCE] = m->tolerance = how->relative;
    solver[MB_SOLVER_STEP] = how->longest_step;
    solver[MB_SOLVER_MOST_EVALUATIONS] = INFINITY;
    m->absolute_share = how->absolute / how->relative;
    m->rates_by_values = 1;
    mb_use_method(m, how->method);
    for (int i = 0; i < model->nx; i++)
        m->per_scale[i] = 1 / m->scale[i];
    for (int i = 0; i < model->ne; i++) { /* nothing is known of flights and steps that others have begun */
        mb_event_memory *memory = &m->event_memory[i];
        memory->end = INFINITY;
        memory->first_step[0] = memory->first_step[1] = 0;
        memory->occurred = 0;
    }
    m->initialized = m->parameters_checked = 1;
    m->mode = MB_STEP;
    m->cache_valid = 0;
    mb_begin_work(m);
    mb_copy_point(model, &m->accepted, &m->now);
    m->fresh = MB_CONFIGURED;
    mb_run(m, &model->conditioning, &m->now, m->measure, NULL);
    mb_start_conditioning(m, m->measure);
    for (int i = 0; i < model->nr; i++)
        m->largest[i] = fmax(m->largest[i], largest[i]);
}

/* Begins at the point that the host has written. The largest conditioning measures so far lie in
 * `others`. */
MB_EXPORT void mb_native_place(mb_native *run, const double *largest)
{
    mb_instance *m = run->m;
    m->now.t = run->t;
    mb_begin_steps(m, &run->steps_asked, largest);
    memcpy(run->modes, m->now.d, (size_t)MB_MODEL->nd * sizeof(double));
    run->unrecorded = MB_ALL;
    run->context.end = NAN;
}

/* Whether a conditioning measure, in parts of the largest so far, is below a threshold, so that the host
 * examines the point. */
int mb_is_near_singular(const mb_instance *m, double threshold)
{
    for (int i = MB_MODEL->limits; i < MB_MODEL->nr; i++)
        if (!(fabs(m->conditioning[i]) >= threshold * m->largest[i]))
            return 1;
    return 0;
}

static void measure_residual(mb_native *run)
{
    mb_instance *m = run->m;
    mb_run(m, &MB_MODEL->newton, &m->now, m->next_coordinates, m->residual);
    for (int i = 0; i < MB_MODEL->nc; i++)
        run->residual = fmax(run->residual, fabs(m->residual[i]));
}

/* The events at the present point, and a row behind them. */
static mb_status end_step(mb_native *run)
{
    mb_instance *m = run->m;
    const int events = run->context.all_events;
    mb_status status = mb_end_step(m, &run->context);
    if (!status && run->context.all_events > events)
        status = mb_record_after_event(run);
    return status;
}

static void note_method(mb_native *run, double from, int before)
{
    double *to;
    const int implicit = run->m->stiffness.implicit;
    if (implicit == before || !mb_append(run, &run->changes, 2, &to))
        return;
    to[0] = from;
    to[1] = implicit;
}

/* A step with its rows and events; where that is not possible, everything is as it was before. */
static mb_status make_step(mb_native *run)
{
    mb_instance *m = run->m;
    const long rows = run->rows.count, events = run->events.count, next = run->next_time;
    const long discrete = run->discrete.count;
    const double from = m->now.t;
    const int implicit = m->stiffness.implicit;
    run->context.steps++;
    mb_status status = mb_take_step(m, &run->context);
    run->failed_time = m->now.t;
    if (!status)
        status = mb_record_step(run, from);
    if (!status)
        status = end_step(run);
    if (!status) {
        run->steps++;
        note_method(run, from, implicit);
        measure_residual(run);
        return MB_OK;
    }
    run->rows.count = rows;
    run->events.count = events;
    run->discrete.count = discrete;
    run->unrecorded = MB_ALL;
    run->next_time = next;
    return status;
}

static mb_status begin_call(mb_native *run, double end)
{
    mb_instance *m = run->m;
    if (run->context.end != end) {
        run->context = (mb_step_context){.begin = m->now.t, .end = end, .checked_time = m->now.t};
        run->context.longest = run->steps_asked.longest_step;
        m->step_size = (mb_step_size){0};
        m->update_from = m->now.t;
        m->update_until = end;
    }
    m->input_mode = run->gives_inputs ? MB_INPUTS_REQUESTED : MB_INPUTS_CONSTANT;
    m->rate_wanted = 1;
    const mb_status status = mb_accept(m);
    m->rate_wanted = 0;
    return status ? status : end_step(run);
}

static void count_evaluations(mb_native *run)
{
    run->evaluations += run->m->evaluations - run->counted;
    run->counted = run->m->evaluations;
}

/* Lets the host know how far the run has come; it may end it, or say that it creeps. */
static void report(mb_native *run)
{
    if (run->steps % STEPS_PER_REPORT != 0 || !run->progress)
        return;
    count_evaluations(run);
    run->nearness = mb_nearest_to_singular(run->m);
    if (run->progress(run->m->now.t) != MB_GO_ON)
        run->ended = 1;
}

/* Goes on to a time and says why it has come back; the point is written to the host's. */
MB_EXPORT int mb_native_advance(mb_native *run, double end)
{
    mb_instance *m = run->m;
    int why = MB_AT_END;
    run->to_examine = run->out_of_memory = run->ended = run->creeps = 0;
    run->failed_time = m->now.t;
    mb_status status = begin_call(run, end);
    while (!status && m->now.t < end && !why) {
        status = make_step(run);
        if (status)
            break;
        if (run->to_examine || mb_is_near_singular(m, run->conditioning_threshold))
            why = MB_TO_EXAMINE;
        else if (run->rows.count >= NUMBERS_PER_RETURN)
            why = MB_ROWS_READY;
        report(run);
        if (run->creeps)
            why = MB_NOT_POSSIBLE;
        if (run->ended)
            why = MB_ENDED;
    }
    m->input_mode = MB_INPUTS_CONSTANT;
    count_evaluations(run);
    if (status) {
        mb_copy_point(MB_MODEL, &m->now, &m->accepted);
        m->fresh = MB_CONFIGURED;
        why = run->out_of_memory ? MB_NO_MEMORY : run->ended ? MB_ENDED : MB_NOT_POSSIBLE;
    }
    run->t = m->now.t;
    return why;
}
