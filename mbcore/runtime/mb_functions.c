/* The generated functions, called with a point's values. */
#include "mb_instance.h"

void mb_run(mb_instance *m, const mb_function *function, const mb_point *at, double *first,
            double *second)
{
    const double **arg = m->arg;
    arg[0] = &at->t;
    arg[1] = at->s;
    arg[2] = at->d;
    arg[3] = at->u;
    arg[4] = at->p;
    arg[5] = at->x;
    for (int k = 0; k < function->extras; k++)
        arg[MB_ARGUMENTS + k] = m->extra[function->extra[k]];
    m->res[0] = first;
    m->res[1] = second;
    function->call(arg, m->res, m->iw, m->w, 0);
}

int mb_all_finite(const double *values, int n)
{
    double zero = 0; /* 0 x infinity and 0 x NaN are NaN: one comparison for all */
    for (int i = 0; i < n; i++)
        zero += 0 * values[i];
    return zero == 0;
}
