/* What must hold of a model's values: of its parameters, at the start, and while it runs; and what
 * is only told where it does not hold. */
#include <stdio.h>
#include <string.h>

#include "mb_calculation.h"

static mb_status violated(mb_instance *m, int requirement)
{
    const mb_requirement *r = &m->model->requirement[requirement];
    return mb_fail(m, "%s: %s (it is %.9g at t = %.9g s)", r->name, r->message,
                   m->shown[requirement], m->now.t);
}

static int is_unmet(const mb_instance *m, int requirement, mb_when when, mb_severity severity)
{
    const mb_requirement *r = &m->model->requirement[requirement];
    return r->when == when && r->severity == severity && !(m->required[requirement] > 0);
}

static mb_status check(mb_instance *m, mb_when when)
{
    if (m->model->nq > 0)
        mb_run(m, &m->model->require, &m->now, m->required, m->shown);
    for (int i = 0; i < m->model->nq; i++)
        if (is_unmet(m, i, when, MB_DEMANDED))
            return violated(m, i);
    return MB_OK;
}

/* Marks all that would say the same as told; returns how many of them are unmet. */
static int mark_told(mb_instance *m, const char *message, mb_when when)
{
    int unmet = 0;
    for (int i = 0; i < m->model->nq; i++)
        if (strcmp(m->model->requirement[i].message, message) == 0) {
            m->told[i] = 1;
            unmet += is_unmet(m, i, when, MB_ADVISED);
        }
    return unmet;
}

/* Tells what is unmet in `required`, each message once. */
static void tell(mb_instance *m, mb_when when)
{
    for (int i = 0; i < m->model->nq; i++) {
        const mb_requirement *r = &m->model->requirement[i];
        if (m->told[i] || !is_unmet(m, i, when, MB_ADVISED))
            continue;
        const int others = mark_told(m, r->message, when) - 1;
        char more[32] = "";
        if (others > 0)
            snprintf(more, sizeof more, ", and %d more", others);
        mb_warn(m, "%s: %s (it is %.9g at t = %.9g s%s)", r->name, r->message, m->shown[i],
                m->now.t, more);
    }
}

static int item_available(const mb_variable *v, double value)
{
    return value >= 1 && value <= 32 && (v->available >> ((unsigned)value - 1) & 1ul);
}

/* What must hold of the parameters alone; before any configuration is sought. */
mb_status mb_check_parameters(mb_instance *m)
{
    const mb_model *model = m->model;
    if (m->parameters_checked)
        return MB_OK;
    for (int i = 0; i < model->variables; i++) {
        const mb_variable *v = &model->variable[i];
        if (v->kind == MB_PARAMETER && v->type == MB_ENUMERATION &&
            !item_available(v, m->now.p[v->index]))
            return mb_fail(m,
                           "item %.0f of %s is not available in this FMU (t = %.9g s); the items' "
                           "descriptions in the model description say which are",
                           m->now.p[v->index], v->name, m->now.t);
    }
    const mb_status status = check(m, MB_OF_PARAMETERS);
    if (status)
        return status;
    tell(m, MB_OF_PARAMETERS);
    m->parameters_checked = 1;
    return MB_OK;
}

/* What must hold at the first configuration. */
mb_status mb_check_start(mb_instance *m)
{
    const mb_status status = check(m, MB_AT_START);
    if (!status)
        tell(m, MB_AT_START);
    return status;
}

/* What must hold while the model runs; needs a configuration. */
mb_status mb_check(mb_instance *m)
{
    if (m->fresh & MB_CHECKED)
        return MB_OK;
    const mb_status status = check(m, MB_ALWAYS);
    if (!status)
        m->fresh |= MB_CHECKED;
    return status;
}

/* Tells what a checked point that is accepted lacks. */
void mb_tell(mb_instance *m)
{
    tell(m, MB_ALWAYS);
    mb_tell_limits(m);
}
