/* Whether the numbers of a state that comes from outside are such as an instance may have. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_integrator.h"
#include "mb_variables.h"

static mb_status refuse(mb_instance *m, const char *name, double value)
{
    return mb_refuse(m, MB_ERROR,
                     "the state holds %s = %.9g, which this FMU cannot have; it was changed after "
                     "it was serialized, serialize it again",
                     name, value);
}

/* Whether a value is one of its type. */
static int is_of_type(const mb_variable *v, double value)
{
    return v->type == MB_BOOLEAN ? value == 0 || value == 1 : v->type == MB_REAL || value == floor(value);
}

static mb_status check_variables(mb_instance *m)
{
    for (int i = 0; i < m->model->variables; i++) {
        const mb_variable *v = &m->model->variable[i];
        const double value = v->kind == MB_PARAMETER  ? m->now.p[v->index]
                             : v->kind == MB_INPUT    ? m->now.u[v->index]
                             : v->kind == MB_STATE    ? m->now.s[v->index]
                             : v->kind == MB_DISCRETE ? m->now.d[v->index]
                                                      : 0;
        const int bounded = v->kind == MB_PARAMETER || v->kind == MB_INPUT;
        if (!isfinite(value) || (bounded && !mb_in_range(v, value)) || !is_of_type(v, value))
            return refuse(m, v->name, value);
    }
    return MB_OK;
}

/* What was set at variables of which others decide too: it may become theirs again. */
static mb_status check_choices(mb_instance *m)
{
    for (int i = 0; i < m->model->choices; i++) {
        const mb_choice *c = &m->model->choice[i];
        const mb_variable *v = mb_row_of(m->model, c->kind, c->index);
        const double value = m->now.p[c->own];
        const int possible = !v || v->kind != MB_PARAMETER ||
                             (mb_in_range(v, value) && is_of_type(v, value));
        if (!isfinite(value) || !possible)
            return refuse(m, v ? v->name : "a start value", value);
    }
    return MB_OK;
}

/* The modes of events, and what is remembered of them. */
static mb_status check_events(mb_instance *m)
{
    const int last = m->model->ne > 0 ? m->model->ne - 1 : 0;
    if (m->last_event < 0 || m->last_event > last)
        return refuse(m, "the number of the last event", m->last_event);
    for (int i = 0; i < m->model->ne; i++) {
        const double mode = m->now.d[i];
        if (mode != 0 && mode != 1)
            return refuse(m, m->model->event[i], mode);
        if (!mb_possible_watch(m, i))
            return refuse(m, "a distance from an event", m->watch[i].lenient);
    }
    return MB_OK;
}

static int is_mode(const mb_instance *m)
{
    const unsigned contrary = m->initialized ? MB_INSTANTIATED | MB_INITIALIZATION : MB_RUNNING;
    const unsigned mode = (unsigned)m->mode, exchange = m->interface == MB_MODEL_EXCHANGE;
    const unsigned others = exchange ? MB_STEP : MB_CONTINUOUS_TIME;
    return mode && !(mode & (mode - 1)) && mode & MB_ANY_MODE & ~others & ~contrary &&
           !(mode == MB_EVENT && !exchange && !m->event_mode_used);
}

/* Values that belong to no variable alone, and sizes, by which others are divided. */
static mb_status check_numbers(mb_instance *m)
{
    const mb_model *model = m->model;
    const int values = (int)mb_point_size(model) - model->nx;
    if (!mb_all_finite(m->now.values, values) || !mb_all_finite(m->accepted.values, values))
        return refuse(m, "a value", NAN);
    for (int i = 0; i < model->ns; i++)
        if (!(isfinite(m->nominal[i]) && m->nominal[i] > 0))
            return refuse(m, "a nominal value", m->nominal[i]);
    const int sized = m->initialized || m->fresh & MB_CONFIGURED;
    for (int i = 0; i < model->nx && sized; i++)
        if (!(isfinite(m->scale[i]) && m->scale[i] > 0 && isfinite(m->per_scale[i]) &&
              m->per_scale[i] > 0))
            return refuse(m, "the size of a coordinate", m->scale[i]);
    return MB_OK;
}

/* What is marked as calculated must be finite, for nobody looks again; at a rate that is marked as one
 * that may not be finite, somebody does. */
static int results_are_finite(const mb_instance *m)
{
    const mb_model *model = m->model;
    const unsigned fresh = m->fresh;
    return (!(fresh & MB_CONFIGURED) || mb_all_finite(m->now.x, model->nx)) &&
           (!(fresh & MB_DERIVED) || mb_all_finite(m->rate, model->ns)) &&
           (!(fresh & MB_OBSERVED) || mb_all_finite(m->output, model->ny)) &&
           (!(fresh & MB_INDICATED) || mb_all_finite(m->indicator, model->ne)) &&
           (!(fresh & MB_SIGNED) || mb_all_finite(m->sign, model->nr)) &&
           (!m->sensitive || mb_all_finite(m->sensitivity, model->ns * model->varied)) &&
           mb_all_finite(m->regularity, (MB_REGULARITIES - 1) * model->nr); /* but trends */
}

/* An accepted point that is told to be the present one is, for steps go back to it. */
static int is_accepted(const mb_instance *m)
{
    const size_t size = mb_point_size(m->model) * sizeof(double);
    return m->now.t == m->accepted.t && !memcmp(m->now.values, m->accepted.values, size) &&
           mb_all_finite(m->now.values, (int)mb_point_size(m->model));
}

mb_status mb_check_state(mb_instance *m)
{
    const double pace = m->pace.step + m->pace.error + m->pace.landing;
    if (!isfinite(m->now.t) || !isfinite(m->accepted.t))
        return refuse(m, "time", isfinite(m->now.t) ? m->accepted.t : m->now.t);
    if (!is_mode(m))
        return refuse(m, "mode", m->mode);
    if (!(m->tolerance >= 0 && isfinite(m->tolerance)))
        return refuse(m, "the tolerance", m->tolerance);
    if (!isfinite(pace) || m->pace.step < 0 || m->pace.error < 0 || m->pace.landing < 0)
        return refuse(m, "the length of the next step", m->pace.step);
    if (m->start_changed && !mb_all_finite(m->start_state, m->model->contacts > 0 ? m->model->ns : 0))
        return refuse(m, "a start value", NAN);
    if (!isfinite(m->start_time) || isnan(m->stop_time))
        return refuse(m, "the start or stop time", isnan(m->stop_time) ? NAN : m->start_time);
    if ((unsigned)m->courses > MB_COURSES_LEFT ||
        !mb_all_finite(m->input_course, MB_ORDERS * m->model->nu))
        return refuse(m, "the derivative of an input", NAN);
    if (isnan(m->held_since) || isnan(m->failed_time) || isnan(m->failed_step))
        return refuse(m, "a time of the last step", NAN);
    if (isnan(m->event_time) || !(m->event_span >= 0 && m->rates_asked >= 0))
        return refuse(m, "the way to the next event", m->event_span);
    if (!results_are_finite(m))
        return refuse(m, "a result", NAN);
    mb_status status = check_variables(m);
    if (!status)
        status = check_choices(m);
    if (!status)
        status = check_events(m);
    if (!status)
        status = check_numbers(m);
    if (!status && m->fresh & MB_ACCEPTED && !is_accepted(m))
        return refuse(m, "another accepted point, of time", m->accepted.t);
    return status;
}
