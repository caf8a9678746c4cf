/* How the attempt of a step begins, by any method. */
#include <math.h>

#include "mb_integrator.h"

/* Calculates the rates and indicators at the beginning of a step, and its length if the method has not
 * suggested one yet. */
mb_status mb_prepare_step(mb_instance *m, double left)
{
    const mb_method *method = m->method;
    m->indicators_follow = 1;
    mb_status status = mb_evaluate(m, MB_DERIVED);
    m->indicators_follow = 0;
    if (!status)
        status = mb_indicate(m);
    if (!status && !method->adaptive) /* else at its end, where the rate is known as well */
        status = mb_check_power(m);
    if (!status && method->prepare)
        status = method->prepare(m);
    if (status)
        return status;
    if (!method->adaptive)
        m->step_size.next = mb_solver(m, MB_SOLVER_STEP);
    else if (!(m->step_size.next > 0))
        m->step_size.next = mb_first_step(m, left);
    for (int i = 0; i < MB_MODEL->ne; i++)
        m->indicator_range[i].start = mb_contradiction(m, i);
    mb_begin_ranges(m);
    return MB_OK;
}

void mb_begin_attempt(mb_instance *m, double h)
{
    m->inside = h;
    m->last_noted = mb_measures_steady(m, h) ? 1 : 0; /* no stage is later than at 1 */
    mb_forget_trials(m);
    m->stage_step = h;
    m->dense_known = m->slid = 0;
}
