/* Whether steps bring progress, and the messages where they do not. */
#include <math.h>

#include "mb_integrator.h"
#include "mb_tolerances.h"

static const double CHATTERING = 0.1; /* events in each step */

static int fastest_state(const mb_instance *m)
{
    int fastest = 0;
    for (int i = 1; i < MB_MODEL->ns; i++)
        if (fabs(m->rate[i]) * m->nominal[fastest] > fabs(m->rate[fastest]) * m->nominal[i])
            fastest = i;
    return fastest;
}

/* The remedy if a method needs too many steps. */
static const char *remedy(const mb_instance *m)
{
    if (!m->method->adaptive)
        return "let solver.step be larger, or solver.method be adaptive";
    if (m->method->rosenbrock)
        return "let solver.method be adaptive, loosen solver.tolerance";
    return "let solver.method be rosenbrock, loosen solver.tolerance";
}

/* Begins to count the progress of steps anew, from a time. */
static void mark(mb_step_context *context, double t)
{
    context->checked_steps = context->steps;
    context->checked_events = context->all_events;
    context->checked_time = t;
    context->farthest = 0;
}

/* Whether the steps without an event up to a time have brought next to no progress, as `creeps` of
 * mbcore/evaluation/moving_point.py has it; called before each step. */
int mb_creeps(mb_step_context *context, double t, double nearness, double longest)
{
    const double steps = (double)(context->steps - context->checked_steps);
    if (context->all_events > context->checked_events) {
        mark(context, t);
        context->pace = 0;
        context->slowed = 0;
        context->hopeless = 0;
        return 0;
    }
    context->farthest = fmax(context->farthest, nearness);
    if (steps < MB_CREEP_STEPS)
        return 0;
    const double pace = (t - context->checked_time) / steps;
    context->slowed = pace < MB_SLOWER * context->pace ? context->slowed + 1 : 0;
    const int lost = context->farthest < MB_STAYS_NEAR || context->slowed >= MB_SLOWED;
    const double left = pace < MB_WANTED_SHORT * longest ? context->end - t : 0;
    if (lost && pace * MB_LOST_STEPS < left)
        return 1;
    if (pace * MB_HOPELESS_STEPS < left)
        context->hopeless += context->steps - context->checked_steps;
    else
        context->hopeless = 0;
    if (context->hopeless && 2 * context->hopeless >= context->steps) /* as many as before them */
        return 1;
    context->pace = pace;
    mark(context, t);
    return 0;
}

/* Fails if they have. */
mb_status mb_check_progress(mb_instance *m, mb_step_context *context)
{
    const double longest = m->method->adaptive ? context->longest : mb_solver(m, MB_SOLVER_STEP);
    if (m->method->rosenbrock)
        context->slowed = 0; /* as relaxation oscillations do before they jump */
    if (!mb_creeps(context, m->now.t, mb_nearest_to_singular(m), longest))
        return MB_OK;
    const int state = fastest_state(m);
    const mb_status creeps =
        mb_fail(m,
                "%ld steps from t = %.9g s to t = %.9g s have brought next to no progress; %s "
                "changes fastest: %s, or look for jumps",
                context->steps - context->checked_steps, context->checked_time, m->now.t,
                mb_name_of(MB_MODEL, MB_STATE, state), remedy(m));
    return mb_fail_if_singular(m, creeps);
}

/* Fails with the cause that has used up the work of a call; `now` is where it ended. */
mb_status mb_fail_out_of_work(mb_instance *m, const mb_step_context *context)
{
    const double most = mb_solver(m, MB_SOLVER_MOST_EVALUATIONS);
    if (context->all_events > CHATTERING * (double)context->steps)
        return mb_fail(m,
                       "%d events in %ld steps from t = %.9g s to t = %.9g s, the last of them %s, take "
                       "more than %.9g evaluations: it chatters; give its indicator a wider band, "
                       "check parameters, or let solver.most_evaluations be larger",
                       context->all_events, context->steps, context->begin, m->now.t,
                       MB_MODEL->event[m->last_event], most);
    return mb_fail(m,
                   "%ld steps from t = %.9g s to t = %.9g s take more than %.9g evaluations, %s changes "
                   "fastest: %s, take shorter communication steps, check inputs and parameters, or "
                   "let solver.most_evaluations be larger",
                   context->steps, context->begin, m->accepted.t, most,
                   mb_name_of(MB_MODEL, MB_STATE, fastest_state(m)), remedy(m));
}
