/* The importer's visits between communication points, as FMI 3.0 has them.
 *
 * Wherever a step goes to another time, the importer is asked for the inputs of that time, if it has
 * said that it gives any; where a step is accepted, it may take outputs, too, and ask to return.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluation.h"

static const double APART = 1e-3; /* part of a step between places where rates of inputs are taken */

/* Whether a variable can be among those that an importer gives or takes between communication points. */
static int is_continuous(const mb_variable *v)
{
    return v->type == MB_REAL &&
           (v->kind == MB_INPUT || v->kind == MB_OUTPUT || v->kind == MB_STATE ||
            v->kind == MB_DERIVATIVE);
}

/* Notes which variables the importer is going to give or take. */
mb_status mb_expect_visits(mb_instance *m, mb_visitor visitor, const unsigned *references, size_t n)
{
    m->visitor = visitor;
    for (size_t i = 0; visitor && i < n; i++) {
        if (references[i] >= (unsigned)m->model->variables)
            return mb_refuse(m, MB_ERROR,
                             "value reference %u, required between communication points, does not "
                             "exist; the model description lists 0 to %d",
                             references[i], m->model->variables - 1);
        const mb_variable *v = &m->model->variable[references[i]];
        if (!is_continuous(v))
            return mb_refuse(m, MB_ERROR,
                             "%s cannot be had between communication points; the model description "
                             "marks those that can by intermediateUpdate",
                             v->name);
        m->visited[references[i]] = 1;
        m->gives_inputs |= v->kind == MB_INPUT;
    }
    return MB_OK;
}

/* Calls the importer. What it calls in turn has messages of its own. */
static void call_importer(mb_instance *m, mb_visit visit)
{
    const char *function = m->function;
    char message[MB_MESSAGE];
    strcpy(message, m->message);
    visit.t = fmin(fmax(m->now.t, m->visits_from), m->visits_until);
    visit.return_time = visit.t;
    m->visit = visit;
    m->visiting = 1;
    m->visitor(m);
    m->visiting = 0;
    m->visits_failed |= m->mode == MB_FAILED;
    m->mode = MB_STEP;
    m->function = function;
    strcpy(m->message, message);
}

/* Asks for the inputs at the present time, which a step tries. */
void mb_ask_inputs(mb_instance *m) { call_importer(m, (mb_visit){.gives = 1}); }

/* Takes the rates of the inputs now from their values a little later, or before where span is negative,
 * within a step of that length. */
void mb_ask_rates(mb_instance *m, double span)
{
    const size_t size = (size_t)m->model->nu * sizeof(double);
    const double t = m->now.t, by = APART * span;
    const unsigned fresh = m->fresh;
    double *u = m->now.u, *here = m->asked_input;
    if (!(fabs(by) > 0))
        return;
    memcpy(here, u, size);
    for (int i = 0; i < m->model->nu; i++)
        m->input_course[i * MB_ORDERS] = -3 * here[i] / (2 * by);
    for (int k = 1; k <= 2; k++) {
        m->now.t = t + k * by;
        mb_ask_inputs(m);
        for (int i = 0; i < m->model->nu; i++)
            m->input_course[i * MB_ORDERS] += (k == 1 ? 4 : -1) * u[i] / (2 * by);
    }
    m->now.t = t;
    memcpy(u, here, size);
    m->fresh = fresh;
}

/* Lets the importer take outputs at an accepted point; returns the time to which it wants to go on. */
double mb_be_visited(mb_instance *m, double end)
{
    call_importer(m, (mb_visit){.gives = m->gives_inputs,
                                .takes = 1,
                                .finished = 1,
                                .may_return = m->early_return_allowed});
    m->visits_from = m->now.t;
    if (!(m->visit.may_return && m->visit.returns))
        return end;
    return fmin(fmax(m->visit.return_time, m->now.t), end);
}

/* The importer has done in a visit what it must not. */
mb_status mb_end_visits(mb_instance *m)
{
    if (!m->visits_failed)
        return MB_OK;
    m->visits_failed = 0;
    return mb_refuse(m, MB_ERROR,
                     "a call from within the intermediate update has failed before t = %.9g s; what "
                     "it said names the cause",
                     m->now.t);
}
