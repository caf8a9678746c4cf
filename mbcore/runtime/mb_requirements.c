/* What must hold of a model's values: of its parameters, at the start, and while it runs. */
#include "mb_instance.h"

static mb_status violated(mb_instance *m, int requirement)
{
    const mb_requirement *r = &m->model->requirement[requirement];
    return mb_fail(m, "%s: %s (it is %.9g at t = %.9g s)", r->name, r->message,
                   m->shown[requirement], m->now.t);
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
    if (model->nq > 0)
        mb_run(m, &model->require, &m->now, m->required, m->shown);
    for (int i = 0; i < model->nq; i++)
        if (model->requirement[i].when == MB_OF_PARAMETERS && !(m->required[i] > 0))
            return violated(m, i);
    m->parameters_checked = 1;
    return MB_OK;
}

/* What must hold at the first configuration. */
mb_status mb_check_start(mb_instance *m)
{
    const mb_model *model = m->model;
    if (model->nq > 0)
        mb_run(m, &model->require, &m->now, m->required, m->shown);
    for (int i = 0; i < model->nq; i++)
        if (model->requirement[i].when == MB_AT_START && !(m->required[i] > 0))
            return violated(m, i);
    return MB_OK;
}

/* What must hold while the model runs; needs a configuration. */
mb_status mb_check(mb_instance *m)
{
    const mb_model *model = m->model;
    if (m->fresh & MB_CHECKED)
        return MB_OK;
    if (model->nq > 0)
        mb_run(m, &model->require, &m->now, m->required, m->shown);
    for (int i = 0; i < model->nq; i++)
        if (model->requirement[i].when == MB_ALWAYS && !(m->required[i] > 0))
            return violated(m, i);
    m->fresh |= MB_CHECKED;
    return MB_OK;
}
