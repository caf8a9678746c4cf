/* Modes, choices and small records of the runtime. */
#ifndef MB_TYPES_H
#define MB_TYPES_H

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
    MB_FAILED = 64 /* after an error: an instance has this besides its mode, see mb_mode_of() */
} mb_mode;

/* Modes in which functions may be called, as sums. */
enum {
    MB_ANY_MODE = 127,
    MB_CALCULATING = 126, /* all but Instantiated */
    MB_SETTABLE = 31,     /* up to the end of the simulation */
    MB_RUNNING = 28,      /* from the end of initialization to the end of the simulation */
    MB_MODEL_EXCHANGE_ONLY = 128, /* added to modes: which interface the instance was made for */
    MB_CO_SIMULATION_ONLY = 256,
    MB_IN_UPDATE = 512 /* also from the importer's intermediate update */
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
    MB_MEASURED = 64,    /* sign: on the same branch as `accepted` */
    MB_RATED = 128,    /* rate, which may not be finite yet */
    MB_SETTLED = 256,  /* indicator: no event contradicts its mode, in Co-Simulation */
    MB_CACHED = 512    /* `cached`, if `cached_now` */
};

/* Points that are no ends of steps: their measures are not noted where the configuration is sought. A
 * stage may be on another branch, for the test of the step's error finds that its rates are others. A
 * point aside is on the branch where it is searched for: a row's, an interpolant's, a stage's without such
 * a test. */
enum { MB_STAGE = 1, MB_ASIDE };

/* Arguments of the generated functions; s, d, u, x, p lie behind each other in `values`. */
typedef struct {
    double t;
    double *values;
    double *s, *d, *u, *p, *x;
} mb_point;

/* What step size control stores of accepted steps. */
typedef struct {
    double next;           /* suggested length, 0: none yet */
    double error;          /* of the last accepted step */
    double time_to_impact; /* as expected, 0: unknown */
    double exactly;        /* 1: perhaps to the bit */
} mb_step_size;

/* What the automatic choice between explicit and implicit steps goes by. */
typedef struct {
    double pace;  /* time for each unit of work, over the last steps */
    double wait;  /* so many doubtful steps bring the next trial, 0: the least number */
    int doubtful; /* steps since the last trial of the other method that suggest another one */
    short implicit;  /* the present steps are */
    short confirmed; /* trials in succession that were good; with it there is no padding to store */
} mb_stiffness;

/* What is remembered of an event. `first_step` and `occurred` are of steps made here. All others but `end` and `foretold`
 * are of Model Exchange alone, because importers find events only to the tolerance of their solvers, or late; all of them
 * but `reach` and `armed` are of impacts, see mb_flight.c. */
typedef struct {
    double first_step[2]; /* after it became inactive, and active, the last time; 0: never */
    double reach; /* largest distance from the threshold so far */
    double slack; /* tolerated distance beyond the threshold, until it has left the threshold again */
    double error; /* how much farther beyond it would be without the solver's errors of places */
    double lost;  /* the same for errors of places with the energy that the solver has lost: negative */
    double end;   /* when the present flight is expected to end, INFINITY: unknown */
    double before; /* distance beyond the threshold where the solver's last step ended, and by how much */
    double passed; /* that step has changed it; infinite where the flight has begun in between */
    double late;  /* time, s, by which the importer may find impacts late */
    int armed;    /* it has left the threshold since the event last occurred */
    int foretold; /* `end` is a time event, or a step may be aimed at it */
    int occurred; /* since the last step, which is no impact and so began another right-hand side; */
    int padding;  /* so that all bytes are set */
} mb_event_memory;

/* Whether an input changes as its rate input says. */
typedef struct {
    double largest; /* of both rates */
    int doubts;     /* consecutive comparisons in which they differed */
    int far;        /* and in which they differed much */
    int warned;
    double since, until, slope, rate; /* of the difference that the warning names */
} mb_rate_check;

/* The interval over which inputs and their rates are compared. */
typedef enum {
    MB_OVER_CONSTANT_INPUTS, /* a communication step over which they were constant */
    MB_OVER_MOVING_INPUTS,   /* one over which they were extrapolated or requested */
    MB_OVER_SOLVER_STEP      /* one of an importer's solver, which may span whole periods of an input */
} mb_span;

/* By how much an event's indicator contradicts its mode, over a step. */
typedef struct {
    double start, lowest, highest;
} mb_range;

typedef struct mb_instance mb_instance;

/* One intermediate update: a call of the importer between communication points. */
typedef struct {
    double t;
    int may_set, may_get; /* inputs, outputs */
    int step_finished;    /* the step that leads here is accepted */
    int can_return_early; /* the importer may end the communication step here */
    int early_return;     /* and it does */
    double return_time;
} mb_update;

typedef void (*mb_update_callback)(mb_instance *m);

/* How inputs change in a step: not at all, by their derivatives at its beginning, or by what the
 * importer gives in intermediate updates. */
enum { MB_INPUTS_CONSTANT, MB_INPUTS_EXTRAPOLATED, MB_INPUTS_REQUESTED };

/* Which derivatives of inputs are known. */
typedef enum {
    MB_NO_DERIVATIVES,
    MB_DERIVATIVES_AT_BEGIN, /* of the next step, or the one being made: it extrapolates them */
    MB_DERIVATIVES_AT_END    /* of the last step; the next one keeps its inputs constant */
} mb_given_derivatives;

enum { MB_CONDITIONING_ARRAYS = 6 /* `conditioning` and the arrays behind it */ };
enum { MB_REMEMBERED = 4, MB_DIFFERENCES = 3 }; /* stages of a step, and orders of their differences */
enum { MB_PARTS = 8 /* of a step in which events are sought */, MB_ORDERS = 4, MB_MESSAGE = 512 };

/* What a saved state begins with. */
typedef struct mb_link {
    struct mb_link *next, *previous;
} mb_link;
typedef void (*mb_logger)(mb_instance *m, mb_status status, const char *category,
                          const char *message);

#endif
