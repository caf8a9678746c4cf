/* What a generated model gives to the runtime: tables of names and numbers, and functions.
 *
 * Which functions there are, what some take besides, and what they return is generated from
 * mbcore/equations/functions.py, as lists in mb_functions.h. All of them take the same arguments
 * first, in this order:
 *   t[1]   time
 *   s[ns]  continuous states
 *   d[nd]  discrete variables; the first ne of them are the events' modes, 0 (inactive) or 1
 *   u[nu]  inputs
 *   p[np]  parameters (enumerations as their item's number); the last MB_SOLVER_PARAMETERS of
 *          them are the runtime's own, in the order of their numbers
 *   x[nx]  nodal coordinates: the configuration that belongs to (t, s, d, u, p)
 * Results are dense, matrices column-major. The functions write nothing else and have no memory.
 */
#ifndef MB_MODEL_H
#define MB_MODEL_H

#include "mb_columns.h"
#include "mb_functions.h"
#include "mb_methods.h"

enum {
    MB_SOLVER_METHOD,
    MB_SOLVER_TOLERANCE,
    MB_SOLVER_STEP,
    MB_SOLVER_MOST_EVALUATIONS,
    MB_SOLVER_PARAMETERS
};
enum { MB_CALL = 60 }; /* what calling a function costs besides its statements */

typedef void (*mb_call)(const double **arg, double **res, double *w);
typedef void (*mb_call_of_columns)(const double **arg, const mb_columns *of, double **res, double *w);

#define MB_NAME_EXTRA(name, size) MB_EXTRA_##name,
typedef enum { MB_EACH_EXTRA(MB_NAME_EXTRA) MB_EXTRAS } mb_extra;

typedef struct {
    mb_call call;
    int w; /* size of the work array */
    int statements; /* what it costs */
    int extras;
    mb_extra extra[MB_MOST_EXTRAS]; /* further arguments, after the common ones */
} mb_function;

typedef enum {
    MB_TIME,      /* independent variable */
    MB_PARAMETER, /* p[index] */
    MB_CONSTANT,  /* its start; a parameter that the export fixed */
    MB_INPUT,     /* u[index] */
    MB_STATE,     /* s[index] */
    MB_DERIVATIVE,/* ds[index] */
    MB_DISCRETE,  /* d[index] */
    MB_OUTPUT,    /* y[index] */
    MB_SENSITIVITY, /* of a state over the last doStep; index: places of what varies x ns + state */
    MB_INDICATOR  /* event indicator [index] with hysteresis, as getEventIndicators gives it */
} mb_kind;

typedef enum { MB_REAL, MB_INTEGER, MB_BOOLEAN, MB_ENUMERATION } mb_type;

typedef struct {
    const char *name;
    mb_kind kind;
    mb_type type;
    int index;
    int tunable;           /* parameters: may be set after initialization */
    double minimum, maximum; /* -INFINITY, INFINITY where open; enumerations: 1, number of items */
    int positive;          /* zero is excluded too */
    double start, nominal;
    unsigned long available; /* enumerations: bit (value - 1) set where the item is available */
    int reset;             /* states: events may change it */
    double shift;          /* of the start from the value in the model, as its author wrote it */
} mb_variable;

/* Variables that FMI 3.0 has as one array: `elements` of them from `first`. */
typedef struct {
    const char *name;
    int first, elements;
} mb_array;

/* What the variables depend on: those of variable i are from begin[i] to begin[i + 1]. */
typedef struct {
    const int *begin;           /* NULL where a model states none */
    const int *known;           /* variables, */
    const unsigned char *kind;  /* and how they enter, as FMI 3.0 numbers it */
} mb_dependencies;

typedef enum {
    MB_SWITCH,         /* of a law: nothing but its mode changes */
    MB_KNOT,           /* of points of a table: ends steps, and is not told */
    MB_IMPACT,         /* changes states; none occurs at the start */
    MB_CLOSED_CONTACT, /* while active, a closed gap is a constraint, and states are projected on it */
    MB_HELD_SLIP       /* the same with a slip at zero; where it becomes active, states change */
} mb_event_kind;

typedef enum {
    MB_ALWAYS,
    MB_OF_PARAMETERS, /* concerns parameters only: checked once, before anything is assembled */
    MB_AT_START       /* checked once, at the first configuration */
} mb_when;

typedef enum {
    MB_VIOLATION_IS_ERROR,  /* the call fails */
    MB_VIOLATION_IS_WARNING /* once for each message */
} mb_severity;

typedef struct {
    const char *name, *message;
    mb_when when;
    mb_severity severity;
} mb_requirement;

typedef struct {
    int input, rate; /* places in u: an input, and the one that holds its time derivative */
} mb_input_rate;

typedef struct {
    int state, input; /* places in s and u: the state starts at the input's value */
} mb_input_start;

/* A parameter, or the start of a state, that two variables determine: an enumeration and its integer
 * twin, a state and its start parameter. Each has a slot of its own in p. */
typedef struct {
    mb_kind kind;
    int index;         /* place of the value in p or s */
    int own;           /* slot for what is set at the variable itself */
    int first, second; /* the value is in slot first, or in slot second if p[first] is idle */
    double idle;
} mb_choice;

typedef struct mb_model {
    const char *name, *token;
#define MB_DECLARE_COUNT(name) int name;
    MB_EACH_COUNT(MB_DECLARE_COUNT)
    int contacts; /* unilateral ones and slips that may be held, whose events change states */
    int measures_without_inputs; /* conditioning depends on u by the configuration only */
    int measures_with_rates;     /* derivative has conditioning as its second result, which it writes
                                    unless res[1] is NULL */
    int caches_with_rates;       /* and what common returns as its third, unless res[2] is NULL, then
                                    res[3] is the same: */
    int checked_values;          /* so many of it, the first, are written there, for virtual_power */

    /* Value reference = index into this table (0 is time); the same for FMI 2.0 and 3.0. */
    int variables;
    const mb_variable *variable;

    const char **coordinate; /* nx names, for messages */
    const char **constraint; /* nc names: the deformation behind each condition */
    const char **event;      /* ne names */
    const char **measure_name; /* nr names of conditioning measures: first of limits that must not be
                                  reached, then the deformations of each block of both Jacobians */
    int limits;              /* how many are limits, */
    const int *limit;        /* and their places in requirement */
    const mb_requirement *requirement; /* nq */
    const double *band;      /* ne: half width of each event's hysteresis */
    const mb_event_kind *kind; /* ne */
    const int *expected;     /* ne: where in d the time until it occurs again is expected, or -1 */
    const int *height;       /* ne: likewise the largest distance from the event until then */

    int input_rates;
    const mb_input_rate *input_rate;
    int input_starts;
    const mb_input_start *input_start;
    int choices;
    const mb_choice *choice;
    int varied; /* number of variables by which doStep has sensitivities of the states: */
    const int *varied_place; /* places in (s, t, u, p) */

    mb_function common; /* -> cached[nk]: values that several functions need at the same point; and ds[ns],
                           which come with them, unless res[1] is NULL */
#define MB_DECLARE_FUNCTION(name) mb_function name;
    MB_EACH_FUNCTION(MB_DECLARE_FUNCTION)
    mb_function known_indicator; /* indicator where values are cached, if that shares most of its own
                                    with the derivative but few of all; else not written */

    /* Value references of FMI 3.0 behind those of all variables. */
    int arrays;
    const mb_array *array;
    mb_dependencies running, initial;

    mb_function jacobian; /* derivative of the rates by the states, ns x ns; where it is not written, its
                             columns follow from change */
    mb_call_of_columns changes; /* change along several variations at once, row by row; its costs are those
                                   of jacobian, with which it is written */
} mb_model;

/* A model without arrays says nothing of them. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

extern const mb_model mb_generated_model;

/* The one model of a library. Where its definition is compiled together with the runtime, all sizes are
 * constants to the compiler. */
#define MB_MODEL (&mb_generated_model)

#endif
