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

static const double NEAR_BY = 1e-12;   /* relative distance of a point at which zeros are tested */
static const double SAME = 0.1;        /* relative difference there of what is no rounding error */
static const double ROUNDED = 1e-6;    /* part of a row below which an entry may be rounding */
static const double LAST_DIGIT = 1e-14; /* part of a row below which an entry is not felt */
static const double MASSLESS = 1e-13;  /* part of a mass that counts as none */

static void lay_point(const mb_model *model, mb_point *point, double *values)
{
    point->values = point->s = values;
    point->d = point->s + model->ns;
    point->u = point->d + model->nd;
    point->p = point->u + model->nu;
    point->x = point->p + model->np;
}

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
    const mb_model *model = a->m->model;
    const size_t size = mb_point_size(model), nr = (size_t)model->nr, ns = (size_t)model->ns;
    const size_t nf = (size_t)model->nf;
    int w = model->common.w;
    for (int i = 0; i < functions; i++)
        w = mb_generated_functions[i].w > w ? mb_generated_functions[i].w : w;
    double *place = a->block = calloc((size_t)w + 2 * size + nr + ns + nf * nf + 1, sizeof(double));
    if (!place)
        return 0;
    a->m->w = place;
    lay_point(model, &a->own, place += w);
    lay_point(model, &a->near, place += size);
    a->own_measure = place += size;
    a->column = place += nr;
    a->factors = place + ns;
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

/* Whether a function of the table is compiled. */
MB_EXPORT int mb_point_has(int number) { return mb_generated_functions[number].call != NULL; }

/* Calls a function, with a variation if it takes one. A second result that may be asked for is left
 * out where there is no place for it. */
MB_EXPORT void mb_point_call(mb_analysis *a, int number, const mb_point *at,
                             const double *variation, double *first, double *second)
{
    mb_instance *m = a->m;
    const mb_function *function = &mb_generated_functions[number];
    m->extra[MB_EXTRA_variation] = variation;
    if (function->call == m->model->derivative.call)
        mb_run_rates(m, at, first, NULL);
    else if (function->call == m->model->change.call)
        mb_run_change(m, at, first, second);
    else
        mb_run(m, function, at, first, second);
}

static void take_scale(mb_instance *m, const double *scale)
{
    memcpy(m->scale, scale, (size_t)m->model->nx * sizeof(double));
    for (int i = 0; i < m->model->nx; i++)
        m->per_scale[i] = 1 / scale[i];
}

/* Whether measures are on the branch of these signs; notes how small and large they have been. */
static int note_on_branch(mb_instance *m, const mb_point *at, const double *branch, double *lowest,
                          double *highest)
{
    const int nr = m->model->nr;
    mb_run(m, &m->model->conditioning, at, m->other_measure, NULL);
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
    memcpy(at->x, from, (size_t)m->model->nx * sizeof(double));
    return mb_converge(m, at) && note_on_branch(m, at, branch, lowest, highest);
}

int mb_point_reach(mb_analysis *a, mb_point *at, const mb_point *from, const double *scale,
                   const double *branch, double *lowest, double *highest)
{
    return mb_point_configure(a, at, from->x, scale, branch, lowest, highest) ||
           (mb_reach_in_substeps(a->m, from, at) &&
            note_on_branch(a->m, at, branch, lowest, highest));
}

static int is_required(mb_instance *m, const mb_point *at, int of_parameters)
{
    const mb_model *model = m->model;
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
    const size_t known = (mb_point_size(m->model) - (size_t)m->model->nx) * sizeof(double);
    if (!a->own_known || memcmp(a->own.values, own->values, known) != 0) {
        memcpy(a->own.values, own->values, known);
        a->own.t = own->t;
        a->own_found = mb_assemble(m, &a->own);
        mb_run(m, &m->model->conditioning, &a->own, a->own_measure, NULL);
        a->own_known = 1;
    }
    return !a->own_found || mb_same_branch(a->own_measure, measure, m->model->nr);
}

static int has_event(mb_instance *m, const mb_point *at)
{
    const mb_model *model = m->model;
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
    const int n = a->m->model->nf;
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

/* Assembles a start and checks it, where no event occurs and nothing is closed or held; gives the
 * coordinates' sizes and the conditioning measures. `own` is the start of the model's author. */
MB_EXPORT int mb_point_start(mb_analysis *a, mb_point *at, const mb_point *own, int mass,
                             double *scale, double *measure)
{
    mb_instance *m = a->m;
    const mb_model *model = m->model;
    if (!is_required(m, at, 1) || !mb_assemble(m, at))
        return 0;
    memcpy(scale, m->scale, (size_t)model->nx * sizeof(double));
    mb_run(m, &model->conditioning, at, measure, NULL);
    if (!is_on_own_branch(a, own, measure) || !is_required(m, at, 0) || has_event(m, at))
        return 0;
    for (int i = 0; i < model->nr; i++)
        if (!(fabs(measure[i]) > MB_SINGULAR))
            return 0;
    mb_run_rates(m, at, m->rate, NULL);
    if (!mb_all_finite(m->rate, model->ns))
        return 0;
    double *M = m->jacobian; /* of at least as many numbers */
    mb_run(m, &mb_generated_functions[mass], at, M, m->adjoint);
    return !is_massless(a, M);
}

/* A point so near that derivatives differ by no more than what may be rounding of their terms. */
static void go_near(mb_analysis *a, const mb_point *at)
{
    const size_t size = mb_point_size(a->m->model);
    unsigned long random = 1;
    for (size_t i = 0; i < size; i++) {
        random = (random * 1103515245ul + 12345ul) & 0x7ffffffful;
        const double part = (double)random / 0x80000000; /* below 1/2 to one side, above to the other */
        a->near.values[i] = at->values[i] * (1 + NEAR_BY * (part < 0.5 ? -0.5 - part : part));
    }
    memcpy(a->near.d, at->d, (size_t)a->m->model->nd * sizeof(double));
    a->near.t = at->t;
}

/* Fills `depends`: entries of the state matrix that are more than what rounding leaves of sums that
 * vanish. Such a rest is another one at the point near by. */
static void find_zeros(mb_analysis *a, const mb_linearized *into, double *variation)
{
    mb_instance *m = a->m;
    const int ns = m->model->ns;
    for (int i = 0; i < ns; i++) {
        double largest = 0;
        for (int j = 0; j < ns; j++)
            largest = fmax(largest, fabs(into->rate[i + ns * j]) * into->nominal[j]);
        m->rate_rate[i] = largest;
    }
    for (int j = 0; j < ns; j++) {
        const double *entry = into->rate + ns * j;
        unsigned char *depends = into->depends + ns * j;
        int doubtful = 0;
        for (int i = 0; i < ns; i++) {
            const double change = fabs(entry[i]) * into->nominal[j], row = m->rate_rate[i];
            depends[i] = change > LAST_DIGIT * row;
            doubtful |= depends[i] && change < ROUNDED * fmax(row, into->nominal[i]);
        }
        if (!doubtful)
            continue;
        variation[j] = 1;
        mb_run_change(m, &a->near, a->column, NULL);
        variation[j] = 0;
        for (int i = 0; i < ns; i++) {
            const double change = fabs(entry[i]) * into->nominal[j], row = m->rate_rate[i];
            const double other = a->column[i], size = fmax(fabs(entry[i]), fabs(other));
            if (change < ROUNDED * fmax(row, into->nominal[i]) &&
                !(fabs(entry[i] - other) <= SAME * size))
                depends[i] = 0;
        }
    }
}

/* Linearizes at a point where nothing is closed or held. `mass` is the function's place. */
MB_EXPORT int mb_point_linearize(mb_analysis *a, const mb_point *at, int mass,
                                 const mb_linearized *into)
{
    mb_instance *m = a->m;
    const mb_model *model = m->model;
    const int ns = model->ns, nu = model->nu, ny = model->ny;
    double *variation = m->variation;
    for (int i = 0; i < model->ne; i++)
        if (at->d[i] > 0.5 && (model->kind[i] == MB_CLOSED_CONTACT || model->kind[i] == MB_HELD_SLIP))
            return 0;
    mb_run(m, &mb_generated_functions[mass], at, into->mass, m->adjoint);
    if (is_massless(a, into->mass))
        return 0;
    mb_run_rates(m, at, into->rates, NULL);
    m->extra[MB_EXTRA_variation] = variation;
    for (int j = 0; j < ns + nu; j++) {
        const int place = j < ns ? j : j + 1; /* behind the states there is the time */
        variation[place] = 1;
        mb_run_change(m, at, into->rate + ns * j, into->output + ny * j);
        variation[place] = 0;
    }
    go_near(a, at);
    find_zeros(a, into, variation);
    return 1;
}
