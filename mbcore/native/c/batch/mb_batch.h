/* Many instances of one model, in lanes: the host's part.
 *
 * An instance takes a lane from its start to its end; then the next one takes it. It leaves its lane for
 * a step in which an event may be, and as long as contacts are closed or slips held. What is unusual
 * otherwise (a singular configuration, a value out of reach) is left to the host, which repeats this
 * instance by itself. Nothing that a lane does depends on the others.
 */
#ifndef MB_BATCH_H
#define MB_BATCH_H

#include "mb_signals.h"
#include "mb_point.h"

/* What has come of an instance. */
enum { MB_NOT_BEGUN, MB_DONE, MB_LEFT_TO_HOST };

/* Shared with the host, see mbcore/native/batch.py. */
typedef struct {
    /* an explicit Runge-Kutta method; without estimates of its error, all steps are equal */
    mb_stepping steps;
    int stages, estimates;
    const double *a, *c;  /* (stages + 1) x stages, the last row leads to the end; stages */
    const double *error;  /* estimates x (stages + 1) */
    double exponent;      /* of the error in the next step's length */
    const double *nominal; /* of the states */
    double conditioning_threshold; /* in parts of the best so far; below it the host looks */

    long times; /* of rows, at least one, rising */
    const double *time; /* since an instance has begun */
    int columns, observed; /* of rows, and whether outputs are among them */
    const int *column;     /* each a place in s, d, u and y behind each other */

    long values;         /* numbers s, d, u and p of an instance */
    const double *start; /* all of them, a row for each instance */
    double *row;         /* instances x times x columns */
    unsigned char *outcome; /* of each instance */
    const int *stop;        /* not 0: end soon */
    const mb_point *own;    /* the start of the model's author */
    int mass;               /* place of this function, -1: the host knows that every motion moves mass */
    mb_signals signals;     /* inputs that are functions of time */

    const double *begun; /* when each instance begins, to which `time` counts; NULL: all at 0 */
    /* NULL, or a row for each instance that is done: coordinates, one over their sizes, signs and largest
     * conditioning measures, and the length of the next step */
    double *stored;
    const unsigned char *resumed; /* of each: whether it goes on from there; NULL: none does */
} mb_batch;

/* An instance by itself. */
typedef struct {
    const mb_batch *batch;
    mb_analysis *a;
    mb_signal_place place;
    double *value; /* of the signals there */
    int unusual;   /* whether something is the host's to tell */
} mb_batch_instance;

/* Sets the inputs of an instance at a time within its way; returns whether nothing is unusual. */
int mb_batch_follow(mb_batch_instance *one, double t);

/* The events at `now` by the instance itself; a step from there where there are none, up to the end of
 * its way at most, with those that end it. `next` is the length of a step on trial, then that of the
 * next one, 0: unknown. Returns whether nothing else is unusual. */
int mb_batch_pass(mb_batch_instance *one, mb_step_context *context, double *next);

/* Runs instances from the first to before the last; returns the steps made, -1 without memory. */
MB_EXPORT long mb_batch_run(const mb_batch *batch, mb_analysis *a, long first, long last);

#endif
