/* Start values that follow from others.
 *
 * Until initialization ends, two variables may determine one value: an enumeration and its integer
 * selector, a state's start and its parameter. And states may start at an input's value. What was
 * set at each variable is stored in a slot of its own, so that the order of calls does not
 * matter.
 */
#include <math.h>

#include "mb_calls.h"

/* Whether events at the start may change states. */
static int may_hold(const mb_model *model)
{
    for (int i = 0; i < model->ne && model->contacts > 0; i++)
        if (model->kind[i] == MB_HELD_SLIP)
            return 1;
    return 0;
}

/* Brings states to where they start: in Initialization Mode, events there may change them. */
mb_status mb_provide_states(mb_instance *m)
{
    if (m->mode != MB_INITIALIZATION || !may_hold(MB_MODEL))
        return MB_OK;
    mb_prepare_undo(m);
    return mb_initialize(m);
}

static double *decided(mb_instance *m, const mb_choice *c)
{
    return (c->kind == MB_STATE ? m->now.s : m->now.p) + c->index;
}

/* What decides a value that two variables may determine, or NULL. */
const mb_choice *mb_choice_of(const mb_model *model, mb_kind kind, int index)
{
    for (int i = 0; i < model->choices; i++)
        if (model->choice[i].kind == kind && model->choice[i].index == index)
            return &model->choice[i];
    return NULL;
}

/* The slot for a value set at a variable that another one may override, or NULL. */
double *mb_own_slot(mb_instance *m, mb_kind kind, int index)
{
    const mb_choice *c = mb_choice_of(MB_MODEL, kind, index);
    return c ? m->now.p + c->own : NULL;
}

/* Lets what has been set decide the values that two variables may determine. */
void mb_choose(mb_instance *m)
{
    const double *p = m->now.p;
    for (int i = 0; i < MB_MODEL->choices; i++) {
        const mb_choice *c = &MB_MODEL->choice[i];
        *decided(m, c) = p[c->first] != c->idle ? p[c->first] : p[c->second];
    }
}

/* Whether a state that would start at an input's value has been given another one. */
static int has_own_start(const mb_instance *m, int state)
{
    const mb_choice *c = mb_choice_of(MB_MODEL, MB_STATE, state);
    return c && m->now.p[c->first] != c->idle;
}

/* The state that starts at the value of a parameter, at present, or -1. */
int mb_started_state(const mb_instance *m, int slot)
{
    const double *p = m->now.p;
    for (int i = 0; i < MB_MODEL->choices && m->mode == MB_INITIALIZATION; i++) {
        const mb_choice *c = &MB_MODEL->choice[i];
        if (c->kind == MB_STATE && slot == (p[c->first] == c->idle ? c->second : c->first))
            return c->index;
    }
    return -1;
}

/* The value of an input in the model's formulas: limited to its range. */
double mb_effective_input(const mb_instance *m, int input)
{
    const double value = m->now.u[input];
    const mb_variable *v = mb_row_of(MB_MODEL, MB_INPUT, input);
    return v ? fmin(fmax(value, v->minimum), v->maximum) : value;
}

/* States that start at an input's value take it while start values may still change, unless a start
 * value of their own has been set. */
void mb_start_at_inputs(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->input_starts; i++) {
        const mb_input_start *start = &MB_MODEL->input_start[i];
        double *own = mb_own_slot(m, MB_STATE, start->state);
        *(own ? own : m->now.s + start->state) = mb_effective_input(m, start->input);
    }
    mb_choose(m);
}

/* Some tools set inputs after initialization: until the first step, or Continuous-Time Mode, begins,
 * such states take the present values of their inputs. */
void mb_follow_inputs(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->input_starts && !m->begun; i++) {
        const mb_input_start *start = &MB_MODEL->input_start[i];
        const double value = mb_effective_input(m, start->input);
        if (has_own_start(m, start->state) || m->now.s[start->state] == value)
            continue;
        m->now.s[start->state] = value;
        m->fresh = 0;
    }
}

/* The input at whose value a state starts, or -1. */
int mb_start_input(const mb_model *model, int state)
{
    for (int i = 0; i < model->input_starts; i++)
        if (model->input_start[i].state == state)
            return model->input_start[i].input;
    return -1;
}
