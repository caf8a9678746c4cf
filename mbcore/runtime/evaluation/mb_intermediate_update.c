/* Intermediate updates of FMI 3.0: calls of the importer between communication points.
 *
 * At every time within a step the importer is called to set the inputs of that time, if there are
 * inputs among its required intermediate variables. Where a step is accepted it may also get outputs,
 * and request an early return.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluation.h"

static const double APART = 1e-3; /* part of a step between places where rates of inputs are taken */

/* Whether a variable may be set or read between communication points. */
static int is_continuous(const mb_variable *v)
{
    return v->type == MB_REAL &&
           (v->kind == MB_INPUT || v->kind == MB_OUTPUT || v->kind == MB_STATE ||
            v->kind == MB_DERIVATIVE);
}

/* Stores which variables the importer will set or read. */
mb_status mb_require_intermediate(mb_instance *m, mb_update_callback callback,
                                  const unsigned *references, size_t n)
{
    m->update_callback = callback;
    for (mb_elements e = mb_elements_of(references, callback ? n : 0); mb_next(m, &e);) {
        if (e.variable >= (unsigned)MB_MODEL->variables)
            return mb_refuse(m, MB_ERROR,
                             "value reference %u, required between communication points, does not "
                             "exist; the model description lists 0 to %d",
                             e.variable, MB_MODEL->variables + MB_MODEL->arrays - 1);
        const mb_variable *v = &MB_MODEL->variable[e.variable];
        if (!is_continuous(v))
            return mb_refuse(m, MB_ERROR,
                             "%s cannot be had between communication points; the model description "
                             "marks those that can by intermediateUpdate",
                             v->name);
        m->required_intermediate[e.variable] = 1;
        m->gives_inputs |= v->kind == MB_INPUT;
    }
    return MB_OK;
}

/* Calls the importer. The functions that it calls overwrite the message and may fail, so the message is
 * restored and a failure is recorded. */
static void call_importer(mb_instance *m, mb_update update)
{
    const char *function = m->function;
    char message[MB_MESSAGE];
    strcpy(message, m->message);
    update.t = fmin(fmax(m->now.t, m->update_from), m->update_until);
    update.return_time = update.t;
    m->update = update;
    m->updating = 1;
    m->update_callback(m);
    m->updating = 0;
    m->update_failed |= m->failed;
    m->failed = 0;
    m->function = function;
    strcpy(m->message, message);
}

/* Requests the inputs at the present time of a trial step. */
void mb_request_inputs(mb_instance *m) { call_importer(m, (mb_update){.may_set = 1}); }

/* Estimates the rates of the inputs now by one-sided differences of second order, within a step of
 * length `span`: from values a little later, or where it is negative, before. FMI 3.0 lets an
 * importer give values between communication points but no derivatives. */
void mb_estimate_input_rates(mb_instance *m, double span)
{
    const size_t size = (size_t)MB_MODEL->nu * sizeof(double);
    const double t = m->now.t, by = APART * span;
    const unsigned fresh = m->fresh;
    double *u = m->now.u, *here = m->requested_input;
    if (!(fabs(by) > 0))
        return;
    memcpy(here, u, size);
    for (int i = 0; i < MB_MODEL->nu; i++)
        m->input_derivative[i * MB_ORDERS] = -3 * here[i] / (2 * by);
    for (int k = 1; k <= 2; k++) {
        m->now.t = t + k * by;
        mb_request_inputs(m);
        for (int i = 0; i < MB_MODEL->nu; i++)
            m->input_derivative[i * MB_ORDERS] += (k == 1 ? 4 : -1) * u[i] / (2 * by);
    }
    m->now.t = t;
    memcpy(u, here, size);
    m->fresh = fresh;
}

/* Lets the importer read outputs at an accepted point; returns the time at which the communication
 * step will end. */
double mb_call_at_accepted(mb_instance *m, double end)
{
    call_importer(m, (mb_update){.may_set = m->gives_inputs,
                                 .may_get = 1,
                                 .step_finished = 1,
                                 .can_return_early = m->early_return_allowed});
    m->update_from = m->now.t;
    if (!(m->update.can_return_early && m->update.early_return))
        return end;
    return fmin(fmax(m->update.return_time, m->now.t), end);
}

/* Fails if a call of the importer within an intermediate update has failed. */
mb_status mb_check_updates(mb_instance *m)
{
    if (!m->update_failed)
        return MB_OK;
    m->update_failed = 0;
    return mb_refuse(m, MB_ERROR,
                     "a call from within the intermediate update has failed before t = %.9g s; "
                     "its message names the cause",
                     m->now.t);
}
