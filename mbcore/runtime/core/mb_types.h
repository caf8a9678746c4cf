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

/* What has been seen of an input and the rate that is given with it. */
typedef struct {
    double largest; /* of both rates */
    int doubts;     /* comparisons in a row in which they differed */
    int far;        /* and in which they were far apart */
    int told;
    double since, until, slope, rate; /* of the one that is told of */
} mb_rate_watch;

/* What inputs and their rates are compared over. */
typedef enum {
    MB_OVER_HELD,  /* a communication step over which they were held */
    MB_OVER_GIVEN, /* a step over which they were given */
    MB_OVER_STEP   /* a step of an importer's solver, which may pass over whole periods of them */
} mb_over;

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
enum { MB_PLACES = 5, MB_ORDERS = 4, MB_MESSAGE = 512 };

/* What a saved state begins with. */
typedef struct mb_link {
    struct mb_link *next, *previous;
} mb_link;
typedef void (*mb_logger)(mb_instance *m, mb_status status, const char *category,
                          const char *message);

#endif
