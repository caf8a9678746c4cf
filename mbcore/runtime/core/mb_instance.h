/* One instance of the model: everything it needs.
 *
 * It lies in one block of memory that is allocated when it is created. Data runs one way: variables
 * are set in `now`, the configuration follows, then derivatives, outputs and indicators; `fresh`
 * says how far that has come.
 */
#ifndef MB_INSTANCE_H
#define MB_INSTANCE_H

#include <stdint.h>
#include <string.h>

#include "mb_types.h"

struct mb_instance {
    mb_interface interface;
    int values_before;                         /* Instantiated gives calculated values (FMI 3.0) */
    int takes_arrays;                          /* value references of arrays are known (FMI 3.0) */
    int states_in_events;                      /* Event Mode takes states by variable (FMI 3.0) */
    int event_mode_used, early_return_allowed; /* FMI 3.0 Co-Simulation */

    /* Persistent values, on which later calls depend: those declared from `tolerance` to `persistent`,
     * the arrays that lay_out_persistent() places, and the times of `now` and `accepted`. They are the
     * FMU state. It is copied and serialized as bytes, so that it must hold no address; a value
     * declared elsewhere must not affect a later call. */
    double tolerance;             /* from the importer; 0: none */
    double start_time, stop_time; /* of the experiment; INFINITY: no end */
    mb_step_size step_size;
    mb_stiffness stiffness;
    double event_time, event_span;   /* of Model Exchange's next time event, and the way to it */
    double rates_requested;          /* by the importer since the last one was planned */
    double solver_step;      /* of the importer, the last one completed */
    double constant_since; /* begin of the last doStep, INFINITY: none or an event since */
    mb_given_derivatives given_derivatives; /* of inputs */
    mb_mode mode;
    int failed; /* an error has occurred in that mode, which stays as it was: so do all values */
    int initialized; /* Initialization Mode has been left */
    int begun;       /* so has the time in which states follow the inputs at which they start */
    unsigned fresh;  /* what has been calculated for `now`, as MB_CONFIGURED and so on */
    int parameters_checked;
    int last_event;         /* the latest that occurred, for messages and the step size */
    int event_mode_entered; /* no event update since */
    int states_changed;     /* by an event, since the importer asked last */
    int start_changed;      /* events at the start have changed states from `start_state` */
    int sensitive;          /* `sensitivity` holds */
    int solver_watched;     /* errors of the importer's solver are sought, see mb_solver_error.c */
    int path_watched;       /* the path of the importer's solver is followed, see mb_solver_gain.c */
    int displaced;          /* the importer has moved states since the last point was accepted */
    int unchecked_steps;    /* since accelerations were last checked by virtual power */
    int steps_remembered;   /* in `remembered`, of this length: */
    double remembered_step;

    char *persistent; /* persistent arrays: */
    size_t persistent_size;
    mb_point now, accepted; /* the present values; those from which the next ones are reached */
    double *rate, *output, *indicator; /* at now */
    double *measure;           /* conditioning measures at now, if MB_MEASURED */
    double *conditioning;      /* the same at accepted; the next five arrays follow it in memory: */
    double *largest;           /* size of each measure, at any accepted point */
    double *lowest, *highest;  /* sizes since then, trial points included */
    double *watched;           /* sizes where accelerations were last checked */
    double *trend;             /* rate of each measure over the last step, or NAN */
    double *nominal;           /* of the states */
    double *start_state;       /* as given, where events at the start may change them */
    double *least_rate, *largest_rate; /* of the first states since accepted, while it is watched */
    double *path_place, *path_speed, *path_rate, *gained; /* where that path is, and energy gained on it */
    double *remembered; /* MB_DIFFERENCES of MB_REMEMBERED stages x ni, see mb_extrapolation.c */
    double *scale, *per_scale; /* of the coordinates, powers of two, and 1 over them */
    mb_event_memory *event_memory;
    double *sensitivity;      /* ns x varied, over the last doStep */
    double *input_derivative; /* MB_ORDERS derivatives of each input */

    /* What doStep tells of its failures, which change nothing persistent */
    double failed_time, failed_step; /* of the last one that failed */
    int terminated;                  /* it failed twice: no use to try again */

    const struct mb_method *method; /* follows from parameters, the tolerance and stiffness */
    const struct mb_method *explicit_method, *implicit_method; /* of an automatic choice, or NULL */
    double absolute_share; /* absolute tolerance of a state of nominal size, in relative ones */
    int rates_by_values;   /* in implicit steps that of a rate is that of its value over the step's length */
    mb_link *states;       /* that the importer has saved, see mb_states.c */
    unsigned char *warned; /* of each requirement, since the instance was created or reset */
    unsigned char *limit_warned; /* of each input: that it is beyond its limits */
    int limited_inputs;          /* how many inputs have limits, */
    int *limited_row;            /* and their places in the table of variables */
    int told_events;             /* how many are no points of tables, which are sought at ends of steps */
    int held_events;             /* how many events close contacts or hold slips, */
    int *held_event;             /* and which */
    mb_rate_check *rate_check;   /* of each input rate */
    mb_update_callback update_callback;   /* NULL: there are no intermediate updates */
    unsigned char *required_intermediate; /* of each variable: whether the importer uses it there */
    int gives_inputs;                     /* whether any of them is an input */

    /* Work space: nothing outlives a call but `cached`, which holds for the values `cached_at` */
    const double **arg;
    double **res;
    double *w;
    double *unused; /* where a second result goes that nobody asks for */
    mb_point cached_at;
    int cache_valid;
    int cached_now; /* `cached` holds for `now` in place of `cached_at`, while MB_CACHED is set */
    int cached_part; /* the same of its first values alone, for the check of virtual power */
    int parameters_kept; /* all points of the instance have those of `now`, while a step is made; */
    int parameters_same; /* they have been so, and none has been set since */
    double *cached_rate; /* there, if `rate_cached` */
    int rate_cached;
    double work, most_work; /* of this call, in statements of the model, see mb_begin_work() */
    char *saved;  /* persistent values from before a call that restores them if it fails, */
    int undoable; /* which this call does where it ends, see mb_prepare_undo() */
    mb_point saved_now, saved_accepted; /* where a step begins; or its end in `saved_now` while its
                                           inside is searched */
    size_t results_size; /* of what a step finds: from `rate` up to `remembered` */
    int input_mode;     /* MB_INPUTS_CONSTANT unless a step is being made */
    mb_update update;   /* the present intermediate update, or the last one */
    int updating;       /* the importer has been called and has not returned */
    double update_from, update_until; /* times that an intermediate update may have */
    int update_failed;
    mb_point between;  /* on the way from one configuration to another */
    double *input_use; /* how much the rate of each input matters */
    double *next_coordinates, *residual, *trial_step, *trial_start, *other_measure;
    double *stage[MB_STAGES]; /* of the last step that was tried, of length: */
    double stage_step;
    int stage_number;     /* of the stage that is evaluated where the next steps have one like it, or 0 */
    double *stage_offset; /* coordinates of these stages, from the beginning of the step */
    int stages_noted;     /* in it */
    double *cell;         /* of the grid, where a step of Newton's iteration begins */
    double *end_state, *end_rate; /* end of a step whose inside is searched */
    long evaluations;             /* of the rate, since the instance was created */
    double *jacobian, *factors;   /* ns x ns */
    double *time_derivative;
    double *requested_input;
    double *rate_rate, *output_rate; /* time derivatives of rates and outputs */
    double *end_input;               /* at that end */
    int *pivot;
    int *rate_of, *unknown, unknowns; /* see find_values() in mb_rosenbrock.c */
    double *unknown_change;
#define MB_DECLARE_EXTRA(name, size) double *name;
    MB_EACH_EXTRA(MB_DECLARE_EXTRA)
    const double *extra[MB_EXTRAS]; /* the same, in the order of their numbers */
    double *new_discrete, *new_state;
    double *place_error; /* of the importer's solver, of each degree of freedom with a value */
    double *new_sensitivity, *stage_change; /* of the step that is tried, and of its stages' rates */
    double varied_to;                       /* where that step ends */
    double *rate_change, *output_change;    /* by `variation` */
    double *adjoint;                        /* over (s, t, u, p), as `variation` is */
    double *required, *requirement_value;   /* positive where it is met; what messages name */
    int any_unmet;                          /* of those in `required` */
    int indicators_follow; /* where the rate is calculated next, and so does the check of its power */
    int power_due;         /* the next point that is accepted is the end of a step, with its rate */
    double *power, *power_size; /* what is left of each degree of freedom's virtual power; its terms */
    double power_error;         /* of accelerations, in parts of the largest, where that was to be known */
    int inputs_stay;     /* they have not been set since the last step, so may not be before the next */
    int rate_wanted;     /* the rate will be needed where the configuration is found next */
    int beside;          /* the configuration is of no end of a step: MB_STAGE, MB_ASIDE, or 0 */
    double inside;       /* smallest step at whose stage an event seemed to occur */
    int check_stages;    /* for events; only while a step is tried */
    double last_noted;   /* part of the step at which conditioning measures were noted last */
    double last_checked; /* part of the step at which the last checked stage is */
    mb_range *indicator_range; /* of each event, over the checked stages of a step, */
    int samples;               /* which are so many, its begin included, */
    double sample_time[MB_PARTS + 1]; /* at these times */
    double *contradictions;    /* of each event there; later with the other sign, at the ends of a step's
                                * parts and at one place more */
    double *end_indicator;     /* at the end of a step whose inside is searched */
    unsigned char *reforeseen; /* of each event: the last round has foreseen its flight anew */
    double *dense_rate[MB_DENSE_RATES], *term[MB_DENSE_TERMS]; /* of the interpolant, */
    int dense_known; /* if it is that of the step which has been tried last, */
    int slid;        /* whose end is saved, for `now` is beside it */

    const char *instance_name, *function; /* for messages */
    unsigned logged, always_logged;       /* categories */
    mb_logger log;
    void (*callback)(void); /* the importer's, as its FMI version knows it */
    void (*intermediate_update)(void);
    void (*before_update)(mb_instance *m); /* asked by a host before events change values; or NULL */
    void *environment;
    char message[MB_MESSAGE];
};

/* Which of the modes decides what may be called. */
static inline mb_mode mb_mode_of(const mb_instance *m) { return m->failed ? MB_FAILED : m->mode; }

/* Points */

static inline void mb_lay_point(const mb_model *model, mb_point *point, double *values)
{
    point->values = point->s = values;
    point->d = point->s + model->ns;
    point->u = point->d + model->nd;
    point->x = point->u + model->nu;
    point->p = point->x + model->nx;
}

static inline size_t mb_moving_values(const mb_model *model)
{
    return (size_t)(model->ns + model->nd + model->nu + model->nx);
}

static inline size_t mb_point_size(const mb_model *model)
{
    return mb_moving_values(model) + (size_t)model->np;
}

static inline void mb_copy_point(const mb_model *model, mb_point *to, const mb_point *from)
{
    to->t = from->t;
    memcpy(to->values, from->values, mb_point_size(model) * sizeof(double));
}

/* The same between points of the instance, which may have the same parameters. */
static inline void mb_copy_own(const mb_instance *m, mb_point *to, const mb_point *from)
{
    if (!m->parameters_kept)
        mb_copy_point(MB_MODEL, to, from);
    else {
        to->t = from->t;
        memcpy(to->values, from->values, mb_moving_values(MB_MODEL) * sizeof(double));
    }
}

/* mb_instance.c */
mb_instance *mb_create(const char *function, const char *name, const char *token,
                       mb_interface interface, char message[MB_MESSAGE]);
void mb_reset(mb_instance *m);
void mb_forget_failures(mb_instance *m);
void mb_free(mb_instance *m);
size_t mb_persistent_size(const mb_instance *m);
void mb_save(const mb_instance *m, char *to);
void mb_restore(mb_instance *m, const char *from);
void mb_save_moving(mb_instance *m);
void mb_restore_moving(mb_instance *m);
void mb_add_link(mb_instance *m, mb_link *link);
void mb_remove_link(mb_instance *m, const mb_link *link);
double mb_solver(const mb_instance *m, int parameter);
void mb_begin_work(mb_instance *m);
static inline int mb_exhausted(const mb_instance *m) { return m->work > m->most_work; }

/* mb_log.c: each returns a status, so that a failing function can say `return mb_fail(...)` */
#if defined(__GNUC__)
#define MB_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define MB_FORMAT(text, first)
#endif
mb_status mb_refuse(mb_instance *m, mb_status status, const char *format, ...) MB_FORMAT(3, 4);
/* The model cannot be evaluated with its present values. */
#define mb_fail(m, ...) mb_refuse(m, MB_DISCARD, __VA_ARGS__)
void mb_warn(mb_instance *m, const char *format, ...) MB_FORMAT(2, 3);
void mb_note_event(mb_instance *m, int event);
void mb_log_failure(mb_instance *m, mb_status status);
void mb_start_logging(mb_instance *m, int on, unsigned always);
mb_status mb_set_logging(mb_instance *m, int on, size_t n, const char *const *categories);
const mb_variable *mb_referenced(mb_instance *m, unsigned reference);
const mb_variable *mb_row_of(const mb_model *model, mb_kind kind, int index);
const char *mb_name_of(const mb_model *model, mb_kind kind, int index);

/* The array of a value reference, NULL where that is a variable's. */
static inline const mb_array *mb_array_of(const mb_instance *m, unsigned reference)
{
    const unsigned place = reference - (unsigned)MB_MODEL->variables;
    return m->takes_arrays && place < (unsigned)MB_MODEL->arrays ? &MB_MODEL->array[place] : NULL;
}

/* The variables of value references, with the elements of arrays one after another:
 * `for (mb_elements e = mb_elements_of(references, n); mb_next(m, &e);)`. */
typedef struct {
    const unsigned *reference, *end; /* the next one, and where there is none */
    unsigned variable;               /* the present one, */
    size_t place;                    /* how many were before it, */
    int left;                        /* and how many elements of its array are behind it */
} mb_elements;

static inline mb_elements mb_elements_of(const unsigned *references, size_t n)
{
    const mb_elements first = {references, n ? references + n : references, 0, (size_t)-1, 0};
    return first;
}

static inline int mb_next(const mb_instance *m, mb_elements *e)
{
    e->place++;
    if (e->left > 0) {
        e->left--;
        e->variable++;
        return 1;
    }
    if (e->reference == e->end)
        return 0;
    const mb_array *array = mb_array_of(m, *e->reference);
    e->variable = array ? (unsigned)array->first : *e->reference;
    e->left = array ? array->elements - 1 : 0;
    e->reference++;
    return 1;
}

/* The bits of a number: those of positive ones are in the order of the numbers, and infinity and NaN
 * are above them. Comparing them takes no branch and no sum that waits for the one before. */
#define MB_INFINITE 0x7ff0000000000000u
static inline uint64_t mb_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* For what few steps need: it is compiled apart, so that the usual way has few registers to save. */
#if defined(__GNUC__)
#define MB_SELDOM __attribute__((cold, noinline))
#else
#define MB_SELDOM
#endif

#endif
