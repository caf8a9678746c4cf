/* Co-Simulation: a call of doStep, from one communication point to the next, step by step. If it
 * fails on the way, the state at the beginning of the call is restored.
 */
#include <math.h>

#include "mb_calls.h"
#include "mb_integrator.h"

enum { UPDATES = 4 /* accepted steps in a call, at least, where each is an intermediate update */ };

/* Calls the importer where a step has been accepted that began `from` a time. It may set inputs,
 * so that events may occur here. */
static mb_status update_importer(mb_instance *m, mb_step_context *context, double from)
{
    if (m->input_mode == MB_INPUTS_REQUESTED)
        mb_estimate_input_rates(m, from - m->now.t);
    context->end = mb_call_at_accepted(m, context->end);
    mb_status status = mb_check_updates(m);
    if (!status && !(m->fresh & MB_ACCEPTED))
        status = mb_end_step(m, context);
    return status;
}

/* From the present time to the end of a call, or to where the importer is to handle an event. */
static mb_status go_on(mb_instance *m, mb_step_context *context)
{
    m->inputs_stay = (m->fresh & MB_ACCEPTED) != 0;
    m->rate_wanted = m->indicators_follow = 1; /* the first step begins with the rate here */
    mb_status status = mb_accept(m);
    m->rate_wanted = m->indicators_follow = 0;
    if (!status)
        status = mb_end_step(m, context);
    while (!status && m->now.t < context->end && !context->event_needed) {
        context->steps++;
        const double from = m->now.t;
        status = mb_check_progress(m, context);
        if (!status)
            status = mb_take_step(m, context);
        const int events = context->all_events;
        if (!status)
            status = mb_end_step(m, context);
        if (!status)
            mb_accept_sensitivities(m, context->all_events - events + context->event_needed);
        if (!status && m->update_callback && !context->event_needed)
            status = update_importer(m, context, from);
    }
    return status && mb_exhausted(m) ? mb_fail_out_of_work(m, context) : status;
}

/* Records that a step has failed. If it fails twice without being shorter, `terminated` ends the
 * simulation, because some importers would repeat it without end. */
static void note_failure(mb_instance *m, double step)
{
    m->terminated = m->now.t == m->failed_time && step >= m->failed_step;
    m->failed_time = m->now.t;
    m->failed_step = step;
}

mb_status mb_do_step(mb_instance *m, double point, double step, int *event_needed)
{
    const mb_status possible = mb_check_step(m, point, step);
    if (possible)
        return possible;
    mb_begin_work(m);
    /* Inputs that stayed constant over the last step have been set since: compared now, for then their
     * next values were not known. */
    mb_compare_rates(m, m->constant_since, m->accepted.u, MB_OVER_CONSTANT_INPUTS);
    mb_keep_parameters(m);
    mb_save_moving(m);
    mb_follow_inputs(m);
    m->begun = 1;

    mb_step_context context = {.begin = m->now.t, .end = point + step, .checked_time = m->now.t};
    context.longest = m->update_callback ? (context.end - context.begin) / UPDATES : INFINITY;
    mb_status status = mb_begin_inputs(m, context.end);
    mb_begin_sensitivities(m);
    if (!status)
        status = go_on(m, &context);
    if (m->update_failed)
        status = mb_check_updates(m);
    *event_needed = !status && context.event_needed;
    if (status) {
        mb_restore_moving(m);
        mb_choose_method(m);
        mb_end_inputs(m, 0);
        note_failure(m, step);
    } else {
        mb_forget_failures(m);
        m->constant_since = m->input_mode ? INFINITY : context.begin; /* else compared below */
        if (m->input_mode)
            mb_compare_rates(m, context.begin, m->saved_now.u, MB_OVER_MOVING_INPUTS);
        mb_end_inputs(m, 1);
    }
    m->parameters_kept = 0;
    return status;
}
