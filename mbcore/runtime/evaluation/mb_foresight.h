/* The configuration of `now` where it can be foreseen, without a search: it is on a grid's place next to
 * what is expected, see mb_configuration.c. All of it is inline, for stages do little else.
 */
#ifndef MB_FORESIGHT_H
#define MB_FORESIGHT_H

#include <float.h>

#include "mb_evaluation.h"
#include "mb_tolerances.h"

/* Between one and two grids over the machine's precision, in scales, neighbouring numbers are a grid
 * apart: adding and subtracting this rounds to multiples of the grid. */
static const double MB_SNAP = 1.5 * MB_GRID / DBL_EPSILON;

enum { MB_TRIES = 3 };                  /* of places on the grid next to what was foreseen */
static const double MB_FORESEEN = 1e-4; /* step from there, at most; else it is no use */
static const double MB_SAME_LENGTH = 1e-9; /* relative difference of steps that times' rounding makes */

/* Rounds iterated coordinates to the grid, and gives that place. */
static inline void mb_snap(double *restrict x, double *restrict place, const double *restrict scale)
{
    for (int i = 0; i < MB_MODEL->ni; i++) {
        const double far = MB_SNAP * scale[i];
        place[i] = x[i] = (x[i] + far) - far;
    }
}

/* Gives the coordinates, those that follow from the iterated ones where they belong. */
static inline void mb_place_at(mb_instance *m, const mb_point *at, double *to)
{
    if (MB_MODEL->ni < MB_MODEL->nx)
        mb_run(m, &MB_MODEL->place, at, to, NULL);
    else
        memcpy(to, at->x, (size_t)MB_MODEL->nx * sizeof(double));
}

/* Whether iterated coordinates are in the cell of a place on the grid; its zeros are positive, so that
 * equal places are equal bits. */
static inline int mb_in_cell(const double *x, const double *cell, const double *scale)
{
    uint64_t apart = 0;
    for (int i = 0; i < MB_MODEL->ni; i++) {
        const double far = MB_SNAP * scale[i];
        apart |= mb_bits((x[i] + far) - far) ^ mb_bits(cell[i]);
    }
    return apart == 0;
}

static inline int mb_near_cell(const mb_instance *m, const double *x)
{
    for (int i = 0; i < MB_MODEL->ni; i++)
        if (!(fabs(x[i] - m->cell[i]) * m->per_scale[i] <= MB_FORESEEN))
            return 0;
    return 1;
}

/* Where no coordinate is iterated, all of them follow from the other values, wherever the search
 * begins; returns whether they are finite. */
static inline int mb_follow(mb_instance *m, mb_point *at)
{
    mb_run(m, &MB_MODEL->newton, at, at->x, NULL);
    return mb_all_finite(at->x, MB_MODEL->nx);
}

/* Brings `now` from what was foreseen to its configuration, or returns 0. */
static inline int mb_settle(mb_instance *m)
{
    double *x = m->now.x, *placed = m->next_coordinates;
    if (MB_MODEL->ni == 0)
        return MB_MODEL->nx == 0 || mb_follow(m, &m->now);
    mb_lay_arguments(m, &m->now);
    for (int k = 0; k < MB_TRIES; k++) {
        mb_snap(x, m->cell, m->scale);
        mb_place_at(m, &m->now, placed);
        mb_call_from(m, &MB_MODEL->newton, placed, x, m->unused);
        if (mb_in_cell(x, m->cell, m->scale))
            return mb_all_finite(x, MB_MODEL->nx);
        if (!mb_near_cell(m, x))
            return 0;
    }
    return 0;
}

/* Whether the stages of steps like the present one have been evaluated in those before. */
static inline int mb_steps_known(const mb_instance *m)
{
    return m->steps_remembered > 0 &&
           fabs(m->stage_step - m->remembered_step) <= MB_SAME_LENGTH * m->stage_step;
}

/* Extrapolates the iterated coordinates of a stage that is known. */
static inline void mb_extrapolate(mb_instance *m)
{
    const int n = MB_MODEL->ni, all = MB_REMEMBERED * n;
    const double *d = m->remembered + (m->stage_number - 1) * n, *from = m->accepted.x;
    double *restrict x = m->now.x;
    for (int i = 0; i < n; i++)
        x[i] = from[i] + (d[i] + d[all + i] + d[2 * all + i]);
}

/* Notes how far the coordinates of the present stage are from the beginning of the step. */
static inline void mb_note_stage(mb_instance *m)
{
    const int n = MB_MODEL->ni;
    if (n == 0 || m->stage_number == 0)
        return;
    const double *x = m->now.x, *from = m->accepted.x;
    double *restrict offset = m->stage_offset + (m->stage_number - 1) * n;
    for (int i = 0; i < n; i++)
        offset[i] = x[i] - from[i];
    m->stages_noted = m->stage_number;
}

#endif
