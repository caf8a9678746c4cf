/* Analyses at points that lie in the arrays of a host in the same process. */
#ifndef MB_POINT_H
#define MB_POINT_H

#include "mb_native.h"

extern const mb_function mb_generated_functions[]; /* all of mbcore/equations/functions.py */

enum { MB_SIZES = 3 }; /* of variations by which rounding errors are known */

/* What calls functions for one analysis. */
typedef struct {
    mb_instance *m;
    double *block;         /* of all arrays that are its own: */
    mb_point own;          /* the start of the model's author */
    double *own_measure;   /* conditioning measures, */
    int own_known, own_found; /* whether it has been assembled, and could be */
    double *measure, *scale, *columns, *factors;
    mb_point before;       /* where a configuration is sought from */
    double *lowest, *highest; /* conditioning measures on the way from there */
    mb_point started;      /* the last start, if any, with its reduced mass and rates */
    int started_known;
    double *mass, *rates;
} mb_analysis;

/* Where a linearization goes; shared with the host, see mbcore/native/shared.py. Matrices are
 * column-major, states come before inputs. */
typedef struct {
    double *rate, *output; /* ns x (ns + nu), ny x (ns + nu), NULL: changes by states and inputs */
    double *mass;          /* nf x nf */
    double *rates;         /* ns: of the states */
    unsigned char *depends; /* ns x ns */
    const double *nominal; /* of the states */
} mb_linearized;

/* Linearizations beside each point of a map, along its motion, where that turns; shared with the host
 * as well. */
typedef struct {
    int count;           /* of them for each point */
    double rest;         /* largest rate of a state at which nothing turns */
    const double *span;  /* s, for each point, of which each goes */
    const double *share; /* this part */
    double *state;       /* where it comes to */
    mb_linearized at;
    unsigned char *turns; /* of each point: whether these have been made */
} mb_beside;

/* mb_point.c */

/* Finds the configuration of a point on the branch of these signs, by Newton's iteration from another
 * point's or in substeps from there; returns whether there is one. */
int mb_point_reach(mb_analysis *a, mb_point *at, const mb_point *from, const double *scale,
                   const double *branch, double *lowest, double *highest);
void mb_point_give(const mb_model *model, mb_point *at, const double *values);

/* Whether a point meets the requirements of a severity that are asked at these times, bits of
 * mb_when. */
enum { MB_AT_ANY_TIME = 1u << MB_ALWAYS | 1u << MB_OF_PARAMETERS | 1u << MB_AT_START };
int mb_point_meets(mb_instance *m, const mb_point *at, mb_severity severity, unsigned times);

/* mb_point_start.c */

MB_EXPORT int mb_point_start(mb_analysis *a, mb_point *at, const mb_point *own, int mass,
                             double *scale, double *measure);
/* Starts an instance at its own values, with its events; returns whether nothing is unusual there. */
int mb_point_begin(mb_analysis *a, const mb_point *own, int mass);
int mb_point_is_massless(mb_analysis *a, const double *M);

#endif
