/* Whether the numbers of a state that comes from outside are such as an instance may have. */
#include <math.h>
#include <stdio.h>

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
        if (!isfinite(value) || (bounded && !mb_in_range(v, value)))
            return refuse(m, v->name, value);
    }
    return MB_OK;
}

static int is_mode(const mb_instance *m)
{
    const unsigned mode = (unsigned)m->mode, exchange = m->interface == MB_MODEL_EXCHANGE;
    const unsigned others = exchange ? MB_STEP : MB_CONTINUOUS_TIME;
    return mode && !(mode & (mode - 1)) && mode & MB_ANY_MODE & ~others &&
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
    for (int i = 0; i < model->nx && m->fresh & MB_CONFIGURED; i++)
        if (!(isfinite(m->scale[i]) && m->scale[i] > 0 && isfinite(m->per_scale[i]) &&
              m->per_scale[i] > 0))
            return refuse(m, "the size of a coordinate", m->scale[i]);
    return MB_OK;
}

/* What is marked as calculated must be finite, for nobody looks again. */
static int results_are_finite(const mb_instance *m)
{
    const mb_model *model = m->model;
    const unsigned fresh = m->fresh;
    return (!(fresh & MB_CONFIGURED) || mb_all_finite(m->now.x, model->nx)) &&
           (!(fresh & MB_ACCEPTED) ||
            mb_all_finite(m->accepted.values, (int)mb_point_size(model))) &&
           (!(fresh & (MB_DERIVED | MB_RATED)) || mb_all_finite(m->rate, model->ns)) &&
           (!(fresh & MB_OBSERVED) || mb_all_finite(m->output, model->ny)) &&
           (!(fresh & MB_INDICATED) || mb_all_finite(m->indicator, model->ne)) &&
           (!(fresh & MB_SIGNED) || mb_all_finite(m->sign, model->nr));
}

mb_status mb_check_state(mb_instance *m)
{
    const double pace = m->pace.step + m->pace.error + m->pace.landing;
    if (!isfinite(m->now.t) || !isfinite(m->accepted.t))
        return refuse(m, "time", isfinite(m->now.t) ? m->accepted.t : m->now.t);
    if (!is_mode(m))
        return refuse(m, "mode", m->mode);
    if (m->last_event < 0 || (m->last_event > 0 && m->last_event >= m->model->ne))
        return refuse(m, "the number of the last event", m->last_event);
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
    if (!results_are_finite(m))
        return refuse(m, "a result", NAN);
    const mb_status status = check_variables(m);
    return status ? status : check_numbers(m);
}
