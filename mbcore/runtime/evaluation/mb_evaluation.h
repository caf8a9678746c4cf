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
typedef struct {
    double *watched; /* measures where accelerations were last checked */
    int steps_since;
} mb_checked_power;

void mb_forget_power(mb_instance *m);
mb_status mb_check_power(mb_instance *m);
int mb_has_lost_power(mb_instance *m, const mb_point *at, mb_checked_power *checked);

/* Whether any contact is closed or slip held at present, so that its force counts. */
static inline int mb_closed_contacts(const mb_instance *m)
{
    for (int i = 0; MB_MODEL->contacts > 0 && i < m->held_events; i++)
        if (m->now.d[m->held_event[i]] > 0.5)
            return 1;
    return 0;
}

/* mb_solver_gain.c */
void mb_begin_path(mb_instance *m);
void mb_follow_path(mb_instance *m);
int mb_take_gain(mb_instance *m, double *place_error);

/* mb_solver_error.c */
mb_status mb_indicate_without_errors(mb_instance *m);
mb_status mb_note_solver_errors(mb_instance *m);
mb_status mb_end_solver_steps(mb_instance *m);
mb_status mb_note_solver_gain(mb_instance *m);
void mb_note_accelerations(mb_instance *m);
void mb_lead_back(mb_instance *m, int impact, const double *indicator);
void mb_watch_solver(mb_instance *m);

/* mb_events.c */
static inline int mb_active(const mb_instance *m, int event) { return m->now.d[event] > 0.5; }

/* Positive where the indicator demands the other mode. */
static inline double mb_contradiction(const mb_instance *m, int event)
{
    const double z = m->indicator[event];
    return (mb_active(m, event) ? -z : z) - MB_MODEL->band[event];
}

/* The same in Model Exchange, without the errors of the importer's solver. */
static inline double mb_beyond(const mb_instance *m, int event)
{
    return mb_contradiction(m, event) + m->event_memory[event].error;
}

int mb_valid_event_memory(const mb_instance *m, int event);
double mb_importer_indicator(const mb_instance *m, int event);
double mb_largest_contradiction(const mb_instance *m);
int mb_knots_alone(const mb_instance *m);
mb_status mb_start_events(mb_instance *m);
mb_status mb_iterate_events(mb_instance *m);
mb_status mb_drift(mb_instance *m, double *drift);
mb_status mb_project(mb_instance *m);
void mb_arm_events(mb_instance *m);
int mb_event_overdue(const mb_instance *m);

/* mb_flight.c */
typedef struct {
    double most;  /* speed with which parts may meet, INFINITY: any */
    double error; /* of the gap, by the importer's solver */
} mb_arrival;

int mb_valid_flight(const mb_instance *m, int event);
int mb_flight_is_over(const mb_instance *m, int event);
void mb_begin_flight(mb_instance *m, int event, int met);
void mb_note_solver_step(mb_instance *m, double length);
mb_arrival mb_end_flight(mb_instance *m, int event);
void mb_disturb_flights(mb_instance *m);
void mb_give_up_flights(mb_instance *m);
double mb_next_end_of_flight(const mb_instance *m);
void mb_note_flights(mb_instance *m, const double *d);
void mb_note_ends(mb_instance *m, const double *d);
double mb_time_to_impact(const mb_instance *m, double *exactly);

#endif
