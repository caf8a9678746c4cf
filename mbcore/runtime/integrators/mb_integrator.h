/* What an integration method is: one step from the accepted point, and how its error grows. */
#ifndef MB_INTEGRATOR_H
#define MB_INTEGRATOR_H

#include "mb_inputs.h"

/* Coefficients of a step's interpolant, as mbcore/integrators/tableau.py has it. */
struct mb_interpolant {
    int more, terms;    /* further stages; terms, the first three of which are Hermite's */
    const double *a, *c; /* `more` rows for all rates, and places */
    const double *weight; /* terms - 3 rows for all rates: of the stages, the end, the further stages */
};

/* Coefficients of an explicit Runge-Kutta method; rows of a are `stages` long. */
struct mb_tableau {
    int stages;
    const double *a; /* stages + 1 rows, the last for the new point, */
    const int *first; /* and the first in each of them that is not zero */
    const double *c;
    const double *error[2]; /* weights of estimates, NULL where there is none */
    const struct mb_interpolant *dense; /* may be NULL */
};

/* Coefficients of a Rosenbrock method; rows of a and b are `stages` long. */
struct mb_rosenbrock {
    int stages;
    double gamma;
    const double *a, *b; /* of the solutions before, in a stage's state and in its right-hand side; */
    const double *c, *d; /* its place, and its part of the time derivative */
    int terms;           /* of the interpolant beyond a straight line, */
    const double *dense; /* `terms` rows for all solutions */
};

/* What is known between the ends of a step: a cubic by values and rates, or more. */
typedef enum { MB_DENSE_ENDS, MB_DENSE_OWN, MB_DENSE_RK45, MB_DENSE_RODAS } mb_dense;

typedef struct mb_method {
    /* Steps from the accepted point, whose rate is stage[0], to time t, h later. Leaves the new
     * point in `now`, configured; adaptive methods leave its rate in `rate`, too, and give the
     * error relative to the tolerance: at most 1 is good. */
    mb_status (*attempt)(mb_instance *m, double h, double t, double *error);
    mb_status (*prepare)(mb_instance *m); /* once per accepted point; may be NULL */
    int adaptive;
    double exponent; /* the error grows with h to the power of 1 / exponent */
    double damping;  /* of the step size control by the previous error (PI control) */
    const struct mb_tableau *tableau; /* of explicit methods */
    const struct mb_rosenbrock *rosenbrock; /* of implicit ones */
    mb_dense dense;
} mb_method;

/* What steps are made for: one call of doStep, or of the host in the same process. It says where
 * they end, and counts them and their events to see whether they get on. */
typedef struct {
    double begin, end;
    double longest; /* step */
    long steps;
    int events;          /* counted since: */
    double events_since;
    int all_events;
    long checked_steps; /* steps when progress was checked last, at what time, after how many events */
    double checked_time;
    int checked_events;
    double farthest; /* from singular since then: the largest that the smallest measure has been */
    double pace;     /* before then, s a step */
    int slowed;      /* consecutive checks that have found it slower */
    long hopeless;   /* steps since all checks have found too many left to the end */
    int event_needed; /* the importer is to handle an event at the present time */
} mb_step_context;

#define MB_DECLARE_METHOD(name, method, tighter) extern const mb_method method;
MB_EACH_METHOD(MB_DECLARE_METHOD)

/* mb_methods.c */
void mb_use_method(mb_instance *m, const char *name);
void mb_choose_method(mb_instance *m);

/* mb_stiffness.c: the choice between an explicit and an implicit method while steps are made. */
mb_status mb_follow_stiffness(mb_instance *m, double left);
void mb_note_pace(mb_instance *m, double h, double work);
int mb_give_up_implicit(mb_instance *m);

/* mb_integrator.c: what the methods share. */
static const double MB_SPACING = 0.25; /* part of a step between stages that are checked */

/* Whether events are looked for at a stage c h after the accepted point. */
static inline int mb_stage_is_checked(const mb_instance *m, double h, double c)
{
    return m->check_stages && c * h < m->inside && c >= m->last_checked + MB_SPACING;
}

mb_status mb_check_stage(mb_instance *m, double h, double c);
mb_status mb_stage(mb_instance *m, double h, double c, double *rate);
mb_status mb_arrive(mb_instance *m, double t);
double mb_error_norm(const mb_instance *m, const double *difference);
double mb_implicit_error_norm(const mb_instance *m, double h, const double *difference);

/* mb_linear.c */
int mb_factorize(double *A, int *pivot, int n);
void mb_solve(const double *LU, const int *pivot, double *b, int n);

/* mb_locate.c */
double mb_widen_ranges(mb_instance *m);
mb_status mb_save_end(mb_instance *m);
void mb_restore_end(mb_instance *m, double t);
mb_status mb_go_between(mb_instance *m, double h, double x);
void mb_begin_ranges(mb_instance *m);
mb_status mb_seek_event(mb_instance *m, double error, int aimed, int *found);

/* mb_dense.c */
mb_status mb_begin_dense(mb_instance *m, const double *to, const double *to_rate);
void mb_dense_state(const mb_instance *m, double t, double *s);

/* mb_step_size.c */
static const double MB_BEYOND = 1.02; /* a step ends so far beyond an expected event */
double mb_first_step(mb_instance *m, double longest);
double mb_shorten(mb_instance *m, double h, double error);
void mb_next_step_size(mb_instance *m, double h, double error, int repeated);
double mb_time_to_impact_after(double time_to_impact, double h);

/* mb_singularity.c */
mb_status mb_check_singularity(mb_instance *m, double h, double *place);
mb_status mb_predict_singularity(mb_instance *m, double h, double *place);
mb_status mb_check_completed_step(mb_instance *m);

/* mb_progress.c */
int mb_creeps(mb_step_context *context, double t, double nearness, double longest);
mb_status mb_check_progress(mb_instance *m, mb_step_context *context);
mb_status mb_fail_out_of_work(mb_instance *m, const mb_step_context *context);

/* mb_attempt.c */
mb_status mb_prepare_step(mb_instance *m, double left);
void mb_begin_attempt(mb_instance *m, double h);

/* mb_step.c */
mb_status mb_take_step(mb_instance *m, mb_step_context *context);
mb_status mb_end_step(mb_instance *m, mb_step_context *context);

/* mb_sensitivities.c */
void mb_begin_sensitivities(mb_instance *m);
void mb_vary_stage(mb_instance *m, double h, int stage);
void mb_vary_end(mb_instance *m, double h, double t);
void mb_accept_sensitivities(mb_instance *m, int events);
mb_status mb_get_sensitivity(mb_instance *m, const mb_variable *v, double *value);

#endif
