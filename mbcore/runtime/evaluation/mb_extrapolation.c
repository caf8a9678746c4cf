/* Where the coordinates of a stage are to be expected: methods of equal steps have evaluated the same
 * stage in the steps before, and how far it is from the step's beginning changes little from step to
 * step. Newton's iteration that starts there takes one step in place of three, and ends at the same
 * configuration, see mb_foresight.h.
 *
 * What is remembered belongs to the state of an instance, so that it follows from the calls alone.
 */
#include <math.h>
#include <string.h>

#include "mb_foresight.h"

static size_t places(void) { return (size_t)(MB_REMEMBERED * MB_MODEL->ni); }

/* Takes in the offsets of a step; differences of the first order need one step before, of the second
 * order two. */
static inline void differ(double *restrict d, const double *restrict offset, size_t n, int steps)
{
    double *d1 = d + places(), *d2 = d1 + places();
    const double once = steps > 0, twice = steps > 1;
    for (size_t i = 0; i < n; i++) {
        const double first = offset[i] - d[i], second = first - d1[i];
        d[i] = offset[i];
        d1[i] = once * first;
        d2[i] = twice * second;
    }
}

/* Remembers the stages of a step that is good, as backward differences over the steps. */
void mb_remember_step(mb_instance *m)
{
    if (MB_MODEL->ni == 0 || m->stages_noted == 0)
        return;
    if (fabs(m->stage_step - m->remembered_step) > MB_SAME_LENGTH * m->stage_step)
        m->steps_remembered = 0;
    if (m->stages_noted == MB_REMEMBERED) /* so many that the compiler knows their number */
        differ(m->remembered, m->stage_offset, places(), m->steps_remembered);
    else
        differ(m->remembered, m->stage_offset, (size_t)(m->stages_noted * MB_MODEL->ni),
               m->steps_remembered);
    if (m->steps_remembered < MB_DIFFERENCES)
        m->steps_remembered++;
    m->remembered_step = m->stage_step;
}

/* After an event the motion goes on in another way. */
void mb_forget_steps(mb_instance *m) { m->steps_remembered = 0; }
