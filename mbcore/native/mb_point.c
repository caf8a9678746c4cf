/* The functions of a model at points that lie in the host's arrays. */
#include "mb_native.h"

#include <stdlib.h>

enum { MB_GIVEN = MB_EXTRA_kept /* arguments behind the point that the host gives */ };

MB_EXPORT void mb_point_close(mb_instance *m)
{
    if (m)
        free(m->environment); /* the work array */
    mb_free(m);
}

/* The work array of an instance is as large as the runtime's functions need; here all may be called. */
static int make_work_array(mb_instance *m, int functions)
{
    int w = m->model->common.w;
    for (int i = 0; i < functions; i++)
        w = mb_generated_functions[i].w > w ? mb_generated_functions[i].w : w;
    m->environment = m->w = calloc((size_t)w + 1, sizeof(double));
    return m->w != NULL;
}

/* What calls functions: of so many in the table, with these arguments behind the point. Returns
 * NULL where there is not enough memory. */
MB_EXPORT mb_instance *mb_point_open(int functions, const double *const *extra)
{
    char message[MB_MESSAGE];
    mb_instance *m = mb_create(__func__, "", mb_generated_model.token, MB_CO_SIMULATION, message);
    if (m && !make_work_array(m, functions)) {
        mb_point_close(m);
        return NULL;
    }
    for (int k = 0; m && k < MB_GIVEN; k++)
        m->extra[k] = extra[k];
    return m;
}

/* Whether a function of the table is compiled. */
MB_EXPORT int mb_point_has(int number) { return mb_generated_functions[number].call != NULL; }

/* Calls a function, with a variation if it takes one. A second result that may be asked for is left
 * out where there is no place for it. */
MB_EXPORT void mb_point_call(mb_instance *m, int number, const mb_point *at,
                             const double *variation, double *first, double *second)
{
    const mb_function *function = &mb_generated_functions[number];
    m->extra[MB_EXTRA_variation] = variation;
    if (function->call == m->model->derivative.call)
        mb_run_rates(m, at, first, NULL);
    else if (function->call == m->model->change.call)
        mb_run_change(m, at, first, second);
    else
        mb_run(m, function, at, first, second);
}
