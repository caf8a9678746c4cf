/* The check of accelerations by virtual power, as mb_virtual_power.c has it for one instance. All lanes are
 * checked together.
 */
#ifndef MB_BATCH_POWER_H
#define MB_BATCH_POWER_H

#include "mb_batch_lanes.h"

/* Whether a measure has fallen in some lane since the lanes were last checked, or enough steps were made. */
static int mb_power_is_due(mb_lanes *l, mb_mask where)
{
    const mb_model *n = l->model;
    mb_mask fallen = {0};
    for (int i = n->limits; i < n->nr; i++)
        fallen |= where & ~(mb_magnitude(l->measure[i]) >= MB_WATCHED * l->watched[i]);
    if (++l->unchecked < MB_CHECKED_STEPS && !mb_any(fallen))
        return 0;
    l->unchecked = 0;
    for (int i = 0; i < n->nr; i++)
        l->watched[i] = mb_choose(where, mb_magnitude(l->measure[i]), l->watched[i]);
    return 1;
}

/* Where more is left of a virtual power than this share of what its terms add up to, or of a part of them. */
static mb_mask mb_disobeys(const mb_lanes *l, mb_lane share, mb_mask where)
{
    mb_mask obeys = where;
    for (int i = 0; i < l->model->nf; i++)
        obeys &= mb_magnitude(l->power[i]) <= share * l->power_part[i];
    return where & ~obeys;
}

/* Where accelerations at the end of a step have lost accuracy; the host decides by a step of
 * refinement. */
static mb_mask mb_lost_lanes(mb_lanes *l, mb_mask where)
{
    const mb_model *n = l->model;
    mb_instance *m = l->a->m;
    mb_lane nearest = mb_all(1), *results[4] = {l->power, l->power_part};
    if (n->nf == 0 || !mb_any(where) || !mb_power_is_due(l, where))
        return (mb_mask){0};
    for (int i = n->limits; i < n->nr; i++)
        nearest = mb_smaller(nearest, mb_magnitude(l->measure[i]));
    nearest = mb_larger(nearest, mb_all(MB_NEARLY_SINGULAR));
    mb_call_lanes(l, mb_lane_power, results);
    const mb_mask doubtful = mb_disobeys(l, MB_REFINED_FROM * nearest, where);
    if (!mb_any(doubtful))
        return doubtful;
    for (int i = 0; i < MB_LANES; i++)
        if (doubtful[i]) {
            mb_take_out(l, i, l->t[i], l->s, l->x);
            mb_run(m, &n->power_size, &m->now, m->power_size, NULL);
            mb_to_lane(l->power_part, m->power_size, n->nf, i);
        }
    return mb_disobeys(l, MB_REFINED_FROM * nearest, doubtful);
}

#endif
