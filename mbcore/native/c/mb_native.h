/* A whole simulation in one call after another, for a host in the same process: no FMI.
 *
 * The host opens a run, writes what `asked` and the arrays hold, places the point and advances. Rows of
 * results and events are kept here until it takes them. Everything is a run's own, so that many of
 * them may go on at the same time.
 */
#ifndef MB_NATIVE_H
#define MB_NATIVE_H

#include "mb_integrator.h"

#if defined(_WIN32)
#define MB_EXPORT __declspec(dllexport)
#else
#define MB_EXPORT __attribute__((visibility("default")))
#endif

/* Why a call has come back. */
enum {
    MB_AT_END,
    MB_NOT_POSSIBLE, /* the next step; the point is where it begins */
    MB_TO_EXAMINE,   /* the point: a conditioning measure is small, or a warning is due */
    MB_ENDED,        /* by a callback */
    MB_NO_MEMORY,
    MB_ROWS_READY    /* so many that the host should take them */
};

enum { MB_SOME = 1, MB_ALL = 2 };
enum { MB_GO_ON = 1 /* what callbacks give; not what is left where one fails */ };

typedef struct {
    double *value;
    long count, room; /* in doubles */
} mb_list;

/* Arrays that lie behind each other in one block of memory. */
typedef struct {
    double **place;
    size_t count;
} mb_part;

/* How steps are made; the absolute tolerance is in parts of each state's nominal size. */
typedef struct {
    const char *method; /* its name */
    double relative, absolute, longest_step;
} mb_stepping;

/* The first part is shared with the host, see mbcore/native/shared.py. */
typedef struct mb_native {
    /* what is asked for */
    mb_stepping steps_asked;
    double spacing; /* of rows where no times are given */
    double conditioning_threshold; /* below it, in parts of the best so far, the host looks */
    int gives_inputs, with_coordinates;
    const double *times;          /* of rows, NULL for the steps' own */
    long time_count, next_time;
    const int *shown_by; /* discrete variables that show events: where each one's list begins in it */
    int (*input)(double t);       /* writes inputs to u; MB_GO_ON, or else: end */
    int (*progress)(double t);

    /* the point, whose arrays lie in the instance; scale and largest only to be placed */
    double t, *s, *d, *u, *p, *x, *scale, *largest, *nominal;

    /* what has come of it */
    long steps, evaluations; /* the second since the host has taken them, up to date in `progress` */
    long creeps;             /* whether that is why a step is not possible; `progress` may say so */
    double residual, failed_time;
    double nearness;         /* to singular, where `progress` is called */
    mb_list rows, events; /* a row: t, s, u, y, perhaps x; an event: time and number */
    mb_list changes; /* of the method: time, and whether steps are implicit from then on */
    mb_list discrete; /* changes of d: from which row on, number, value; those of one of `rows` may be whole */

    /* from here on the run's own */
    mb_instance *m;
    mb_step_context context;
    int ended, to_examine, out_of_memory;
    long counted;                 /* of the instance's evaluations */
    double *modes;                /* d as events have left it, */
    double *recorded;             /* and of the last row, */
    int unrecorded;               /* from which it may differ: MB_SOME, or MB_ALL where that is not known */
    double *before, *others;      /* states */
    mb_point parked;              /* the end of a step while rows are made */
    double *parked_rate, *parked_measure;
} mb_native;

/* mb_native.c */
void mb_begin_steps(mb_instance *m, const mb_stepping *how, const double *largest);
int mb_is_near_singular(const mb_instance *m, double threshold);
int mb_has_happened(const mb_instance *m, int event, const double *modes, const int *shown_by);

/* mb_record.c */
double *mb_lay_out(const mb_part *part, size_t parts);
double *mb_extend(mb_list *list, long count);
int mb_append(mb_native *run, mb_list *list, int count, double **place);
mb_status mb_record_point(mb_native *run);
mb_status mb_record_step(mb_native *run, double from);
mb_status mb_record_after_event(mb_native *run);

#endif
