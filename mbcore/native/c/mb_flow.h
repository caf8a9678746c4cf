/* The flow of a model: steps of the state with its exact derivative by the start and by values, through
 * events, for analyses of a host in the same process. The host asks to go on; it gets back the last
 * step, and examines it where something else may have happened in it.
 */
#ifndef MB_FLOW_H
#define MB_FLOW_H

#include "mb_signals.h"
#include "mb_point.h"

/* What has come of going on. */
enum {
    MB_FLOW_STEPPED,    /* and nothing is to be seen in the last step */
    MB_FLOW_TO_EXAMINE, /* the last step: a singular place, a requirement, a drift, a doubtful event */
    MB_FLOW_STUCK,      /* the step became too small; the host finds out why */
    MB_FLOW_ENDED,      /* by the callback for inputs */
    MB_FLOW_JUMPED,     /* an event has been passed; the host begins again behind it */
    MB_FLOW_NO_MEMORY
};

/* What `recorded` is where steps are noted with all their values. */
#define MB_RECORD_ALL 2

/* Radau collocation; mbcore/periodic/collocation.py says what the numbers mean. */
typedef struct {
    int stages, iterations;
    const double *node, *matrix, *error; /* [HairerWanner] IV.8: c, A by rows, and */
    double gamma;                        /* the embedded formula */
    double safety, shrink, grow, farthest, accuracy, doubtful, rounding, just_over;
    double divided, first, small, least;
} mb_collocation;

/* Dormand and Prince's method of order 8 with its interpolant, as SciPy's DOP853. Rows of the matrix
 * are those of the stages, of the end, and of the further stages for the interpolant. */
typedef struct {
    int stages, all, terms; /* the last: of the interpolant, that follow from `dense` */
    const double *node, *matrix, *error_5, *error_3, *dense;
    double safety, shrink, grow, exponent, least;
} mb_explicit;

/* LAPACK's dgetrf and dgetrs. */
typedef void (*mb_factorizer)(int *m, int *n, double *a, int *lda, int *pivot, int *info);
typedef void (*mb_solver_of)(char *transposed, int *n, int *count, double *a, int *lda, int *pivot,
                             double *b, int *ldb, int *info);

/* The way through an event. Directions are states, time and what is varied. */
typedef struct {
    double *before, *after;   /* rates at both sides */
    double *modes, *slope;    /* before the present round; of the inputs with time */
    double *through, *jump;   /* states after it (n x directions, by rows); one column of a round */
    double *set;              /* discrete variables of that column */
    double *new_through;
    double *crossing;         /* of the indicator by the directions, then of the event's time */
    double *other;            /* the same of one that comes with it */
    double *matrix, *factors; /* n x n: the saltation matrix by rows */
    int rounds, refused;
} mb_passage;

/* The first part is shared with the host, see mbcore/native/flow.py. Numbers that are remembered are
 * states without a rate, behind the model's own. Values are the state (n), then,
 * where a derivative is wanted, its columns row by row (n x columns) and the integral of the trace of
 * the Jacobian, which explicit steps leave alone where columns are by fewer start values. */
typedef struct mb_flow {
    /* what is asked for */
    const mb_collocation *collocation; /* one of the methods, */
    const mb_explicit *explicit_steps; /* the other one is NULL */
    mb_factorizer factorize;
    mb_solver_of solve;
    int columns, felts;         /* columns are by some start values, all `felt` ones or fewer, */
    int starts, varied;         /* then by `value` */
    int numbers, discretes;     /* of these the first one's place in a variation (s, t, u, p, d) */
    const int *felt;            /* states on which rates depend */
    const int *value;           /* places in a variation of what is varied */
    const int *number;          /* places among discrete variables of remembered numbers */
    double relative, longest_step, until;
    const double *absolute;     /* of all values */
    int (*input)(double t);     /* writes inputs to the point; MB_GO_ON, or else: end */
    const mb_signals *signals;  /* the same inputs as pieces of polynomials, where all are: then the host
                                   is asked only where one is unusual */
    int most_steps, recorded;   /* of one call; whether steps are noted, the states of them or all */
    int parts;                  /* of a step, at whose ends events' indicators are checked */
    int remembered_change;      /* places of functions; without one of the next two, -1, */
    int indicator_change, jump_change; /* the host passes events */
    const int *shown_by; /* discrete variables that show events: where each one's list begins in it */
    double input_span;           /* over which the slope of an input is taken, each side */
    double together, steepest;   /* mbcore/periodic/saltation.py says what they mean */
    const double *nominal;       /* of the states */

    /* where configurations are sought from, and how */
    mb_point *origin;
    double *scale, *branch;
    double *lowest, *highest; /* sizes of conditioning measures since then, */
    double *size, *largest;   /* there, and at any accepted point */

    /* the motion */
    mb_point *at;
    double t, *y;
    double *step;      /* values at the begin and the stages of the last step, by rows */
    double *term;      /* the interpolant of an explicit step, by rows */
    double last, next; /* lengths of the last step and of the next one on trial */
    long evaluations, steps; /* since the host has taken them; steps since the last event */
    mb_list noted;      /* of each recorded step: begin, end, how far it holds, modes, polynomial */
    mb_list happened;   /* time and number of each event */
    double jumps;       /* product of the determinants of their saltation matrices */

    /* from here on the flow's own */
    mb_analysis *analysis;
    double *block;
    int *pivot;
    int *value_of; /* of each column: the place of what it is by besides states, -1 for none */
    double *rate, *jacobian, *added;       /* at the present point; matrices are column-major */
    double *stage_jacobian, *stage_added;  /* stages of these on trial */
    double *trial, *moved, *stage_rate, *change, *raw, *last_rate, *system, *filter, *weight;
    double *right;     /* of equations for all columns, or their errors */
    double *indicator; /* of events, at parts of a step */
    mb_passage passage;
    mb_checked_power power;
    double *given; /* inputs that are functions of time */
    int ended, dense_known;
} mb_flow;

/* mb_flow_point.c */
int mb_flow_states(const mb_flow *f);
int mb_flow_size(const mb_flow *f);
int mb_flow_place(const mb_flow *f, int state);
int mb_flow_give_inputs(mb_flow *f, double t);
int mb_flow_go_to(mb_flow *f, double t, const double *s);
int mb_flow_rate(mb_flow *f, double t, const double *s, double *rate);
void mb_flow_slopes(mb_flow *f, double *jacobian, double *added);
void mb_flow_rates_of_columns(const mb_flow *f, const double *jacobian, const double *added,
                              const double *y, double *rate);
double mb_flow_trace(const double *jacobian, int n);
int mb_flow_rates(mb_flow *f, double t, const double *y, double *rate);
int mb_flow_meets_requirements(const mb_flow *f);
void mb_flow_accept(mb_flow *f);
int mb_flow_note(mb_flow *f, double reached);

/* mb_flow_events.c */
int mb_flow_pass_event(mb_flow *f);

/* mb_flow_collocation.c */
int mb_collocation_begin(mb_flow *f);
int mb_collocation_step(mb_flow *f);
void mb_collocation_between(mb_flow *f, double part, int count, double *to);

/* mb_flow_explicit.c */
int mb_explicit_begin(mb_flow *f);
int mb_explicit_step(mb_flow *f);
void mb_explicit_between(const mb_flow *f, double part, int count, double *to);
int mb_explicit_dense(mb_flow *f, int whole);

#endif
