/* What analyses ask at points that lie in the host's arrays: functions of the model, configurations,
 * requirements. Where something is not as it should be, a call returns 0, and the host finds out by
 * itself what to say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_point.h"

enum { MB_GIVEN = MB_EXTRA_cached /* arguments behind the point that the host gives */ };

MB_EXPORT void mb_point_close(mb_analysis *a)
{
    if (!a)
        return;
    mb_free(a->m);
    free(a->block);
    free(a);
}

static int make_room_at_points(mb_analysis *a, int functions)
{
    const mb_model *model = MB_MODEL;
    const size_t size = mb_point_size(model), nr = (size_t)model->nr, ns = (size_t)model->ns;
    const size_t nf = (size_t)model->nf, nx = (size_t)model->nx;
    const mb_function *others[] = {&model->common, &model->known_indicator, &model->jacobian};
    int w = 0;
    for (int i = 0; i < 3; i++)
        w = others[i]->w > w ? others[i]->w : w;
    for (int i = 0; i < functions; i++)
        w = mb_generated_functions[i].w > w ? mb_generated_functions[i].w : w;
    double *work, *own, *before, *started;
    const mb_part part[] = {
        {&work, (size_t)w},
        {&own, size}, {&before, size}, {&started, size},
        {&a->own_measure, nr}, {&a->measure, nr}, {&a->lowest, nr}, {&a->highest, nr},
        {&a->scale, nx},
        {&a->columns, MB_SIZES * ns},
        {&a->rates, ns},
        {&a->factors, nf * nf}, {&a->mass, nf * nf},
    };
    a->block = mb_lay_out(part, sizeof part / sizeof *part);
    if (!a->block)
        return 0;
    a->m->w = work;
    mb_lay_point(model, &a->own, own);
    mb_lay_point(model, &a->before, before);
    mb_lay_point(model, &a->started, started);
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
    if (!a->m || !make_room_at_points(a, functions)) {
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

/* Changes along single variations, where they are not written for several at once. */
static void find_changes_one_by_one(mb_analysis *a, const mb_point *at, int count, int length,
                                    const double *variation, double *rate, double *output)
{
    mb_instance *m = a->m;
    const int ns = MB_MODEL->ns, ny = MB_MODEL->ny;
    m->extra[MB_EXTRA_variation] = m->extra[MB_EXTRA_whole_variation] = m->whole_variation;
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < length; i++)
            m->whole_variation[i] = variation[i * count + c];
        mb_run_change(m, at, m->rate_change, m->output_change);
        for (int i = 0; i < ns; i++)
            rate[i * count + c] = m->rate_change[i];
        for (int i = 0; i < ny; i++)
            output[i * count + c] = m->output_change[i];
    }
    memset(m->whole_variation, 0, (size_t)length * sizeof(double));
}

/* Changes of rates and outputs with some variations, columns of a length; all matrices are row by row. */
MB_EXPORT void mb_point_changes(mb_analysis *a, const mb_point *at, int count, int length,
                                const double *variation, double *rate, double *output)
{
    const mb_model *model = MB_MODEL;
    const int entries = model->ns + 1 + model->nu + model->np - MB_SOLVER_PARAMETERS;
    int *value = model->changes && count ? malloc((size_t)count * sizeof *value) : NULL;
    if (!value) {
        find_changes_one_by_one(a, at, count, length, variation, rate, output);
        return;
    }
    const mb_columns of = {count, entries, variation, value};
    for (int c = 0; c < count; c++)
        value[c] = -1;
    mb_run_changes(a->m, at, &of, rate, output);
    free(value);
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

int mb_point_meets(mb_instance *m, const mb_point *at, mb_severity severity, unsigned times)
{
    const mb_model *model = MB_MODEL;
    if (model->nq)
        mb_run(m, &model->require, at, m->required, m->requirement_value);
    for (int i = 0; i < model->nq; i++) {
        const mb_requirement *r = &model->requirement[i];
        if (r->severity == severity && times & 1u << r->when && !(m->required[i] > 0))
            return 0;
    }
    return 1;
}
