/* Values that two variables decide, until initialization ends: an enumeration and its integer selector,
 * a state's start and its parameter. */
#include "mb_calculation.h"

static double *decided(mb_instance *m, const mb_choice *c)
{
    return (c->kind == MB_STATE ? m->now.s : m->now.p) + c->index;
}

/* What was set at each variable itself is what it starts with. */
void mb_start_choices(mb_instance *m)
{
    for (int i = 0; i < m->model->choices; i++) {
        const mb_choice *c = &m->model->choice[i];
        m->now.p[c->own] = *decided(m, c);
    }
}

/* Where a value goes that is set at a variable of which others decide too, or NULL. */
double *mb_own_slot(mb_instance *m, mb_kind kind, int index)
{
    for (int i = 0; i < m->model->choices; i++) {
        const mb_choice *c = &m->model->choice[i];
        if (c->kind == kind && c->index == index)
            return m->now.p + c->own;
    }
    return NULL;
}

void mb_choose(mb_instance *m)
{
    const double *p = m->now.p;
    for (int i = 0; i < m->model->choices; i++) {
        const mb_choice *c = &m->model->choice[i];
        *decided(m, c) = p[c->first] != c->idle ? p[c->first] : p[c->second];
    }
}

/* Whether a state that would start at an input's value has been given another one. */
int mb_has_own_start(const mb_instance *m, int state)
{
    const double *p = m->now.p;
    for (int i = 0; i < m->model->choices; i++) {
        const mb_choice *c = &m->model->choice[i];
        if (c->kind == MB_STATE && c->index == state)
            return p[c->first] != c->idle;
    }
    return 0;
}

/* The state that starts at the value of a parameter, at present, or -1. */
int mb_started_state(const mb_instance *m, int slot)
{
    const double *p = m->now.p;
    for (int i = 0; i < m->model->choices && m->mode == MB_INITIALIZATION; i++) {
        const mb_choice *c = &m->model->choice[i];
        if (c->kind == MB_STATE && slot == (p[c->first] == c->idle ? c->second : c->first))
            return c->index;
    }
    return -1;
}
