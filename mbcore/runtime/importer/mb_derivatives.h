/* Partial derivatives of what the model calculates by what is set; FMI 2.0 and 3.0 differ in whether
 * there are derivatives by fixed parameters after initialization. */
#ifndef MB_DERIVATIVES_H
#define MB_DERIVATIVES_H

#include "mb_instance.h"

/* Value references of variables, and what FMI allows. A known that is given twice counts twice. */
typedef struct {
    const unsigned *unknown, *known;
    size_t unknowns, knowns;
    int by_fixed;
} mb_partial;

/* seed: one for each known; result: one for each unknown. */
mb_status mb_directional(mb_instance *m, const mb_partial *of, const double *seed, double *result);

/* seed: one for each unknown; result: one for each known. */
mb_status mb_adjoint(mb_instance *m, const mb_partial *of, const double *seed, double *result);

#endif
