/* Modes, and the functions of Model Exchange; both FMI versions call these. */
#include <math.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_integrator.h"
#include "mb_tolerances.h"

static const double STEPS_TO_EVENT = 50; /* of solver.step as it is by default */
static const double FARTHER = 2; /* times the way to the last time event */
enum { FEW_RATES = 50, MANY_RATES = 200 }; /* on that way; importers allow some 500 steps */

mb_status mb_enter_initialization(mb_instance *m)
{
    m->fresh = 0;
    m->mode = MB_INITIALIZATION;
    return MB_OK;
}

mb_status mb_exit_initialization(mb_instance *m)
{
    if (mb_provide(m, MB_DERIVED))
        return MB_ERROR; /* there is no start from which to go on */
    mb_warn_changed_start(m);
    m->initialized = 1;
    mb_choose_method(m);
    m->mode = m->interface == MB_CO_SIMULATION && !m->event_mode_used ? MB_STEP : MB_EVENT;
    return MB_OK;
}

mb_status mb_enter_event_mode(mb_instance *m)
{
    mb_status status = mb_check_time(m);
    if (status)
        return status;
    mb_prepare_undo(m);
    if ((status = mb_end_solver_steps(m)))
        return status;
    m->mode = MB_EVENT;
    m->event_mode_entered = 1;
    return MB_OK;
}

/* Whether rates may have jumped: by an event, which changes modes and what else is discrete, or
 * because the importer has set inputs or parameters to other values in Event Mode. A solver must
 * not integrate across that as if they were smooth, and some importers restart theirs only
 * if states have changed. */
static int has_jumped(const mb_instance *m)
{
    const mb_model *n = MB_MODEL;
    return m->interface == MB_MODEL_EXCHANGE && m->event_mode_entered &&
           (memcmp(m->now.d, m->accepted.d, (size_t)n->nd * sizeof(double)) != 0 ||
            memcmp(m->now.u, m->accepted.u, (size_t)n->nu * sizeof(double)) != 0 ||
            memcmp(m->now.p, m->accepted.p, (size_t)n->np * sizeof(double)) != 0);
}

static double default_step(const mb_model *model)
{
    const int place = model->np - MB_SOLVER_PARAMETERS + MB_SOLVER_STEP;
    const mb_variable *v = mb_row_of(model, MB_PARAMETER, place);
    return v ? v->start : 0;
}

/* The time of the next time event; infinity if there is none. The expected end of a low flight is one;
 * nothing happens at the others. Some importers give up after some hundred solver steps towards the next
 * time event or communication point, as when events follow each other; so a model with events has time
 * events, the first one near, and near again after each state event. Each costs a multistep solver its
 * order, so the next one is farther away if few rates were read on the way to the last one. */
double mb_next_event_time(mb_instance *m)
{
    const double least = STEPS_TO_EVENT * default_step(MB_MODEL);
    if (m->interface == MB_CO_SIMULATION || MB_MODEL->ns == 0 || MB_MODEL->ne == 0)
        return INFINITY;
    if (!(m->now.t >= m->event_time) || m->rates_requested > MANY_RATES)
        m->event_span = least;
    else if (m->rates_requested <= FEW_RATES)
        m->event_span *= FARTHER;
    m->rates_requested = 0;
    m->event_time = m->now.t + m->event_span;
    const double next = fmin(m->event_time, mb_next_end_of_flight(m));
    return next > m->now.t && next < m->stop_time ? next : INFINITY;
}

mb_status mb_update_discrete_states(mb_instance *m, int *states_changed)
{
    mb_save(m, m->saved);
    mb_follow_inputs(m);
    mb_status status = mb_iterate_events(m);
    if (!status)
        status = mb_project(m);
    if (status) {
        mb_restore(m, m->saved);
        return status;
    }
    *states_changed = m->states_changed || has_jumped(m);
    m->event_mode_entered = 0;
    m->states_changed = 0;
    return MB_OK;
}

mb_status mb_leave_event_mode(mb_instance *m, mb_mode next)
{
    mb_prepare_undo(m);
    mb_status status = mb_indicate(m);
    if (!status)
        status = mb_accept(m);
    if (status)
        return status;
    mb_arm_events(m);
    mb_watch_solver(m);
    m->event_mode_entered = 0;
    m->begun |= next == MB_CONTINUOUS_TIME;
    m->constant_since = INFINITY; /* inputs may have jumped */
    m->mode = next;
    return MB_OK;
}

mb_status mb_completed_step(mb_instance *m, int *enter_event_mode)
{
    mb_status status = mb_check_time(m);
    if (status)
        return status;
    const double length = m->now.t - m->accepted.t;
    mb_prepare_undo(m);
    mb_compare_rates(m, m->accepted.t, m->accepted.u, MB_OVER_SOLVER_STEP);
    status = mb_configure(m);
    if (!status)
        status = mb_check_completed_step(m);
    if (!status)
        status = mb_note_solver_errors(m);
    m->power_due = 1;
    if (!status)
        status = mb_accept(m);
    m->power_due = 0;
    if (!status)
        status = mb_indicate(m);
    if (status)
        return status;
    double drift;
    if ((status = mb_drift(m, &drift)))
        return status;
    if (length > 0)
        mb_note_solver_step(m, length);
    mb_arm_events(m);
    *enter_event_mode = mb_event_overdue(m) || !(drift <= MB_TOLERABLE_DRIFT);
    return MB_OK;
}

static mb_status check_count(mb_instance *m, size_t given, int expected, const char *of_what)
{
    if (given == (size_t)expected)
        return MB_OK;
    return mb_refuse(m, MB_ERROR, "%lu values for %d %s", (unsigned long)given, expected, of_what);
}

mb_status mb_set_states(mb_instance *m, const double *s, size_t n)
{
    const mb_status status = check_count(m, n, MB_MODEL->ns, "continuous states");
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(s[i]))
            return mb_refuse(m, MB_DISCARD,
                             "%s = %g is not finite at t = %.9g s; all states stay as they were, "
                             "take a smaller step",
                             mb_name_of(MB_MODEL, MB_STATE, (int)i), s[i], m->now.t);
    if (n > 0 && memcmp(m->now.s, s, n * sizeof(double)) != 0) {
        memcpy(m->now.s, s, n * sizeof(double));
        m->fresh = 0;
    }
    return MB_OK;
}

static mb_status copy_out(mb_instance *m, double *to, size_t n, const double *from)
{
    const mb_status status = check_count(m, n, MB_MODEL->ns, "continuous states");
    if (!status && n > 0)
        memcpy(to, from, n * sizeof(double));
    return status;
}

mb_status mb_get_states(mb_instance *m, double *s, size_t n)
{
    const mb_status status = mb_provide_states(m);
    return status ? status : copy_out(m, s, n, m->now.s);
}

mb_status mb_get_nominals(mb_instance *m, double *nominal, size_t n)
{
    return copy_out(m, nominal, n, m->nominal);
}

mb_status mb_get_rates(mb_instance *m, double *rate, size_t n)
{
    mb_status status = mb_provide(m, MB_DERIVED);
    if (!status)
        status = copy_out(m, rate, n, m->rate);
    if (status)
        return status;
    m->rates_requested++;
    mb_note_accelerations(m);
    return status;
}

mb_status mb_get_indicators(mb_instance *m, double *indicator, size_t n)
{
    mb_status status = check_count(m, n, MB_MODEL->ne, "event indicators");
    if (!status)
        status = mb_provide(m, MB_INDICATED);
    if (!status)
        status = mb_indicate_without_errors(m);
    if (status)
        return status;
    mb_arm_events(m);
    for (int i = 0; i < MB_MODEL->ne; i++)
        indicator[i] = mb_importer_indicator(m, i);
    return MB_OK;
}
