/* What follows from the values at a point, and what becomes of it at events. */
#ifndef MB_EVALUATION_H
#define MB_EVALUATION_H

#include "mb_run.h"

/* mb_intermediate_update.c */
mb_status mb_require_intermediate(mb_instance *m, mb_update_callback callback,
                                  const unsigned *references, size_t n);
void mb_request_inputs(mb_instance *m);
void mb_estimate_input_rates(mb_instance *m, double span);
double mb_call_at_accepted(mb_instance *m, double end);
mb_status mb_check_updates(mb_instance *m);

/* mb_inputs.c */
void mb_compare_rates(mb_instance *m, double since, const double *before, mb_span over);
mb_status mb_check_input_derivative(mb_instance *m, unsigned reference, int order, double value);
void mb_set_input_derivative(mb_instance *m, unsigned reference, int order, double value);
void mb_move_inputs(mb_instance *m);

/* Changes the time within a step, and the inputs with it. */
static inline void mb_go_to(mb_instance *m, double t)
{
    m->now.t = t;
    m->fresh = 0;
    if (m->input_mode != MB_INPUTS_CONSTANT)
        mb_move_inputs(m);
}

void mb_input_rates(const mb_instance *m, double *rate);
mb_status mb_begin_inputs(mb_instance *m, double end);
void mb_end_inputs(mb_instance *m, int succeeded);

/* mb_extrapolation.c */
void mb_remember_step(mb_instance *m);
void mb_forget_steps(mb_instance *m);

/* mb_configuration.c */
void mb_place(mb_instance *m, mb_point *at);
int mb_converge(mb_instance *m, mb_point *at);
int mb_reach(mb_instance *m);
mb_status mb_fail_unreached(mb_instance *m);
mb_status mb_fail_exhausted(mb_instance *m);
int mb_reach_in_substeps(mb_instance *m, const mb_point *from, mb_point *to);
int mb_same_branch(const double *a, const double *b, int n);
int mb_worst_constraint(mb_instance *m, const mb_point *at);
const char *mb_constraint_name(const mb_model *model, int constraint);

/* mb_conditioning.c */
void mb_forget_conditioning(mb_instance *m);
void mb_start_conditioning(mb_instance *m, const double *measure);
mb_status mb_accept_conditioning(mb_instance *m, const double *measure);
void mb_forget_trials(mb_instance *m);
void mb_note_trial(mb_instance *m, const double *measure);
int mb_note_on_branch(mb_instance *m, const double *measure);
void mb_forget_trend(mb_instance *m);
mb_status mb_check_trend(mb_instance *m, double h, double *place);
int mb_measures_steady(const mb_instance *m, double h);
int mb_may_be_singular(const mb_instance *m, int block, double h);
mb_status mb_fail_singular(mb_instance *m, int block, double t, double size);
double mb_nearest_to_singular(const mb_instance *m);
mb_status mb_fail_if_at_limit(mb_instance *m);
int mb_has_laws(void);
mb_status mb_fail_if_unsolvable(mb_instance *m);
mb_status mb_fail_if_singular(mb_instance *m, mb_status otherwise);

/* mb_virtual_power.c */
void mb_forget_power(mb_instance *m);
mb_status mb_check_power(mb_instance *m);

/* mb_evaluate.c: what is known already is seen here, without a call */
mb_status mb_check_all_parameters(mb_instance *m);
mb_status mb_check_start(mb_instance *m);
mb_status mb_check_now(mb_instance *m);
mb_status mb_configure_now(mb_instance *m);
mb_status mb_indicate_now(mb_instance *m);
mb_status mb_evaluate_now(mb_instance *m, unsigned wanted);
mb_status mb_accept_now(mb_instance *m);
mb_status mb_fail_rate(mb_instance *m, const double *rate);

/* What must hold of the parameters alone; before any configuration is sought. */
static inline mb_status mb_check_parameters(mb_instance *m)
{
    return m->parameters_checked ? MB_OK : mb_check_all_parameters(m);
}

/* What must hold while the model runs; needs a configuration. */
static inline mb_status mb_check(mb_instance *m)
{
    return m->fresh & MB_CHECKED ? MB_OK : mb_check_now(m);
}

static inline mb_status mb_configure(mb_instance *m)
{
    return m->fresh & MB_CONFIGURED ? MB_OK : mb_configure_now(m);
}

static inline mb_status mb_indicate(mb_instance *m)
{
    const unsigned both = MB_CONFIGURED | MB_INDICATED;
    return (m->fresh & both) == both ? MB_OK : mb_indicate_now(m);
}

/* One of MB_DERIVED, MB_OBSERVED and MB_INDICATED, where nothing that must hold is violated. */
static inline mb_status mb_evaluate(mb_instance *m, unsigned wanted)
{
    return m->fresh & wanted ? MB_OK : mb_evaluate_now(m, wanted);
}

/* Makes `now` the accepted point, from which the next configurations are solved for. */
static inline mb_status mb_accept(mb_instance *m)
{
    return m->fresh & MB_ACCEPTED ? MB_OK : mb_accept_now(m);
}

/* The rate, and the conditioning measures unless `measure` is NULL. */
static inline mb_status mb_derive_measured(mb_instance *m, double *rate, double *measure)
{
    m->rate_wanted = rate == m->rate;
    const mb_status status = mb_configure(m);
    m->rate_wanted = 0;
    if (status)
        return status;
    if (measure || rate != m->rate || !(m->fresh & MB_RATED))
        mb_run_rates(m, &m->now, rate, measure);
    return mb_all_finite(rate, MB_MODEL->ns) ? MB_OK : mb_fail_rate(m, rate);
}

void mb_warn_unmet(mb_instance *m);
void mb_warn_limit(mb_instance *m, const mb_variable *v, double value, double t);
mb_status mb_find_configuration(mb_instance *m);
mb_status mb_derive(mb_instance *m, double *rate);

/* Whether any contact is closed or slip held at present, so that its force counts. */
static inline int mb_closed_contacts(const mb_instance *m)
{
    for (int i = 0; MB_MODEL->contacts > 0 && i < m->held_events; i++)
        if (m->now.d[m->held_event[i]] > 0.5)
            return 1;
    return 0;
}

/* mb_events.c */
static inline int mb_active(const mb_instance *m, int event) { return m->now.d[event] > 0.5; }

/* Positive where the indicator demands the other mode. */
static inline double mb_contradiction(const mb_instance *m, int event)
{
    const double z = m->indicator[event];
    return (mb_active(m, event) ? -z : z) - MB_MODEL->band[event];
}

double mb_hysteresis_indicator(const mb_instance *m, int event);
int mb_valid_event_memory(const mb_instance *m, int event);
double mb_importer_indicator(const mb_instance *m, int event);
double mb_largest_contradiction(const mb_instance *m);
mb_status mb_start_events(mb_instance *m);
mb_status mb_iterate_events(mb_instance *m);
mb_status mb_drift(mb_instance *m, double *drift);
mb_status mb_project(mb_instance *m);
void mb_arm_events(mb_instance *m);
int mb_event_overdue(const mb_instance *m);

/* mb_flight.c */
int mb_valid_flight(const mb_instance *m, int event);
int mb_flight_is_over(const mb_instance *m, int event);
void mb_begin_flight(mb_instance *m, int event, int met, double before);
double mb_speed_of_flight(const mb_instance *m, int event);
void mb_note_solver_step(mb_instance *m, double length);
double mb_end_flight(mb_instance *m, int event);
void mb_disturb_flights(mb_instance *m);
void mb_give_up_flights(mb_instance *m);
double mb_next_end_of_flight(const mb_instance *m);

#endif
