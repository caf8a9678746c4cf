/* The flow of a model between events: implicit steps of the state with its exact derivative by the
 * start and by a value, for analyses of a host in the same process.
 */
#ifndef MB_FLOW_H
#define MB_FLOW_H

#include "mb_point.h"

/* What has come of a step. */
enum {
    MB_FLOW_STEPPED,
    MB_FLOW_STUCK, /* the step became too small; the host finds out why */
    MB_FLOW_ENDED  /* by the callback for inputs */
};

/* The first part is shared with the host, see mbcore/native/flow.py. Values are the state (n), then,
 * where a derivative is wanted, its columns row by row (n x columns) and the integral of the trace of
 * the Jacobian. */
typedef struct mb_flow {
    /* what is asked for */
    int stages, columns, felts, value; /* the last: place in a variation of what is varied, or -1 */
    const int *felt;                   /* states on which rates depend; columns are in their order */
    const double *node, *matrix, *error; /* the method, [HairerWanner] IV.8: c, A by rows, and */
    double gamma;                        /* the embedded formula */
    double relative, longest_step, until;
    const double *absolute;     /* of all values */
    int (*input)(double t);     /* writes inputs to the point; MB_GO_ON, or else: end */

    /* where configurations are sought from, and how */
    const mb_point *origin;
    const double *scale, *branch;
    double *lowest, *highest; /* conditioning measures */

    /* the motion */
    mb_point *at;
    double t, *y;
    double *step;      /* values at the begin and the stages of the last step, by rows */
    double last, next; /* lengths of the last step and of the next one on trial */
    long evaluations;

    /* from here on the flow's own */
    mb_analysis *analysis;
    double *block;
    double *rate, *jacobian, *added;       /* at the present point; matrices are column-major */
    double *stage_jacobian, *stage_added;  /* stages of these on trial */
    double *trial, *moved, *stage_rate, *change, *raw, *last_rate;
    double *system, *filter, *weight;
    int *pivot;
    int ended;
} mb_flow;

#endif
