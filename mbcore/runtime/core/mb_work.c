/* The work that one call may cause, whatever the values are: solver.most_evaluations right-hand sides.
 *
 * Work is counted in statements of the model. It is checked where configurations are sought, which
 * every loop does that may be long; from there on the call fails wherever it goes, and takes back what
 * it has done.
 */
#include "mb_calculation.h"

void mb_begin_work(mb_instance *m)
{
    const double most = mb_solver(m, MB_SOLVER_MOST_EVALUATIONS);
    if (m->visiting)
        return; /* the work of a step goes on */
    m->work = 0;
    m->most_work = most * (MB_CALL + m->model->derivative.statements);
}

int mb_exhausted(const mb_instance *m) { return m->work > m->most_work; }
