/* Linearizations: at a point, beside it along its motion, and at many starts. */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"
#include "mb_point.h"

static const double SIZE[MB_SIZES] = {1.0 / 3, 0.7, 1.9}; /* of variations, not powers of two */
static const double SAME = 1e-3; /* relative difference of entries that are no rounding errors */
static const double SMALL = 1e-6; /* part of a row below which an entry may be one */
static const double LAST_DIGIT = 1e-14; /* part of a row below which it is not felt */

static int is_started(const mb_analysis *a, const mb_point *at)
{
    const size_t size = mb_point_size(MB_MODEL) * sizeof(double);
    return a->started_known && a->started.t == at->t &&
           !memcmp(a->started.values, at->values, size);
}

/* Gives mass and rates; returns whether every motion moves mass. */
static int take_mass(mb_analysis *a, const mb_point *at, int mass, const mb_linearized *into)
{
    mb_instance *m = a->m;
    const size_t nf = (size_t)MB_MODEL->nf, ns = (size_t)MB_MODEL->ns;
    if (is_started(a, at)) {
        memcpy(into->mass, a->mass, nf * nf * sizeof(double));
        memcpy(into->rates, a->rates, ns * sizeof(double));
        return 1;
    }
    mb_run(m, &mb_generated_functions[mass], at, into->mass, m->adjoint);
    if (mb_point_is_massless(a, into->mass))
        return 0;
    mb_run_rates(m, at, into->rates, NULL);
    return 1;
}

/* Whether an entry is what rounding leaves of a sum that vanishes: it is another one for variations
 * of other sizes, relative to these. */
static int is_rounding(double entry, const double *column, int ns)
{
    for (int k = 0; k < MB_SIZES; k++) {
        const double other = column[(size_t)k * (size_t)ns] / SIZE[k];
        if (!(fabs(entry - other) <= SAME * fabs(entry)))
            return 1;
    }
    return 0;
}

/* Fills `depends`: entries of the state matrix that are more than rounding errors. */
static void find_zeros(mb_analysis *a, const mb_linearized *into, const mb_point *at,
                       double *variation)
{
    mb_instance *m = a->m;
    const int ns = MB_MODEL->ns;
    double *row = m->rate_rate; /* largest change of each rate by a nominal change of a state */
    for (int i = 0; i < ns; i++) {
        row[i] = 0;
        for (int j = 0; j < ns; j++)
            row[i] = fmax(row[i], fabs(into->rate[i + ns * j]) * into->nominal[j]);
    }
    for (int j = 0; j < ns; j++) {
        const double *entry = into->rate + ns * j;
        unsigned char *depends = into->depends + ns * j;
        int doubtful = 0;
        for (int i = 0; i < ns; i++) {
            const double change = fabs(entry[i]) * into->nominal[j];
            depends[i] = change > LAST_DIGIT * row[i];
            doubtful |= depends[i] && change < SMALL * fmax(row[i], into->nominal[i]);
        }
        for (int k = 0; doubtful && k < MB_SIZES; k++) {
            variation[j] = SIZE[k];
            mb_run_change(m, at, a->columns + k * ns, NULL);
        }
        variation[j] = 0;
        for (int i = 0; doubtful && i < ns; i++) {
            const double change = fabs(entry[i]) * into->nominal[j];
            if (change < SMALL * fmax(row[i], into->nominal[i]) &&
                is_rounding(entry[i], a->columns + i, ns))
                depends[i] = 0;
        }
    }
}

/* Linearizes at a point where nothing is closed or held. `mass` is the function's place. */
MB_EXPORT int mb_point_linearize(mb_analysis *a, const mb_point *at, int mass,
                                 const mb_linearized *into)
{
    mb_instance *m = a->m;
    const mb_model *model = MB_MODEL;
    const int ns = model->ns, nu = model->nu, ny = model->ny;
    double *variation = m->variation;
    for (int i = 0; i < model->ne; i++)
        if (at->d[i] > 0.5 && (model->kind[i] == MB_CLOSED_CONTACT || model->kind[i] == MB_HELD_SLIP))
            return 0;
    if (!take_mass(a, at, mass, into))
        return 0;
    m->extra[MB_EXTRA_variation] = variation;
    for (int j = 0; j < ns + nu; j++) {
        const int place = j < ns ? j : j + 1; /* behind the states there is the time */
        variation[place] = 1;
        mb_run_change(m, at, into->rate + ns * j, into->output ? into->output + ny * j : NULL);
        variation[place] = 0;
    }
    find_zeros(a, into, at, variation);
    return 1;
}

/* Goes along the motion from a point by a step of the classical Runge-Kutta method; returns whether
 * there are configurations on the way. */
static int go_along(mb_analysis *a, mb_point *at, const mb_point *from, double h)
{
    const struct mb_tableau *tableau = mb_method_classical.tableau;
    mb_instance *m = a->m;
    const int stages = tableau->stages;
    for (int j = 0; j <= stages; j++) {
        const double *weight = tableau->a + j * stages;
        at->t = from->t + (j < stages ? tableau->c[j] : 1) * h;
        for (int i = 0; i < MB_MODEL->ns; i++) {
            double sum = 0;
            for (int k = 0; k < j; k++)
                sum += weight[k] * m->stage[k][i];
            at->s[i] = from->s[i] + h * sum;
        }
        if (MB_MODEL->nx &&
            !mb_point_reach(a, at, from, a->scale, a->measure, a->lowest, a->highest))
            return 0;
        if (j < stages)
            mb_run_rates(m, at, m->stage[j], NULL);
    }
    return 1;
}

/* The place of one of many linearizations. */
static mb_linearized place_of_one(const mb_linearized *all, long k, const mb_model *model)
{
    const size_t n = (size_t)k, ns = (size_t)model->ns, columns = (size_t)(model->ns + model->nu);
    mb_linearized one = *all;
    one.rate += n * ns * columns;
    if (one.output)
        one.output += n * (size_t)model->ny * columns;
    one.mass += n * (size_t)(model->nf * model->nf);
    one.rates += n * ns;
    one.depends += n * ns * ns;
    return one;
}

/* Linearizes beside a point that has been linearized, where its motion turns; returns whether that was
 * possible. */
static int linearize_beside(mb_analysis *a, mb_point *at, int mass, long point, const mb_beside *beside,
                            const double *rates)
{
    const mb_model *model = MB_MODEL;
    int turns = 0, possible = 1;
    for (int i = 0; i < model->ns; i++)
        turns |= !(fabs(rates[i]) <= beside->rest);
    beside->turns[point] = (unsigned char)turns;
    mb_copy_point(model, &a->before, at);
    for (int i = 0; turns && possible && i < beside->count; i++) {
        const long k = point * beside->count + i;
        const mb_linearized here = place_of_one(&beside->at, k, model);
        possible = go_along(a, at, &a->before, beside->share[i] * beside->span[point]) &&
                   mb_point_linearize(a, at, mass, &here);
        memcpy(beside->state + k * model->ns, at->s, (size_t)model->ns * sizeof(double));
    }
    mb_copy_point(model, at, &a->before);
    return possible;
}

/* Starts and linearizes at many points of one time, whose values (s, d, u, p) lie behind each other,
 * and so do the results. `done` tells at which of them all is well, without a warning. Linearizes
 * `beside` them, too, unless that is NULL. */
MB_EXPORT void mb_point_map(mb_analysis *a, mb_point *at, const mb_point *own, int mass, long count,
                            const double *values, const mb_linearized *into,
                            const mb_beside *beside, unsigned char *done)
{
    const mb_model *model = MB_MODEL;
    const size_t size = mb_point_size(model) - (size_t)model->nx;
    for (long k = 0; k < count; k++) {
        const mb_linearized here = place_of_one(into, k, model);
        mb_point_give(model, at, values + (size_t)k * size);
        done[k] = mb_point_start(a, at, own, mass, a->scale, a->measure) &&
                  mb_point_meets(a->m, at, MB_VIOLATION_IS_WARNING, MB_AT_ANY_TIME) &&
                  mb_point_linearize(a, at, mass, &here) &&
                  (!beside || linearize_beside(a, at, mass, k, beside, here.rates));
    }
}
