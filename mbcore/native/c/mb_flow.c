/* Going on from step to step, through events, as long as nothing else may have happened in one. */
#include "mb_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mb_tolerances.h"

/* Whether a conditioning measure has been small, or much smaller than elsewhere in the step. */
static int may_be_singular(const mb_flow *f)
{
    for (int i = 0; i < MB_MODEL->nr; i++) {
        const double low = f->lowest[i];
        if (!(low >= MB_STEADY * f->highest[i] && low >= MB_NEARLY_SINGULAR * f->largest[i] &&
              low > MB_SINGULAR))
            return 1;
    }
    return 0;
}

/* Whether closed gaps, or held slips, are further from zero than is tolerated. */
static int has_drifted(const mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    const mb_model *model = MB_MODEL;
    int held = 0;
    for (int i = 0; i < model->ne; i++)
        held |= (model->kind[i] == MB_CLOSED_CONTACT || model->kind[i] == MB_HELD_SLIP) &&
                f->at->d[i] > 0.5;
    if (!held)
        return 0;
    double drift = 0;
    mb_run(m, &model->project, f->at, m->new_state, &drift);
    return !(drift <= 1);
}

/* Whether the host must examine the last step, at whose end the point is: the search for singular
 * places is implemented once, in mbcore/evaluation/, and so is the error of lost accelerations. */
static int is_doubtful(mb_flow *f)
{
    return may_be_singular(f) || !mb_flow_meets_requirements(f) || has_drifted(f) ||
           mb_has_lost_power(f->analysis->m, f->at, &f->power);
}

/* Accepts the end of the last step, from which the next one begins. */
static int go_on(mb_flow *f)
{
    if (f->recorded && !f->collocation && !mb_explicit_dense(f, f->recorded == MB_RECORD_ALL))
        return f->ended ? MB_FLOW_ENDED : MB_FLOW_TO_EXAMINE;
    if (f->recorded && !mb_flow_note(f, f->t))
        return MB_FLOW_NO_MEMORY;
    /* only the search for events, and the interpolant, have left the end */
    if ((f->at->t != f->t || f->dense_known) && !mb_flow_go_to(f, f->t, f->y))
        return f->ended ? MB_FLOW_ENDED : MB_FLOW_TO_EXAMINE;
    mb_flow_accept(f);
    return MB_FLOW_STEPPED;
}

/* Begins at the present values. */
MB_EXPORT int mb_flow_begin(mb_flow *f)
{
    f->ended = f->dense_known = 0;
    f->last = 0;
    f->power.steps_since = MB_CHECKED_STEPS - 1; /* the first one is checked */
    for (int c = 0; c < f->columns; c++)
        f->value_of[c] = c < f->starts ? -1 : f->value[c - f->starts];
    return f->collocation ? mb_collocation_begin(f) : mb_explicit_begin(f);
}

/* Goes on, and comes back with a last step that has not been accepted, or behind an event. */
MB_EXPORT int mb_flow_run(mb_flow *f)
{
    f->ended = 0;
    f->noted.count = f->happened.count = 0;
    f->jumps = 1;
    for (int step = 1;; step++) {
        f->dense_known = 0;
        int why = f->collocation ? mb_collocation_step(f) : mb_explicit_step(f);
        if (why != MB_FLOW_STEPPED)
            return why;
        why = is_doubtful(f) ? MB_FLOW_TO_EXAMINE : mb_flow_pass_event(f);
        if (f->ended)
            return MB_FLOW_ENDED;
        f->steps = why == MB_FLOW_JUMPED ? 0 : f->steps + 1;
        const int last = step >= f->most_steps || !(f->t < f->until);
        if (why == MB_FLOW_JUMPED && !last && mb_flow_begin(f) == MB_FLOW_STEPPED)
            continue;
        if (why != MB_FLOW_STEPPED || last)
            return f->ended ? MB_FLOW_ENDED : why;
        if ((why = go_on(f)))
            return why;
    }
}

/* Makes the interpolant of the last step for all values; returns whether it could. */
MB_EXPORT int mb_flow_dense(mb_flow *f)
{
    f->ended = 0;
    return f->collocation || mb_explicit_dense(f, 1);
}

MB_EXPORT void mb_flow_close(mb_flow *f)
{
    if (!f)
        return;
    free(f->block);
    free(f->pivot);
    free(f->value_of);
    free(f->noted.value);
    free(f->happened.value);
    free(f);
}

/* Lays out the arrays that a method needs, in one block. */
static int make_room(mb_flow *f)
{
    const mb_model *model = MB_MODEL;
    const size_t n = (size_t)mb_flow_states(f), size = (size_t)mb_flow_size(f);
    const size_t implicit = f->collocation ? 1 : 0, varied = (size_t)f->varied;
    const size_t s = implicit ? (size_t)f->collocation->stages : 1, sn = s * n;
    const size_t all = implicit ? 0 : (size_t)f->explicit_steps->all;
    const size_t terms = implicit ? 0 : (size_t)f->explicit_steps->terms;
    const size_t columns = f->columns > 0 ? (size_t)f->columns : 1;
    const size_t nu = (size_t)model->nu, nd = (size_t)model->nd, directions = n + 1 + varied;
    mb_passage *p = &f->passage;
    const mb_part part[] = {
        {&f->y, size}, {&f->step, (s + 1) * size}, {&f->trial, (s + 1) * size},
        {&f->term, terms * size}, {&f->weight, s + 1}, {&f->stage_rate, sn + all * size},
        {&f->rate, n}, {&f->raw, n}, {&f->last_rate, n}, {&p->before, n}, {&p->after, n}, {&p->jump, n},
        {&f->moved, sn}, {&f->change, sn}, {&f->stage_jacobian, sn * n}, {&f->stage_added, sn * varied},
        {&f->jacobian, n * n}, {&p->matrix, n * n}, {&p->factors, n * n}, {&f->added, n * varied},
        {&f->system, implicit * sn * sn}, {&f->filter, implicit * n * n},
        {&f->right, implicit * sn * columns}, {&f->power.watched, (size_t)model->nr},
        {&f->indicator, (size_t)((f->parts + 1) * model->ne)}, {&p->modes, nd}, {&p->set, nd},
        {&p->slope, 2 * nu}, {&f->given, nu}, {&p->through, n * directions}, {&p->new_through, n * directions},
        {&p->crossing, directions}, {&p->other, directions},
    };
    f->block = mb_lay_out(part, sizeof part / sizeof *part);
    f->pivot = calloc(sn + 1, sizeof(int));
    f->value_of = calloc(columns, sizeof(int));
    return f->block && f->pivot && f->value_of;
}

/* What integrates by one of both methods, with so many columns, -1 for no derivative, of which the
 * last ones are by values, and so many remembered numbers; NULL where there is not enough memory. */
MB_EXPORT mb_flow *mb_flow_open(mb_analysis *analysis, const mb_collocation *collocation,
                                const mb_explicit *explicit_steps, int columns, int varied,
                                int numbers, int parts)
{
    mb_flow *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->analysis = analysis;
    f->collocation = collocation;
    f->explicit_steps = explicit_steps;
    f->columns = columns;
    f->starts = columns < 0 ? 0 : columns - varied;
    f->varied = varied;
    f->numbers = numbers;
    f->parts = parts;
    if (!make_room(f)) {
        mb_flow_close(f);
        return NULL;
    }
    return f;
}
