/* What analyses ask at points that lie in the host's arrays: functions of the model, configurations,
 * starts and linearizations. Where something is not as it should be, a call returns 0, and the host
 * finds out by itself what to say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_point.h"
#include "mb_tolerances.h"

enum { MB_GIVEN = MB_EXTRA_cached /* arguments behind the point that the host gives */ };

enum { SIZES = 3 };
static const double SIZE[SIZES] = {1.0 / 3, 0.7, 1.9}; /* of variations, not powers of two */
static const double SAME = 1e-3; /* relative difference of entries that are no rounding errors */
static const double SMALL = 1e-6; /* part of a row below which an entry may be one */
static const double LAST_DIGIT = 1e-14;  /* part of a row below which it is not felt */
static const double MASSLESS = 1e-13;  /* part of a mass that counts as none */

MB_EXPORT void mb_point_close(mb_analysis *a)
{
    if (!a)
        return;
    mb_free(a->m);
    free(a->block);
    free(a);
}

static int make_room(mb_analysis *a, int functions)
{
    const mb_model *model = MB_MODEL;
    const size_t size = mb_point_size(model), nr = (size_t)model->nr, ns = (size_t)model->ns;
    const size_t nf = (size_t)model->nf, nx = (size_t)model->nx;
    int w = model->common.w > model->known_indicator.w ? model->common.w : model->known_indicator.w;
    for (int i = 0; i < functions; i++)
        w = mb_generated_functions[i].w > w ? mb_generated_functions[i].w : w;
    const size_t others = 3 * size + 4 * nr + nx + (SIZES + 1) * ns + 2 * nf * nf;
    double *place = a->block = calloc((size_t)w + others + 1, sizeof(double));
    if (!place)
        return 0;
    a->m->w = place;
    mb_lay_point(model, &a->own, place += w);
    a->own_measure = place += size;
    a->measure = place += nr;
    a->scale = place += nr;
    a->columns = place += nx;
    a->factors = place += SIZES * ns;
    a->mass = place += nf * nf;
    a->rates = place += nf * nf;
    mb_lay_point(model, &a->before, place += ns);
    mb_lay_point(model, &a->started, place += size);
    a->lowest = place += size;
    a->highest = place + nr;
    return 1;
}

/* What calls functions: of so many in the table, with these arguments behind the point. Returns
 * NULL where there is not enough memory. */
MB_EXPORT mb_analysis *mb_point_open(int functions, const double *const *extra)
{
    char message[MB_MESSAGE];
    mb_analysis *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->m = mb_create(__func__, "", mb_generated_model.token, MB_CO_SIMULATION, message);
    if (!a->m || !make_room(a, functions)) {
        mb_point_close(a);
        return NULL;
    }
    a->m->most_work = INFINITY;
    for (int k = 0; k < MB_GIVEN; k++)
        a->m->extra[k] = extra[k];
    return a;
}

/* Takes s, d, u and p, which lie behind each other. */
void mb_point_give(const mb_model *model, mb_point *at, const double *values)
{
    const size_t first = (size_t)(model->ns + model->nd + model->nu);
    memcpy(at->values, values, first * sizeof(double));
    memcpy(at->p, values + first, (size_t)model->np * sizeof(double));
}

/* Whether a function of the table is compiled. */
MB_EXPORT int mb_point_has(int number) { return mb_generated_functions[number].call != NULL; }

/* Calls a function, with a variation if it takes one. A second result that may be asked for is left
 * out where there is no place for it. */
MB_EXPORT void mb_point_call(mb_analysis *a, int number, const mb_point *at,
                             const double *variation, double *first, double *second)
{
    mb_instance *m = a->m;
    const mb_function *function = &mb_generated_functions[number];
    m->extra[MB_EXTRA_variation] = m->extra[MB_EXTRA_whole_variation] = variation;
    if (function->call == MB_MODEL->derivative.call)
        mb_run_rates(m, at, first, NULL);
    else if (function->call == MB_MODEL->change.call)
        mb_run_change(m, at, first, second);
    else
        mb_run(m, function, at, first, second);
}

static void take_scale(mb_instance *m, const double *scale)
{
    memcpy(m->scale, scale, (size_t)MB_MODEL->nx * sizeof(double));
    for (int i = 0; i < MB_MODEL->nx; i++)
        m->per_scale[i] = 1 / scale[i];
}

/* Whether measures are on the branch of these signs; notes how small and large they have been. */
static int note_on_branch(mb_instance *m, const mb_point *at, const double *branch, double *lowest,
                          double *highest)
{
    const int nr = MB_MODEL->nr;
    mb_run(m, &MB_MODEL->conditioning, at, m->other_measure, NULL);
    if (!mb_same_branch(branch, m->other_measure, nr))
        return 0;
    for (int i = 0; i < nr; i++) {
        const double size = fabs(m->other_measure[i]);
        lowest[i] = fmin(lowest[i], size);
        highest[i] = fmax(highest[i], size);
    }
    return 1;
}

/* Finds the configuration by Newton's iteration from another one, on the branch of these signs. */
MB_EXPORT int mb_point_configure(mb_analysis *a, mb_point *at, const double *from,
                                 const double *scale, const double *branch, double *lowest,
                                 double *highest)
{
    mb_instance *m = a->m;
    take_scale(m, scale);
    memcpy(at->x, from, (size_t)MB_MODEL->nx * sizeof(double));
    return mb_converge(m, at) && note_on_branch(m, at, branch, lowest, highest);
}

int mb_point_reach(mb_analysis *a, mb_point *at, const mb_point *from, const double *scale,
                   const double *branch, double *lowest, double *highest)
{
    return mb_point_configure(a, at, from->x, scale, branch, lowest, highest) ||
           (mb_reach_in_substeps(a->m, from, at) &&
            note_on_branch(a->m, at, branch, lowest, highest));
}

/* Goes from another point to this one along a line, in substeps that stay on its branch; returns whether
 * it arrives. */
MB_EXPORT int mb_point_travel(mb_analysis *a, mb_point *at, const mb_point *from,
                              const double *scale, double *lowest, double *highest)
{
    mb_instance *m = a->m;
    take_scale(m, scale);
    mb_run(m, &MB_MODEL->conditioning, from, a->measure, NULL);
    return mb_reach_in_substeps(m, from, at) && note_on_branch(m, at, a->measure, lowest, highest);
}

/* Goes through points of a motion, each sought from the one before and the first from the point
 * itself, which is accepted. Rows are time, states and inputs; configurations and outputs are written
 * for each, and `largest` grows to the largest conditioning measures. Returns how many were reached. */
MB_EXPORT long mb_point_visit(mb_analysis *a, mb_point *at, const double *scale, double *largest,
                              long count, const double *rows, double *x, double *output)
{
    mb_instance *m = a->m;
    const mb_model *model = MB_MODEL;
    const size_t nx = (size_t)model->nx * sizeof(double);
    const size_t ns = (size_t)model->ns * sizeof(double), nu = (size_t)model->nu * sizeof(double);
    mb_run(m, &model->conditioning, at, a->measure, NULL);
    for (long k = 0; k < count; k++) {
        a->before.t = at->t;
        memcpy(a->before.values, at->values, mb_point_size(model) * sizeof(double));
        at->t = *rows++;
        memcpy(at->s, rows, ns);
        rows += model->ns;
        memcpy(at->u, rows, nu);
        rows += model->nu;
        if (model->nx && !mb_point_reach(a, at, &a->before, scale, a->measure, a->lowest, a->highest))
            return k;
        mb_run(m, &model->conditioning, at, a->measure, NULL);
        for (int i = 0; i < model->nr; i++)
            largest[i] = fmax(largest[i], fabs(a->measure[i]));
        mb_run(m, &model->output, at, output, NULL);
        memcpy(x, at->x, nx);
        output += model->ny;
        x += model->nx;
    }
    return count;
}

/* Holds the degrees of freedom at many points: `held` and `held_change` are the functions' places.
 * Rows of points are time, s, d, u, p and x; changes by s, u and accelerations follow each other. */
MB_EXPORT void mb_point_hold(mb_analysis *a, mb_point *at, int held, int held_change, long count,
                             const double *rows, double *value, double *change)
{
    mb_instance *m = a->m;
    const mb_model *model = MB_MODEL;
    const int varying = model->ns + model->ny, columns = model->ns + model->nu + model->nf;
    const size_t given = mb_point_size(model) - (size_t)model->nx, nx = (size_t)model->nx;
    m->extra[MB_EXTRA_held_variation] = m->held_variation;
    for (long k = 0; k < count; k++) {
        at->t = *rows++;
        mb_point_give(model, at, rows);
        memcpy(at->x, rows + given, nx * sizeof(double));
        rows += given + nx;
        mb_run(m, &mb_generated_functions[held], at, value, NULL);
        value += varying + model->nv;
        for (int j = 0; j < columns; j++) {
            m->held_variation[j] = 1;
            mb_run(m, &mb_generated_functions[held_change], at, change, NULL);
            m->held_variation[j] = 0;
            change += varying;
        }
    }
}

static int is_required(mb_instance *m, const mb_point *at, int of_parameters)
{
    const mb_model *model = MB_MODEL;
    if (!model->nq)
        return 1;
    mb_run(m, &model->require, at, m->required, m->requirement_value);
    for (int i = 0; i < model->nq; i++) {
        const mb_requirement *r = &model->requirement[i];
        const int asked = !of_parameters || r->when == MB_OF_PARAMETERS;
        if (asked && r->severity == MB_VIOLATION_IS_ERROR && !(m->required[i] > 0))
            return 0;
    }
    return 1;
}

/* Whether the model's own values lead to another branch; their configuration is kept. */
static int is_on_own_branch(mb_analysis *a, const mb_point *own, const double *measure)
{
    mb_instance *m = a->m;
    const mb_model *model = MB_MODEL;
    const size_t given = (size_t)(model->ns + model->nd + model->nu) * sizeof(double);
    const size_t np = (size_t)model->np * sizeof(double);
    if (!a->own_known || memcmp(a->own.values, own->values, given) != 0 ||
        memcmp(a->own.p, own->p, np) != 0) {
        mb_copy_point(model, &a->own, own);
        a->own_found = mb_assemble(m, &a->own);
        mb_run(m, &model->conditioning, &a->own, a->own_measure, NULL);
        a->own_known = 1;
    }
    return !a->own_found || mb_same_branch(a->own_measure, measure, model->nr);
}

static int has_event(mb_instance *m, const mb_point *at)
{
    const mb_model *model = MB_MODEL;
    if (!model->ne)
        return 0;
    mb_run(m, &model->indicator, at, m->indicator, NULL);
    for (int i = 0; i < model->ne; i++)
        if (!(at->d[i] > 0.5) && m->indicator[i] > 0 && model->kind[i] != MB_IMPACT)
            return 1;
    return 0;
}

/* Whether some motion moves no mass, by the LU factors of M where its diagonal is scaled to one. */
static int is_massless(mb_analysis *a, const double *M)
{
    const int n = MB_MODEL->nf;
    double *f = a->factors;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double size = sqrt(fabs(M[i + n * i])) * sqrt(fabs(M[j + n * j]));
            f[i + n * j] = M[i + n * j] / (size > 0 ? size : 1);
        }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(f[i + n * k]) > fabs(f[pivot + n * k]))
                pivot = i;
        if (!(fabs(f[pivot + n * k]) > MASSLESS))
            return 1;
        for (int j = 0; j < n && pivot != k; j++) {
            const double other = f[k + n * j];
            f[k + n * j] = f[pivot + n * j];
            f[pivot + n * j] = other;
        }
        for (int i = k + 1; i < n; i++) {
            const double part = f[i + n * k] / f[k + n * k];
            for (int j = k + 1; j < n; j++)
                f[i + n * j] -= part * f[k + n * j];
        }
    }
    return 0;
}

/* Assembles a start and checks it; gives the coordinates' sizes and the conditioning measures. */
static int assembles(mb_analysis *a, mb_point *at, const mb_point *own, double *scale,
                     double *measure)
{
    mb_instance *m = a->m;
    if (!is_required(m, at, 1) || !mb_assemble(m, at))
        return 0;
    memmove(scale, m->scale, (size_t)MB_MODEL->nx * sizeof(double));
    mb_run(m, &MB_MODEL->conditioning, at, measure, NULL);
    return is_on_own_branch(a, own, measure) && is_required(m, at, 0);
}

/* Whether blocks are regular, rates finite, and every motion moves mass, which the host knows where
 * there is no function for it (a place below 0). Mass and rates are kept, for what is started is
 * linearized next. */
static int can_move(mb_analysis *a, const mb_point *at, int mass, const double *measure)
{
    mb_instance *m = a->m;
    for (int i = 0; i < MB_MODEL->nr; i++)
        if (!(fabs(measure[i]) > MB_SINGULAR))
            return 0;
    a->started_known = 0;
    mb_run_rates(m, at, a->rates, NULL);
    if (!mb_all_finite(a->rates, MB_MODEL->ns))
        return 0;
    if (mass < 0)
        return 1;
    mb_run(m, &mb_generated_functions[mass], at, a->mass, m->adjoint);
    if (is_massless(a, a->mass))
        return 0;
    mb_copy_point(MB_MODEL, &a->started, at);
    a->started_known = 1;
    return 1;
}

/* Starts where no event occurs and nothing is closed or held. `own` is the start of the model's
 * author. */
MB_EXPORT int mb_point_start(mb_analysis *a, mb_point *at, const mb_point *own, int mass,
                             double *scale, double *measure)
{
    return assembles(a, at, own, scale, measure) && !has_event(a->m, at) &&
           can_move(a, at, mass, measure);
}

/* Starts the instance at its own values, with its events. */
int mb_point_begin(mb_analysis *a, const mb_point *own, int mass)
{
    mb_instance *m = a->m;
    mb_point *at = &m->now;
    if (!assembles(a, at, own, m->scale, m->measure))
        return 0;
    if (has_event(m, at)) {
        m->extra[MB_EXTRA_fired] = m->fired; /* not the host's */
        mb_copy_point(MB_MODEL, &m->accepted, at);
        m->fresh = MB_CONFIGURED;
        mb_start_conditioning(m, m->measure);
        if (mb_start_events(m) || mb_project(m) || !is_required(m, at, 0))
            return 0;
        mb_run(m, &MB_MODEL->conditioning, at, m->measure, NULL);
    }
    return can_move(a, at, mass, m->measure);
}

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
    if (is_massless(a, into->mass))
        return 0;
    mb_run_rates(m, at, into->rates, NULL);
    return 1;
}

/* Whether an entry is what rounding leaves of a sum that vanishes: it is another one for variations
 * of other sizes, relative to these. */
static int is_rounding(double entry, const double *column, int ns)
{
    for (int k = 0; k < SIZES; k++) {
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
        for (int k = 0; doubtful && k < SIZES; k++) {
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

/* Whether something is to be warned of. */
static int has_advice(mb_instance *m, const mb_point *at)
{
    const mb_model *model = MB_MODEL;
    if (!model->nq)
        return 0;
    mb_run(m, &model->require, at, m->required, m->requirement_value);
    for (int i = 0; i < model->nq; i++)
        if (model->requirement[i].severity == MB_VIOLATION_IS_WARNING && !(m->required[i] > 0))
            return 1;
    return 0;
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
static mb_linearized place_of(const mb_linearized *all, long k, const mb_model *model)
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
        const mb_linearized here = place_of(&beside->at, k, model);
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
        const mb_linearized here = place_of(into, k, model);
        mb_point_give(model, at, values + (size_t)k * size);
        done[k] = mb_point_start(a, at, own, mass, a->scale, a->measure) &&
                  !has_advice(a->m, at) && mb_point_linearize(a, at, mass, &here) &&
                  (!beside || linearize_beside(a, at, mass, k, beside, here.rates));
    }
}
