/* Going on from step to step, as long as nothing may have happened in one. */
#include "mb_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mb_tolerances.h"

/* Whether a conditioning measure has been small, or much smaller than elsewhere in the step. */
static int may_be_singular(const mb_flow *f)
{
    for (int i = 0; i < f->analysis->m->model->nr; i++) {
        const double low = f->lowest[i];
        if (!(low >= MB_STEADY * f->highest[i] && low >= MB_NEARLY_SINGULAR * f->largest[i] &&
              low > MB_SINGULAR))
            return 1;
    }
    return 0;
}

static int meets_requirements(const mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    const mb_model *model = m->model;
    if (!model->nq)
        return 1;
    mb_run(m, &model->require, f->at, m->required, m->requirement_value);
    for (int i = 0; i < model->nq; i++) {
        const mb_requirement *r = &model->requirement[i];
        const int asked = r->severity == MB_VIOLATION_IS_ERROR && r->when != MB_AT_START;
        if (asked && !(m->required[i] > 0))
            return 0;
    }
    return 1;
}

/* Whether closed gaps, or held slips, are further from zero than is tolerated. */
static int has_drifted(const mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    const mb_model *model = m->model;
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

/* Fills the indicators with their band, positive where the mode is right, at parts of the step. */
static int fill_indicators(mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    const mb_model *model = m->model;
    for (int k = 0; k <= f->parts; k++) {
        const double part = (double)k / f->parts;
        double *to = f->indicator + k * model->ne, *s = f->raw;
        if (f->collocation)
            mb_collocation_between(f, part, s);
        else
            mb_explicit_between(f, part, s);
        if (!mb_flow_go_to(f, f->t - (1 - part) * f->last, s))
            return 0;
        mb_run(m, &model->indicator, f->at, to, NULL);
        for (int i = 0; i < model->ne; i++)
            to[i] = (f->at->d[i] > 0.5 ? to[i] : -to[i]) + model->band[i];
    }
    return 1;
}

/* Whether an indicator is negative at a part of the step, or may be between two. */
static int may_have_event(mb_flow *f)
{
    const int ne = f->analysis->m->model->ne;
    if (!ne)
        return 0;
    if (!f->collocation && !mb_explicit_dense(f, 0))
        return 1;
    if (!fill_indicators(f))
        return 1;
    for (int i = 0; i < ne; i++)
        for (int k = 0; k <= f->parts; k++) {
            const double *here = f->indicator + k * ne + i;
            if (!(*here >= 0))
                return 1;
            if (k > 0 && k < f->parts && here[0] <= here[-ne] && here[0] < here[ne])
                return 1;
        }
    return 0;
}

/* Whether the host must examine the last step, at whose end the point is: the search for events and
 * singular places is implemented once, in mbcore/evaluation/. */
static int is_doubtful(mb_flow *f)
{
    return may_be_singular(f) || !meets_requirements(f) || has_drifted(f) || may_have_event(f);
}

/* Makes the point at the end of the last step the one from which configurations are sought. */
static void accept_end(mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    const int nr = m->model->nr;
    mb_copy_point(m->model, f->origin, f->at);
    if (nr)
        mb_run(m, &m->model->conditioning, f->at, m->other_measure, NULL);
    for (int i = 0; i < nr; i++) {
        const double measure = m->other_measure[i], size = fabs(measure);
        f->branch[i] = (measure > 0) - (measure < 0);
        f->size[i] = f->lowest[i] = f->highest[i] = size;
        f->largest[i] = fmax(f->largest[i], size);
    }
}

/* Notes begin, end and polynomial of the last step, whose interpolant has been made, for the host;
 * returns whether there was room. */
static int note_step(mb_flow *f)
{
    const int n = mb_flow_states(f), size = mb_flow_size(f);
    const int rows = f->collocation ? f->collocation->stages + 1 : f->explicit_steps->terms + 1;
    const long count = 2 + (long)rows * n;
    mb_list *list = &f->noted;
    if (list->count + count > list->room) {
        const long room = 2 * list->room + f->most_steps * count;
        double *larger = realloc(list->value, (size_t)room * sizeof(double));
        if (!larger)
            return 0;
        list->value = larger;
        list->room = room;
    }
    double *to = list->value + list->count;
    list->count += count;
    *to++ = f->origin->t;
    *to++ = f->t;
    for (int k = 0; k < rows; k++, to += n) {
        const double *from = f->collocation || !k ? f->step + k * size : f->term + (k - 1) * size;
        memcpy(to, from, (size_t)n * sizeof(double));
    }
    return 1;
}

/* Goes on, and comes back with a last step that has not been accepted. */
MB_EXPORT int mb_flow_run(mb_flow *f)
{
    f->ended = 0;
    f->noted.count = 0;
    for (int step = 1;; step++) {
        f->dense_known = 0;
        const int why = f->collocation ? mb_collocation_step(f) : mb_explicit_step(f);
        if (why != MB_FLOW_STEPPED)
            return why;
        const int doubtful = is_doubtful(f);
        if (f->ended)
            return MB_FLOW_ENDED;
        if (doubtful)
            return MB_FLOW_TO_EXAMINE;
        if (step == f->most_steps || !(f->t < f->until))
            return MB_FLOW_STEPPED;
        if (f->recorded && !f->collocation && !mb_explicit_dense(f, 0))
            return f->ended ? MB_FLOW_ENDED : MB_FLOW_TO_EXAMINE;
        if (f->recorded && !note_step(f))
            return MB_FLOW_NO_MEMORY;
        /* only the search for events, and the interpolant, have left the end */
        if ((f->at->t != f->t || f->dense_known) && !mb_flow_go_to(f, f->t, f->y))
            return f->ended ? MB_FLOW_ENDED : MB_FLOW_TO_EXAMINE;
        accept_end(f);
    }
}

/* Begins at the present values. */
MB_EXPORT int mb_flow_begin(mb_flow *f)
{
    f->ended = f->dense_known = 0;
    f->last = 0;
    return f->collocation ? mb_collocation_begin(f) : mb_explicit_begin(f);
}

/* Makes the interpolant of the last explicit step for all values; returns whether it could. */
MB_EXPORT int mb_flow_dense(mb_flow *f)
{
    f->ended = 0;
    return mb_explicit_dense(f, 1);
}

MB_EXPORT void mb_flow_close(mb_flow *f)
{
    if (!f)
        return;
    free(f->block);
    free(f->pivot);
    free(f->noted.value);
    free(f);
}

/* Lays out the arrays that a method needs, in one block. */
static int make_room(mb_flow *f)
{
    const mb_model *model = f->analysis->m->model;
    const size_t n = (size_t)mb_flow_states(f), size = (size_t)mb_flow_size(f);
    const size_t implicit = f->collocation ? 1 : 0, varied = (size_t)f->varied;
    const size_t s = implicit ? (size_t)f->collocation->stages : 1, sn = s * n;
    const size_t all = implicit ? 0 : (size_t)f->explicit_steps->all;
    const size_t terms = implicit ? 0 : (size_t)f->explicit_steps->terms;
    const size_t columns = f->columns > 0 ? (size_t)f->columns : 1;
    struct {
        double **place;
        size_t count;
    } const part[] = {{&f->y, size},
                      {&f->step, (s + 1) * size},
                      {&f->trial, (s + 1) * size},
                      {&f->term, terms * size},
                      {&f->rate, n},
                      {&f->jacobian, n * n},
                      {&f->added, n * varied},
                      {&f->stage_jacobian, sn * n},
                      {&f->stage_added, sn * varied},
                      {&f->moved, sn},
                      {&f->stage_rate, sn + all * size},
                      {&f->change, sn},
                      {&f->raw, n},
                      {&f->last_rate, n},
                      {&f->system, implicit * sn * sn},
                      {&f->filter, implicit * n * n},
                      {&f->right, implicit * sn * columns},
                      {&f->weight, s + 1},
                      {&f->indicator, (size_t)((f->parts + 1) * model->ne)}};
    const size_t parts = sizeof part / sizeof *part;
    size_t whole = 1;
    for (size_t k = 0; k < parts; k++)
        whole += part[k].count;
    double *place = f->block = calloc(whole, sizeof(double));
    f->pivot = calloc(sn + 1, sizeof(int));
    if (!place || !f->pivot)
        return 0;
    for (size_t k = 0; k < parts; k++) {
        *part[k].place = place;
        place += part[k].count;
    }
    return 1;
}

/* What integrates by one of both methods, with so many columns, -1 for no derivative, of which the
 * last ones are by values; NULL where there is not enough memory. */
MB_EXPORT mb_flow *mb_flow_open(mb_analysis *analysis, const mb_collocation *collocation,
                                const mb_explicit *explicit_steps, int columns, int varied, int parts)
{
    mb_flow *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->analysis = analysis;
    f->collocation = collocation;
    f->explicit_steps = explicit_steps;
    f->columns = columns;
    f->varied = varied;
    f->parts = parts;
    if (!make_room(f)) {
        mb_flow_close(f);
        return NULL;
    }
    return f;
}
