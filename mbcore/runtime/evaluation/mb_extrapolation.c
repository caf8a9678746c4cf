/* Where the coordinates of a stage are to be expected: methods of equal steps have evaluated the same
 * stage in the steps before, and how far it is from the step's beginning changes little from step to
 * step. Newton's iteration that starts there takes one step in place of three, and ends at the same
 * configuration, see mb_configuration.c.
 *
 * What is remembered belongs to the state of an instance, so that it follows from the calls alone.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluation.h"

static const double SAME_LENGTH = 1e-9; /* relative difference of steps that times' rounding makes */

static size_t places(void) { return (size_t)(MB_REMEMBERED * MB_MODEL->ni); }

static int known(const mb_instance *m)
{
    return m->stage_number > 0 && m->steps_remembered > 0 &&
           fabs(m->stage_step - m->remembered_step) <= SAME_LENGTH * m->stage_step;
}

/* Extrapolates the iterated coordinates of the present stage; returns whether that is possible. */
int mb_extrapolate(mb_instance *m)
{
    const int n = MB_MODEL->ni;
    if (!known(m))
        return 0;
    const double *d0 = m->remembered + (m->stage_number - 1) * n, *d1 = d0 + places();
    const double *d2 = d1 + places(), *from = m->accepted.x;
    double *restrict x = m->now.x;
    for (int i = 0; i < n; i++)
        x[i] = from[i] + (d0[i] + d1[i] + d2[i]);
    return 1;
}

/* Notes how far the coordinates of the present stage are from the beginning of the step. */
void mb_note_stage(mb_instance *m)
{
    const int n = MB_MODEL->ni;
    if (m->stage_number == 0)
        return;
    const double *x = m->now.x, *from = m->accepted.x;
    double *restrict offset = m->stage_offset + (m->stage_number - 1) * n;
    for (int i = 0; i < n; i++)
        offset[i] = x[i] - from[i];
    m->stages_noted = m->stage_number;
}

/* Remembers the stages of a step that is good, as backward differences over the steps. */
void mb_remember_step(mb_instance *m)
{
    const size_t n = places();
    double *restrict d0 = m->remembered, *restrict d1 = d0 + n, *restrict d2 = d1 + n;
    if (MB_MODEL->ni == 0 || m->stages_noted == 0)
        return;
    if (fabs(m->stage_step - m->remembered_step) > SAME_LENGTH * m->stage_step)
        m->steps_remembered = 0;
    const size_t used = (size_t)(m->stages_noted * MB_MODEL->ni);
    const double *offset = m->stage_offset;
    const double once = m->steps_remembered > 0, twice = m->steps_remembered > 1;
    for (size_t i = 0; i < used; i++) {
        const double first = offset[i] - d0[i], second = first - d1[i];
        d0[i] = offset[i];
        d1[i] = once * first;
        d2[i] = twice * second;
    }
    if (m->steps_remembered < MB_DIFFERENCES)
        m->steps_remembered++;
    m->remembered_step = m->stage_step;
}

/* After an event the motion goes on in another way. */
void mb_forget_steps(mb_instance *m) { m->steps_remembered = 0; }
