/* Analyses at points that lie in the arrays of a host in the same process. */
#ifndef MB_POINT_H
#define MB_POINT_H

#include "mb_native.h"

extern const mb_function mb_generated_functions[]; /* all of mbcore/equations/functions.py */

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

/* Where a linearization goes; shared with the host, see mbcore/native/library.py. Matrices are
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

/* Finds the configuration of a point on the branch of these signs, by Newton's iteration from another
 * point's or in substeps from there; returns whether there is one. */
int mb_point_reach(mb_analysis *a, mb_point *at, const mb_point *from, const double *scale,
                   const double *branch, double *lowest, double *highest);

/* Starts an instance at its own values, with its events; returns whether nothing is unusual there. */
void mb_point_give(const mb_model *model, mb_point *at, const double *values);
int mb_point_begin(mb_analysis *a, const mb_point *own, int mass);

#endif
