/* Whether the accelerations of `now` obey virtual power, to the digits that they need: what is left of
 * it, in parts of the sizes of its terms, times the amplification by the block that is nearest to
 * singular. A part of each sum comes with it, and mostly says that all is well; else the sizes of all
 * terms are calculated. Several errors may cancel in what is left over as far as a block is singular,
 * which overrates most of them: one step of refinement then decides. Digits are lost as measures vanish,
 * so that steps at which these stay are not all checked.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mb_evaluation.h"
#include "mb_tolerances.h"

enum { MOST_NAMES = 200 /* characters */ };

/* The smallest of a point's measures of blocks, and which block that is; 1 without any. */
static double nearest_block(const double *measure, int *block)
{
    double least = 1;
    *block = -1;
    for (int i = MB_MODEL->limits; i < MB_MODEL->nr; i++)
        if (!(fabs(measure[i]) >= least)) {
            least = fabs(measure[i]);
            *block = i;
        }
    return fmax(least, MB_NEARLY_SINGULAR);
}

/* Whether less is left of the virtual power of a degree of freedom than its accelerations lose. */
static inline int obeys(const mb_instance *m, int dof, double share)
{
    return fabs(m->power[dof]) <= share * m->power_size[dof];
}

static int all_obey(const mb_instance *m, double share)
{
    for (int i = 0; i < MB_MODEL->nf; i++)
        if (!obeys(m, i, share))
            return 0;
    return 1;
}

/* Names the degrees of freedom, by the states of their rates, whose accelerations are lost. */
static void list_lost(const mb_instance *m, double share, char *to, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < MB_MODEL->nf; i++) {
        const char *name = mb_name_of(MB_MODEL, MB_STATE, i);
        if (obeys(m, i, share) || used + strlen(name) + 3 >= size)
            continue;
        snprintf(to + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        used = strlen(to);
    }
}

/* Lets the next step be checked. */
void mb_forget_power(mb_instance *m) { m->unchecked_steps = MB_CHECKED_STEPS - 1; }

/* What is left over most, in parts of the sizes of its terms. */
static double largest_share(const mb_instance *m)
{
    double largest = 0;
    for (int i = 0; i < MB_MODEL->nf; i++)
        largest = fmax(largest, fabs(m->power[i]) / m->power_size[i]);
    return largest;
}

/* Whether accelerations at a point, where more may be left over than a share of what its terms add up
 * to, are wrong by too much. */
static MB_SELDOM int are_lost(mb_instance *m, const mb_point *at, double share)
{
    mb_run(m, &MB_MODEL->power_size, at, m->power_size, NULL);
    if (all_obey(m, share))
        return 0;
    mb_run(m, &MB_MODEL->power_error, at, &m->power_error, NULL);
    return !(m->power_error <= MB_LOST);
}

static MB_SELDOM mb_status fail_lost(mb_instance *m, double share)
{
    char names[MOST_NAMES] = "", near[MOST_NAMES] = "";
    int block;
    list_lost(m, share, names, sizeof names);
    const double measure = nearest_block(m->conditioning, &block);
    if (block >= 0)
        snprintf(near, sizeof near, "; nearest to singular is %s (conditioning %.2g of 1)",
                 MB_MODEL->measure_name[block], measure);
    return mb_fail(m,
                   "the accelerations at t = %.9g s have lost accuracy: they are wrong by about "
                   "%.2g of the largest one, and %.2g of the virtual power is left over, for "
                   "%s%s; export the model with other degrees of freedom, or keep away from it",
                   m->now.t, m->power_error, largest_share(m), names, near);
}

/* Whether a measure has fallen since accelerations were last checked, or enough steps have been made
 * since then; then they are checked now. */
static int is_due(const double *measure, double *watched, int *unchecked_steps)
{
    int due = ++*unchecked_steps >= MB_CHECKED_STEPS;
    for (int i = MB_MODEL->limits; !due && i < MB_MODEL->nr; i++)
        due = !(fabs(measure[i]) >= MB_WATCHED * watched[i]);
    for (int i = 0; due && i < MB_MODEL->nr; i++)
        watched[i] = fabs(measure[i]);
    *unchecked_steps = due ? 0 : *unchecked_steps;
    return due;
}

/* Fails if the accelerations of `now`, which has been measured, are due and are lost. */
mb_status mb_check_power(mb_instance *m)
{
    int block;
    if (MB_MODEL->nf == 0 || !MB_MODEL->virtual_power.call ||
        !is_due(m->conditioning, m->watched, &m->unchecked_steps))
        return MB_OK;
    if (m->cached_part && m->fresh & MB_CACHED)
        mb_call_at(m, &MB_MODEL->virtual_power, &m->now, m->power, m->power_size);
    else
        mb_run(m, &MB_MODEL->virtual_power, &m->now, m->power, m->power_size);
    const double share = MB_REFINED_FROM * nearest_block(m->conditioning, &block);
    if (all_obey(m, share))
        return MB_OK;
    mb_forget_power(m); /* the next step is checked, and another attempt of this one */
    return are_lost(m, &m->now, share) ? fail_lost(m, share) : MB_OK;
}

/* Whether the accelerations at a step's end are due, as what has been checked says, and are lost. */
int mb_has_lost_power(mb_instance *m, const mb_point *at, mb_checked_power *checked)
{
    int block;
    if (MB_MODEL->nf == 0 || !MB_MODEL->virtual_power.call)
        return 0;
    if (MB_MODEL->nr)
        mb_run(m, &MB_MODEL->conditioning, at, m->other_measure, NULL);
    if (!is_due(m->other_measure, checked->watched, &checked->steps_since))
        return 0;
    const double share = MB_REFINED_FROM * nearest_block(m->other_measure, &block);
    mb_run(m, &MB_MODEL->virtual_power, at, m->power, m->power_size);
    if (all_obey(m, share))
        return 0;
    checked->steps_since = MB_CHECKED_STEPS - 1;
    return are_lost(m, at, share);
}
