/* How the states at the end of a doStep follow those at its beginning, inputs and tunable
 * parameters: the exact derivative of what the integration does.
 *
 * A Runge-Kutta method does the same with a change as with the states themselves: its stages are
 * changes of rates. Step sizes are treated as constant. There is no derivative across events or where
 * the states are projected on closed contacts, nor for methods with a Jacobian, whose derivative would
 * be needed.
 */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"

static size_t varied_values(void)
{
    return (size_t)(MB_MODEL->varied * MB_MODEL->ns);
}

/* At the beginning of a call the derivative of the states is the identity. */
void mb_begin_sensitivities(mb_instance *m)
{
    const mb_model *n = MB_MODEL;
    memset(m->sensitivity, 0, varied_values() * sizeof(double));
    for (int k = 0; k < n->varied; k++)
        if (n->varied_place[k] < n->ns)
            m->sensitivity[k * n->ns + n->varied_place[k]] = 1;
    m->sensitive = n->varied > 0 && m->method && m->method->tableau && !m->input_mode;
    m->varied_to = INFINITY;
}

/* The changes of the states before a stage, or, behind the last one, at the end of a step. */
static void advance_changes(mb_instance *m, double h, int stage, double *to)
{
    const struct mb_tableau *tableau = m->method->tableau;
    const double *weight = tableau->a + stage * tableau->stages;
    for (size_t i = 0; i < varied_values(); i++) {
        double sum = 0;
        for (int j = 0; j < stage; j++)
            sum += weight[j] * m->stage_change[(size_t)j * varied_values() + i];
        to[i] = m->sensitivity[i] + h * sum;
    }
}

/* The changes of a stage's rate, at the stage's point; in a step that may yet be refused. */
void mb_vary_stage(mb_instance *m, double h, int stage)
{
    const mb_model *n = MB_MODEL;
    if (!m->sensitive)
        return;
    advance_changes(m, h, stage, m->new_sensitivity);
    for (int k = 0; k < n->varied; k++) {
        const int place = n->varied_place[k];
        memcpy(m->variation, m->new_sensitivity + k * n->ns, (size_t)n->ns * sizeof(double));
        if (place >= n->ns)
            m->variation[place] = 1;
        mb_run_change(m, stage == 0 ? &m->accepted : &m->now,
                      m->stage_change + (size_t)stage * varied_values() + k * n->ns, NULL);
        m->variation[place] = 0;
    }
    memset(m->variation, 0, (size_t)n->ns * sizeof(double));
}

void mb_vary_end(mb_instance *m, double h, double t)
{
    if (!m->sensitive)
        return;
    advance_changes(m, h, m->method->tableau->stages, m->new_sensitivity);
    m->varied_to = t;
}

/* Takes over the changes of the accepted step, if nothing else has changed the states. */
void mb_accept_sensitivities(mb_instance *m, int events)
{
    m->sensitive = m->sensitive && !events && m->now.t == m->varied_to && !mb_closed_contacts(m) &&
                   mb_all_finite(m->new_sensitivity, (int)varied_values());
    if (m->sensitive)
        memcpy(m->sensitivity, m->new_sensitivity, varied_values() * sizeof(double));
}

mb_status mb_get_sensitivity(mb_instance *m, const mb_variable *v, double *value)
{
    *value = m->sensitivity[v->index];
    if (m->sensitive)
        return MB_OK;
    return mb_refuse(m, MB_DISCARD,
                     "%s does not exist at t = %.9g s: there is one after a doStep of Co-Simulation "
                     "without an event, a closed contact or inputs that change on the way, with "
                     "solver.method " MB_DERIVED_ITEMS,
                     v->name, m->now.t);
}
