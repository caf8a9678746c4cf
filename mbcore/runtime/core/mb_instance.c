/* An instance: created in one block of memory, reset, saved as bytes and restored, freed. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mb_instance.h"

/* Takes pieces from a block. With no block it only counts: the same code finds the size of an
 * instance and then lays it out, so the two cannot differ. */
typedef struct {
    char *block;
    size_t used;
} mb_arena;

static void *take(mb_arena *arena, size_t count, size_t size)
{
    const size_t alignment = 16;
    void *piece = arena->block ? arena->block + arena->used : NULL;
    arena->used += (count * size + alignment - 1) / alignment * alignment;
    return piece;
}

static double *take_doubles(mb_arena *arena, int count)
{
    return take(arena, (size_t)count, sizeof(double));
}

static void take_point(mb_arena *arena, const mb_model *model, mb_point *point)
{
    double *values = take_doubles(arena, (int)mb_point_size(model));
    if (values)
        mb_lay_point(model, point, values);
}

static int most(int a, int b) { return a > b ? a : b; }

static void lay_out_function_work(mb_arena *arena, mb_instance *m)
{
    const mb_model *model = MB_MODEL;
#define MB_ADDRESS_FUNCTION(name) &model->name,
    const mb_function *functions[] = {&model->common, &model->known_indicator, &model->jacobian,
                                      MB_EACH_FUNCTION(MB_ADDRESS_FUNCTION)};
    int w = 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        w = most(w, functions[i]->w);
    m->arg = take(arena, MB_ARGUMENTS + MB_MOST_EXTRAS, sizeof *m->arg);
    m->res = take(arena, 4, sizeof *m->res);
    m->w = take_doubles(arena, w);
    m->unused = take_doubles(arena, most(most(model->nc, model->nq), most(model->ns, model->nx)));
}

static int remembered(const mb_model *model)
{
    return MB_DIFFERENCES * MB_REMEMBERED * model->ni;
}

/* The persistent arrays, see mb_instance.h. */
static void lay_out_persistent(mb_arena *arena, mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    const size_t begin = arena->used;
    m->persistent = take(arena, 0, 1);
    take_point(arena, model, &m->now);
    take_point(arena, model, &m->accepted);
    const size_t results = arena->used;
    m->rate = take_doubles(arena, model->ns);
    m->output = take_doubles(arena, model->ny);
    m->indicator = take_doubles(arena, model->ne);
    m->event_memory = take(arena, (size_t)model->ne, sizeof *m->event_memory);
    m->input_derivative = take_doubles(arena, MB_ORDERS * model->nu);
    m->sensitivity = take_doubles(arena, model->ns * model->varied);
    m->measure = take_doubles(arena, model->nr);
    m->conditioning = take_doubles(arena, MB_CONDITIONING_ARRAYS * model->nr);
    m->largest = m->conditioning + (arena->block ? model->nr : 0);
    m->lowest = m->largest + (arena->block ? model->nr : 0);
    m->highest = m->lowest + (arena->block ? model->nr : 0);
    m->watched = m->highest + (arena->block ? model->nr : 0);
    m->trend = m->watched + (arena->block ? model->nr : 0);
    m->results_size = arena->used - results;
    m->remembered = take_doubles(arena, remembered(model));
    m->nominal = take_doubles(arena, model->ns); /* these do not change in steps */
    m->start_state = take_doubles(arena, model->contacts > 0 ? model->ns : 0);
    m->least_rate = take_doubles(arena, model->contacts > 0 ? model->nm : 0);
    m->largest_rate = take_doubles(arena, model->contacts > 0 ? model->nm : 0);
    m->path_place = take_doubles(arena, model->contacts > 0 ? model->nm : 0);
    m->path_speed = take_doubles(arena, model->contacts > 0 ? model->nm : 0);
    m->path_rate = take_doubles(arena, model->contacts > 0 ? model->nm : 0);
    m->gained = take_doubles(arena, model->contacts > 0 ? model->nm : 0);
    m->scale = take_doubles(arena, model->nx);
    m->per_scale = take_doubles(arena, model->nx);
    m->persistent_size = arena->used - begin;
}

/* The persistent values in the instance itself lie between these two. */
static const size_t FIRST = offsetof(mb_instance, tolerance);
static const size_t END = offsetof(mb_instance, persistent);

size_t mb_persistent_size(const mb_instance *m)
{
    return 2 * sizeof(double) + (END - FIRST) + m->persistent_size;
}

void mb_save(const mb_instance *m, char *to)
{
    const double times[] = {m->now.t, m->accepted.t};
    memcpy(to, times, sizeof times);
    memcpy(to += sizeof times, (const char *)m + FIRST, END - FIRST);
    memcpy(to + (END - FIRST), m->persistent, m->persistent_size);
}

void mb_restore(mb_instance *m, const char *from)
{
    double times[2];
    memcpy(times, from, sizeof times);
    m->now.t = times[0];
    m->accepted.t = times[1];
    memcpy((char *)m + FIRST, from += sizeof times, END - FIRST);
    memcpy(m->persistent, from + (END - FIRST), m->persistent_size);
    m->cached_now = m->cached_part = m->parameters_same = 0;
}

/* The same of what a step may change. */
void mb_save_moving(mb_instance *m)
{
    char *to = m->saved;
    mb_copy_own(m, &m->saved_now, &m->now);
    mb_copy_own(m, &m->saved_accepted, &m->accepted);
    memcpy(to, (const char *)m + FIRST, END - FIRST);
    memcpy(to += END - FIRST, m->rate, m->results_size);
    memcpy(to + m->results_size, m->remembered, (size_t)remembered(MB_MODEL) * sizeof(double));
}

void mb_restore_moving(mb_instance *m)
{
    const char *from = m->saved;
    mb_copy_own(m, &m->now, &m->saved_now);
    mb_copy_own(m, &m->accepted, &m->saved_accepted);
    m->cached_now = m->cached_part = 0;
    memcpy((char *)m + FIRST, from, END - FIRST);
    memcpy(m->rate, from += END - FIRST, m->results_size);
    memcpy(m->remembered, from + m->results_size, (size_t)remembered(MB_MODEL) * sizeof(double));
}

static void lay_out_work(mb_arena *arena, mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    m->saved = take(arena, mb_persistent_size(m), 1);
    take_point(arena, model, &m->saved_now);
    take_point(arena, model, &m->saved_accepted);
    take_point(arena, model, &m->between);
    take_point(arena, model, &m->cached_at);
    m->cached_rate = take_doubles(arena, model->ns);
    for (int i = 0; i < MB_STAGES; i++)
        m->stage[i] = take_doubles(arena, model->ns);
    m->stage_offset = take_doubles(arena, MB_REMEMBERED * model->ni);
    m->cell = take_doubles(arena, model->ni);
    m->end_state = take_doubles(arena, model->ns);
    m->end_rate = take_doubles(arena, model->ns);
    m->time_derivative = take_doubles(arena, model->ns);
    m->jacobian = take_doubles(arena, model->ns * model->ns);
    m->factors = take_doubles(arena, model->ns * model->ns);
    m->pivot = take(arena, (size_t)model->ns, sizeof *m->pivot);
    m->rate_of = take(arena, (size_t)model->ns, sizeof *m->rate_of);
    m->unknown = take(arena, (size_t)model->ns, sizeof *m->unknown);
    m->unknown_change = take_doubles(arena, model->ns);
    m->indicator_range = take(arena, (size_t)model->ne, sizeof *m->indicator_range);
    m->contradictions = take_doubles(arena, model->ne * (MB_PARTS + 2));
    m->end_indicator = take_doubles(arena, model->ne);
    m->reforeseen = take(arena, (size_t)model->ne, 1);
    for (int i = 0; i < MB_DENSE_RATES; i++)
        m->dense_rate[i] = take_doubles(arena, model->ns);
    for (int i = 0; i < MB_DENSE_TERMS; i++)
        m->term[i] = take_doubles(arena, model->ns);
#define MB_TAKE_EXTRA(name, size) m->extra[MB_EXTRA_##name] = m->name = take_doubles(arena, size);
    MB_EACH_EXTRA(MB_TAKE_EXTRA)
    m->other_measure = take_doubles(arena, model->nr);
    m->next_coordinates = take_doubles(arena, model->nx);
    m->residual = take_doubles(arena, model->nc);
    m->trial_step = take_doubles(arena, model->nx);
    m->trial_start = take_doubles(arena, model->nx);
    m->new_discrete = take_doubles(arena, model->nd);
    m->new_state = take_doubles(arena, model->ns);
    m->place_error = take_doubles(arena, model->nm);
    m->new_sensitivity = take_doubles(arena, model->ns * model->varied);
    m->stage_change = take_doubles(arena, MB_STAGES * model->ns * model->varied);
    m->rate_change = take_doubles(arena, model->ns);
    m->output_change = take_doubles(arena, model->ny);
    m->adjoint = take_doubles(arena, model->ns + 1 + model->nu + model->np);
    m->required = take_doubles(arena, model->nq);
    m->requirement_value = take_doubles(arena, model->nq);
    m->power = take_doubles(arena, model->nf);
    m->power_size = take_doubles(arena, model->nf);
    m->input_use = take_doubles(arena, model->nu);
    m->end_input = take_doubles(arena, model->nu);
    m->requested_input = take_doubles(arena, model->nu);
    m->rate_rate = take_doubles(arena, model->ns);
    m->output_rate = take_doubles(arena, model->ny);
    lay_out_function_work(arena, m);
}

static void lay_out_all(mb_arena *arena, mb_instance *m)
{
    lay_out_persistent(arena, m);
    lay_out_work(arena, m);
    m->warned = take(arena, (size_t)MB_MODEL->nq, sizeof *m->warned);
    m->limit_warned = take(arena, (size_t)MB_MODEL->nu, sizeof *m->limit_warned);
    m->limited_row = take(arena, (size_t)MB_MODEL->nu, sizeof *m->limited_row);
    m->held_event = take(arena, (size_t)MB_MODEL->ne, sizeof *m->held_event);
    m->rate_check = take(arena, (size_t)MB_MODEL->input_rates, sizeof *m->rate_check);
    m->required_intermediate = take(arena, (size_t)MB_MODEL->variables, 1);
}

/* The first row of each input counts. */
static void find_limited_inputs(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    for (int input = 0; input < model->nu; input++) {
        const mb_variable *v = mb_row_of(model, MB_INPUT, input);
        if (v && !(isinf(v->minimum) && isinf(v->maximum)))
            m->limited_row[m->limited_inputs++] = (int)(v - model->variable);
    }
}

static void find_events(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        m->told_events += MB_MODEL->kind[i] != MB_KNOT;
    for (int i = 0; i < MB_MODEL->ne && MB_MODEL->contacts > 0; i++)
        if (MB_MODEL->kind[i] >= MB_CLOSED_CONTACT)
            m->held_event[m->held_events++] = i;
}

/* Returns NULL, and says why, if there can be no instance. */
mb_instance *mb_create(const char *function, const char *name, const char *token,
                       mb_interface interface, char message[MB_MESSAGE])
{
    if (!token || strcmp(token, mb_generated_model.token) != 0) {
        snprintf(message, MB_MESSAGE,
                 "%s: the token %s is not that of this binary, %s; model description and binary "
                 "must come from the same export",
                 function, token ? token : "(none)", mb_generated_model.token);
        return NULL;
    }
    if (!name)
        name = "";
    mb_instance plan = {0};
    mb_arena arena = {0};
    const size_t name_size = strlen(name) + 1;
    take(&arena, 1, sizeof plan);
    lay_out_all(&arena, &plan);
    take(&arena, name_size, 1);

    arena.block = calloc(1, arena.used);
    if (!arena.block) {
        snprintf(message, MB_MESSAGE, "%s: there is not enough memory", function);
        return NULL;
    }
    arena.used = 0;
    mb_instance *m = take(&arena, 1, sizeof *m);
    m->interface = interface;
    lay_out_all(&arena, m);
    find_limited_inputs(m);
    find_events(m);
    m->instance_name = memcpy(take(&arena, name_size, 1), name, name_size);
    mb_reset(m);
    return m;
}

/* No doStep has failed that the next one would repeat. */
void mb_forget_failures(mb_instance *m)
{
    m->failed_time = m->failed_step = INFINITY;
    m->terminated = 0;
}

/* The value of one of the runtime's own parameters, which are the last of p. */
double mb_solver(const mb_instance *m, int parameter)
{
    return m->now.p[MB_MODEL->np - MB_SOLVER_PARAMETERS + parameter];
}

/* Begins the work that one call of an importer may cause, whatever the values are:
 * solver.most_evaluations right-hand sides.
 *
 * Work is counted in statements of the model. It is checked where a configuration is solved for,
 * because every loop that may be long does that. Once it is used up, every further configuration fails,
 * and so the call ends and restores the state from before it. */
void mb_begin_work(mb_instance *m)
{
    const double most = mb_solver(m, MB_SOLVER_MOST_EVALUATIONS);
    if (m->updating)
        return; /* the work of a step goes on */
    m->work = 0;
    m->most_work = most * (MB_CALL + MB_MODEL->derivative.statements);
}

void mb_reset(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    memset(m->now.values, 0, mb_point_size(model) * sizeof(double));
    for (int i = 0; i < model->variables; i++) {
        const mb_variable *v = &model->variable[i];
        if (v->kind == MB_PARAMETER)
            m->now.p[v->index] = v->start;
        else if (v->kind == MB_INPUT)
            m->now.u[v->index] = v->start;
        else if (v->kind == MB_DISCRETE)
            m->now.d[v->index] = v->start;
        else if (v->kind == MB_STATE) {
            m->now.s[v->index] = v->start;
            m->nominal[v->index] = v->nominal;
        }
    }
    for (int i = 0; i < model->choices; i++) {
        const mb_choice *c = &model->choice[i];
        m->now.p[c->own] = (c->kind == MB_STATE ? m->now.s : m->now.p)[c->index];
    }
    m->now.t = 0;
    mb_copy_point(model, &m->accepted, &m->now);
    memset(m->conditioning, 0, (size_t)(MB_CONDITIONING_ARRAYS * model->nr) * sizeof(double));
    for (int i = 0; i < model->ne; i++)
        m->event_memory[i] = (mb_event_memory){.end = INFINITY, .before = INFINITY};
    memset(m->warned, 0, (size_t)model->nq);
    memset(m->limit_warned, 0, (size_t)model->nu);
    m->mode = MB_INSTANTIATED;
    m->failed = 0;
    m->initialized = m->begun = 0;
    m->fresh = 0;
    m->parameters_checked = m->parameters_same = 0;
    m->last_event = 0;
    m->event_mode_entered = 0;
    m->states_changed = m->start_changed = 0;
    m->tolerance = 0;
    m->absolute_share = 1;
    m->start_time = 0;
    m->stop_time = INFINITY;
    m->step_size = (mb_step_size){0};
    m->solver_step = 0;
    m->solver_watched = m->path_watched = m->displaced = 0;
    m->stiffness = (mb_stiffness){0, 0, 0, 0, 0};
    m->constant_since = m->event_time = INFINITY;
    mb_forget_failures(m);
    m->event_span = m->rates_requested = 0;
    for (int i = 0; i < model->input_rates; i++)
        m->rate_check[i] = (mb_rate_check){0};
    m->sensitive = 0;
    memset(m->input_derivative, 0, (size_t)(MB_ORDERS * model->nu) * sizeof(double));
    m->given_derivatives = MB_NO_DERIVATIVES;
    m->input_mode = MB_INPUTS_CONSTANT;
    m->update_failed = 0;
    m->steps_remembered = m->unchecked_steps = m->stage_number = 0;
    m->remembered_step = 0;
    memset(m->remembered, 0, (size_t)remembered(model) * sizeof(double));
    mb_begin_work(m);
    m->check_stages = 0;
}

void mb_add_link(mb_instance *m, mb_link *link)
{
    link->previous = NULL;
    link->next = m->states;
    if (link->next)
        link->next->previous = link;
    m->states = link;
}

void mb_remove_link(mb_instance *m, const mb_link *link)
{
    if (link->previous)
        link->previous->next = link->next;
    else
        m->states = link->next;
    if (link->next)
        link->next->previous = link->previous;
}

void mb_free_states(mb_instance *m)
{
    for (mb_link *next, *link = m->states; link; link = next) {
        next = link->next;
        free(link);
    }
    m->states = NULL;
}

void mb_free(mb_instance *m)
{
    if (m)
        mb_free_states(m);
    free(m); /* all its other pieces lie in the same block */
}
