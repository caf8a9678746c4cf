/* One instance of the model, and what the rooms of the runtime offer each other.
 *
 * Everything an instance needs lies in one block of memory that is allocated when it is created.
 * Data runs one way: variables are set in `now`, the configuration follows, then derivatives,
 * outputs and indicators; `fresh` says how far that has come.
 */
#ifndef MB_INSTANCE_H
#define MB_INSTANCE_H

#include <stddef.h>

#include "mb_model.h"

/* The same numbers as fmi2Status and fmi3Status. */
typedef enum { MB_OK, MB_WARNING, MB_DISCARD, MB_ERROR, MB_FATAL } mb_status;

typedef enum {
    MB_INSTANTIATED = 1,
    MB_INITIALIZATION = 2,
    MB_EVENT = 4,
    MB_CONTINUOUS_TIME = 8,
    MB_STEP = 16, /* Co-Simulation between its steps */
    MB_TERMINATED = 32,
    MB_FAILED = 64 /* after an error */
} mb_mode;

/* Where functions may be called, as sums of modes. */
enum {
    MB_ANY_MODE = 127,
    MB_CALCULATING = 126, /* all but Instantiated */
    MB_SETTABLE = 31,     /* up to the end of the simulation */
    MB_RUNNING = 28,      /* from the end of initialization to the end of the simulation */
    MB_EXCHANGE_ONLY = 128, /* a further condition: which interface the instance was made for */
    MB_STEPS_ONLY = 256,
    MB_VISITED = 512 /* also by the importer in its visit on the way of a step */
};

/* Categories of messages; their names are those of the model descriptions. */
enum {
    MB_LOG_EVENTS = 1,
    MB_LOG_WARNING = 2,
    MB_LOG_DISCARD = 4,
    MB_LOG_ERROR = 8,
    MB_LOG_FATAL = 16,
    MB_LOG_ALL = 31
};

typedef enum { MB_MODEL_EXCHANGE, MB_CO_SIMULATION } mb_interface;

/* What has been calculated for `now`. */
enum {
    MB_CONFIGURED = 1, /* x */
    MB_CHECKED = 2,    /* requirements */
    MB_DERIVED = 4,    /* rate */
    MB_OBSERVED = 8,   /* output */
    MB_INDICATED = 16, /* indicator */
    MB_ACCEPTED = 32,  /* `accepted` is a copy of `now` */
    MB_SIGNED = 64,    /* sign: on the same branch as `accepted` */
    MB_RATED = 128     /* rate, which may not be finite yet */
};

/* Arguments of the generated functions; s, d, u, p, x lie behind each other in `values`. */
typedef struct {
    double t;
    double *values;
    double *s, *d, *u, *p, *x;
} mb_point;

/* How Co-Simulation goes on after an accepted step. */
typedef struct {
    double step;  /* suggestion, 0: none yet */
    double error; /* of the last accepted step */
    double landing; /* time until an event is expected, 0: unknown */
} mb_pace;

/* How far an event's indicator has been from its threshold, as Model Exchange needs to know. */
typedef struct {
    double reach;   /* largest distance met */
    double lenient; /* until it has left the threshold again, it may be so far beyond */
    int armed;      /* it has left the threshold since the event occurred last */
} mb_watch;

/* An event's indicator in a step, as contradictions of its mode. */
typedef struct {
    double start, lowest, highest;
} mb_range;

typedef struct mb_instance mb_instance;

/* One visit of the importer between communication points. */
typedef struct {
    double t;
    int gives, takes;    /* whether it may set inputs, get outputs */
    int finished;        /* the step that leads here is accepted */
    int may_return;      /* whether it may ask to; then it says: */
    int returns;         /* whether it does */
    double return_time;
} mb_visit;

typedef void (*mb_visitor)(mb_instance *m);

/* Where inputs are what they are in a step. */
enum { MB_HELD, MB_ON_COURSES, MB_ASKED_FOR };

/* Derivatives of inputs that are not all 0. */
typedef enum {
    MB_NO_COURSES,
    MB_COURSES_GIVEN, /* at the beginning of the next step, or the one being made */
    MB_COURSES_LEFT   /* at the end of the last step; the next one holds its inputs */
} mb_courses;

enum { MB_REGULARITIES = 5 /* arrays behind `regularity` */ };
enum { MB_STAGES = 13, MB_PLACES = 5, MB_ORDERS = 4, MB_MESSAGE = 512 };

/* What a saved state begins with. */
typedef struct mb_link {
    struct mb_link *next, *previous;
} mb_link;
typedef void (*mb_logger)(mb_instance *m, mb_status status, const char *category,
                          const char *message);

struct mb_instance {
    const mb_model *model;
    mb_interface interface;
    int values_before;                         /* Instantiated gives calculated values (FMI 3.0) */
    int states_in_events;                      /* Event Mode takes states by variable (FMI 3.0) */
    int event_mode_used, early_return_allowed; /* FMI 3.0 Co-Simulation */

    /* What lasts: numbers that later calls depend on. What is declared between `tolerance` and `lasting`
     * and what lay_lasting() places in the block is the state of the instance, with the times of
     * `now` and `accepted`. It is saved, restored and serialized as bytes, so that no address may be
     * in it; what is declared elsewhere must not matter to a later call. */
    double tolerance; /* from the importer; 0: none */
    double start_time, stop_time; /* of the experiment; INFINITY: no end */
    mb_pace pace;
    double failed_time, failed_step; /* of the last doStep that failed */
    double event_time, event_span;   /* of Model Exchange's next time event, and the way to it */
    double rates_asked;              /* by the importer since the last one was planned */
    double held_since;               /* begin of the last doStep, INFINITY: none or an event since */
    mb_courses courses;              /* whether any input has one, and what for */
    mb_mode mode;
    int initialized; /* Initialization Mode has been left */
    unsigned fresh;
    int parameters_checked;
    int last_event;         /* the latest that occurred, for messages and the pace */
    int event_mode_entered; /* no event update since */
    int states_changed;     /* by an event, since the importer asked last */
    int start_changed;      /* events at the start have changed states from `start_state` */
    int sensitive;          /* `sensitivity` holds */
    int terminated;         /* doStep failed twice: no use to try again */

    char *lasting;       /* arrays that last: */
    size_t lasting_size;
    mb_point now, accepted;
    double *rate, *output, *indicator; /* at now */
    double *sign;                      /* measures of regularity at now, if MB_SIGNED */
    double *regularity;                /* at accepted; what follows lies behind it: */
    double *largest;                   /* size of each measure, at any accepted point */
    double *lowest, *highest;          /* sizes since then, trial points included */
    double *trend;                     /* rate of each measure over the last step, or NAN */
    double *nominal;                   /* of the states */
    double *start_state;               /* as given, where events at the start may change them */
    double *scale, *per_scale;         /* of the coordinates, powers of two, and 1 over them */
    mb_watch *watch;
    double *sensitivity;  /* ns x varied, over the last doStep */
    double *input_course; /* MB_ORDERS derivatives of each input */

    const struct mb_method *method; /* follows from parameters and the tolerance */
    double absolute_share; /* absolute tolerance of a state of nominal size, in relative ones */
    mb_link *states;                /* that the importer has saved, see mb_states.c */
    unsigned char *told; /* warnings, since the instance was created or reset */
    int *rate_told;      /* of each input rate: that it contradicts its input */
    mb_visitor visitor;     /* NULL: the importer does not visit */
    unsigned char *visited; /* of each variable: whether the importer has asked for it */
    int gives_inputs;       /* whether any of them is an input */

    /* work space; nothing here outlives a call but for what `kept_at` says of itself */
    const double **arg;
    double **res;
    double *w;
    double *unused; /* a second result that nobody asks for */
    mb_point kept_at; /* of `kept` */
    int kept_known;
    double work, most_work; /* of this call, in statements of the model, see mb_work.c */
    char *saved;        /* what lasts, for a call that takes it back where it fails */
    mb_point saved_now; /* where a step begins, or its end while it is looked at */
    int moving;         /* MB_HELD unless a step is being made */
    mb_visit visit;
    int visiting; /* the importer has been called and has not returned */
    double visits_from, visits_until; /* times that a visit may have */
    int visits_failed;
    mb_point between;   /* on the way from one configuration to another */
    double *input_use;  /* how much the rate of each input matters */
    double *following, *residual, *trial_step, *trial_start, *other_sign;
    double *stage[MB_STAGES]; /* of the last step that was tried, of length: */
    double stage_step;
    double *end_state, *end_rate; /* where a step that is looked into ends */
    long evaluations;             /* of the rate, since the instance was created */
    double *jacobian, *factors; /* ns x ns */
    double *time_derivative;
    double *asked_input;
    double *rate_rate, *output_rate; /* of rates and outputs */
    double *end_input; /* at the end of a step that is looked into */
    int *pivot;
#define MB_DECLARE_EXTRA(name, size) double *name;
    MB_EACH_EXTRA(MB_DECLARE_EXTRA)
    const double *extra[MB_EXTRAS]; /* the same, in the order of their numbers */
    double *new_discrete, *new_state;
    double *new_sensitivity, *stage_change; /* of the step that is tried, and of its stages' rates */
    double varied_to;                       /* where that step ends */
    double *rate_change, *output_change; /* by `variation` */
    double *adjoint;                     /* over (s, t, u, p), as `variation` is */
    double *required, *shown;
    int rate_wanted; /* the rate will be needed where the configuration is found next */
    int in_stage;  /* the configuration is a stage's, only the step's end is checked */
    double inside; /* smallest step at whose stage an event seemed to occur */
    int check_stages; /* for events; only while a step is tried */
    double last_noted;   /* part of the step at which measures of regularity were noted last */
    double last_checked; /* part of the step at which the last checked stage is */
    mb_range *indicator_range; /* of each event, over the checked stages of a step */
    double *contradictions;    /* of each event, at a step's ends and MB_PLACES places inside */

    const char *instance_name, *function; /* for messages */
    unsigned logged, always_logged;       /* categories */
    mb_logger log;
    void (*callback)(void); /* the importer's, as its FMI version knows it */
    void (*intermediate_update)(void);
    void *environment;
    char message[MB_MESSAGE];
};

/* mb_instance.c */
mb_instance *mb_create(const char *function, const char *name, const char *token,
                       mb_interface interface, char message[MB_MESSAGE]);
void mb_reset(mb_instance *m);
void mb_free(mb_instance *m);

/* mb_memory.c */
size_t mb_lasting_size(const mb_instance *m);
void mb_save(const mb_instance *m, char *to);
void mb_restore(mb_instance *m, const char *from);
void mb_add_link(mb_instance *m, mb_link *link);
void mb_remove_link(mb_instance *m, const mb_link *link);
void mb_free_states(mb_instance *m);

/* mb_states.c */
mb_status mb_get_state(mb_instance *m, void **given);
mb_status mb_set_state(mb_instance *m, const void *given);
mb_status mb_free_state(mb_instance *m, void **given);
mb_status mb_serialized_size(mb_instance *m, const void *given, size_t *size);
mb_status mb_serialize(mb_instance *m, const void *given, unsigned char *bytes, size_t size);
mb_status mb_deserialize(mb_instance *m, const unsigned char *bytes, size_t size, void **given);

/* mb_foreign.c */
mb_status mb_check_state(mb_instance *m);

/* mb_log.c: each returns a status, so that a failing function can say `return mb_fail(...)` */
#if defined(__GNUC__)
#define MB_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define MB_FORMAT(text, first)
#endif
mb_status mb_fail(mb_instance *m, const char *format, ...) MB_FORMAT(2, 3);
mb_status mb_refuse(mb_instance *m, mb_status status, const char *format, ...) MB_FORMAT(3, 4);
void mb_start_logging(mb_instance *m, int on, unsigned always);
mb_status mb_set_logging(mb_instance *m, int on, size_t n, const char *const *categories);
void mb_note_event(mb_instance *m, int event);
void mb_warn(mb_instance *m, const char *format, ...) MB_FORMAT(2, 3);
int mb_enter(mb_instance *m, const char *function, unsigned modes);
int mb_given(mb_instance *m, const void *argument, const char *name);
int mb_given_all(mb_instance *m, size_t n, const void *argument, const char *name);
mb_status mb_leave(mb_instance *m, mb_status status);
mb_status mb_not_provided(mb_instance *m, const char *function);
const char *mb_name_of(const mb_model *model, mb_kind kind, int index);

/* mb_functions.c */
size_t mb_point_size(const mb_model *model);
void mb_copy_point(const mb_model *model, mb_point *to, const mb_point *from);
void mb_run(mb_instance *m, const mb_function *function, const mb_point *at, double *first,
            double *second);
void mb_run_rates(mb_instance *m, const mb_point *at, double *rate, double *measure);
void mb_run_change(mb_instance *m, const mb_point *at, double *rate, double *output);
int mb_all_finite(const double *values, int n);
double mb_solver(const mb_instance *m, int parameter);

/* mb_work.c */
void mb_begin_work(mb_instance *m);
int mb_exhausted(const mb_instance *m);

/* mb_visits.c */
mb_status mb_expect_visits(mb_instance *m, mb_visitor visitor, const unsigned *references, size_t n);
mb_status mb_check_visit(mb_instance *m, unsigned reference, int write);
void mb_ask_inputs(mb_instance *m);
void mb_ask_rates(mb_instance *m, double span);
double mb_be_visited(mb_instance *m, double end);
mb_status mb_end_visits(mb_instance *m);

/* mb_inputs.c */
void mb_start_at_input(mb_instance *m, int input);
int mb_start_input(const mb_model *model, int state);

/* mb_choices.c */
void mb_start_choices(mb_instance *m);
double *mb_own_slot(mb_instance *m, mb_kind kind, int index);
void mb_choose(mb_instance *m);
int mb_started_state(const mb_instance *m, int slot);
void mb_compare_rates(mb_instance *m, double since, const double *before, int steady_only);
mb_status mb_check_course(mb_instance *m, unsigned reference, int order, double value);
void mb_set_course(mb_instance *m, unsigned reference, int order, double value);
void mb_go_to(mb_instance *m, double t);
void mb_input_rates(const mb_instance *m, double *rate);
mb_status mb_begin_courses(mb_instance *m, double end);
void mb_end_courses(mb_instance *m, int succeeded);

/* mb_requirements.c */
mb_status mb_check_parameters(mb_instance *m);
mb_status mb_check_start(mb_instance *m);
mb_status mb_check(mb_instance *m);
void mb_tell(mb_instance *m);

/* mb_configuration.c */
void mb_place(mb_instance *m, mb_point *at);
int mb_converge(mb_instance *m, mb_point *at);
mb_status mb_follow(mb_instance *m);
mb_status mb_fail_exhausted(mb_instance *m);
int mb_travel(mb_instance *m, const mb_point *from, mb_point *to);
int mb_same_branch(const double *a, const double *b, int n);
int mb_worst_constraint(mb_instance *m, const mb_point *at);
const char *mb_constraint_name(const mb_model *model, int constraint);

/* mb_regularity.c */
void mb_start_regularity(mb_instance *m, const double *measure);
mb_status mb_accept_regularity(mb_instance *m, const double *measure);
void mb_forget_trials(mb_instance *m);
void mb_note_trial(mb_instance *m, const double *measure);
int mb_note_on_branch(mb_instance *m, const double *measure);
void mb_forget_trend(mb_instance *m);
mb_status mb_check_heading(mb_instance *m, double h, double *place);
int mb_calm(const mb_instance *m, double h);
int mb_suspect(const mb_instance *m, int block, double h);
mb_status mb_fail_singular(mb_instance *m, int block, double t, double size);
mb_status mb_blame(mb_instance *m, mb_status otherwise);

/* mb_evaluate.c */
mb_status mb_configure(mb_instance *m);
mb_status mb_derive(mb_instance *m, double *rate);
mb_status mb_derive_measured(mb_instance *m, double *rate, double *measure);
int mb_closed_contacts(const mb_instance *m);
mb_status mb_indicate(mb_instance *m);
mb_status mb_evaluate(mb_instance *m, unsigned wanted);
mb_status mb_accept(mb_instance *m);

/* mb_events.c */
double mb_exported_indicator(const mb_instance *m, int event);
double mb_shown_indicator(const mb_instance *m, int event);
double mb_contradiction(const mb_instance *m, int event);
double mb_largest_contradiction(const mb_instance *m);
mb_status mb_start_events(mb_instance *m);
mb_status mb_iterate_events(mb_instance *m);
mb_status mb_drift(mb_instance *m, double *drift);
mb_status mb_project(mb_instance *m);
void mb_watch_events(mb_instance *m);
int mb_event_overdue(const mb_instance *m);

/* mb_initialize.c */
void mb_take_start_back(mb_instance *m);
mb_status mb_initialize(mb_instance *m);
mb_status mb_provide(mb_instance *m, unsigned wanted);

/* mb_output_rates.c */
mb_status mb_get_output_rates(mb_instance *m, const unsigned *references, const int *orders, size_t n,
                              double *values);

/* mb_experiment.c */
mb_status mb_set_experiment(mb_instance *m, double t, int tolerance_defined, double tolerance);
mb_status mb_set_stop_time(mb_instance *m, int defined, double t);
mb_status mb_set_up(mb_instance *m, double start, int tolerance_defined, double tolerance,
                    int stop_defined, double stop);
mb_status mb_check_step(mb_instance *m, double point, double step);
mb_status mb_check_time(mb_instance *m);
mb_status mb_set_time(mb_instance *m, double t);

/* mb_sensitivities.c */
void mb_begin_sensitivities(mb_instance *m);
void mb_vary_stage(mb_instance *m, double h, int stage);
void mb_vary_end(mb_instance *m, double h, double t);
void mb_accept_sensitivities(mb_instance *m, int events);
mb_status mb_get_sensitivity(mb_instance *m, const mb_variable *v, double *value);

/* mb_modelexchange.c */
mb_status mb_set_states(mb_instance *m, const double *s, size_t n);
mb_status mb_get_states(mb_instance *m, double *s, size_t n);
mb_status mb_get_nominals(mb_instance *m, double *nominal, size_t n);
mb_status mb_get_rates(mb_instance *m, double *rate, size_t n);
mb_status mb_get_indicators(mb_instance *m, double *indicator, size_t n);
mb_status mb_completed_step(mb_instance *m, int *enter_event_mode);
mb_status mb_enter_initialization(mb_instance *m);
mb_status mb_exit_initialization(mb_instance *m);
mb_status mb_enter_event_mode(mb_instance *m);
double mb_next_event_time(mb_instance *m);
mb_status mb_update_discrete_states(mb_instance *m, int *states_changed);
mb_status mb_leave_event_mode(mb_instance *m, mb_mode next);

/* mb_step.c */
mb_status mb_do_step(mb_instance *m, double point, double step, int *event_needed);

#endif
