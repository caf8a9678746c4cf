/* Times the generated functions of a model one by one, with the runtime around them left out.
 *
 *     cc -DMODEL='"model.c"' ... model_parts.c;  model_parts FILE BLOCKS SECONDS
 *
 * FILE holds as many numbers as the functions have arguments (t, s, d, u, p, x), one in a row. */
#define _POSIX_C_SOURCE 199309L
#include MODEL

#include "rounds.h"

enum { MOST = 4096 };
static const mb_model *model = &mb_generated_model;
static const mb_function *timed;
static const double *arg[16];
static double *res[4], result[4][MOST], cached[1 << 16], work[1 << 16], seeds[2][MOST];

static void evaluate(const double *unused)
{
    (void)unused;
    timed->call(arg, res, work);
}

static void time_function(const char *name, const mb_function *function, const number_table *t,
                          int blocks, double seconds)
{
    timed = function;
    for (int k = 0; k < function->extras; k++)
        arg[MB_ARGUMENTS + k] = seeds[k % 2];
    if (function->extras > 0 && function->extra[function->extras - 1] == MB_EXTRA_cached)
        arg[MB_ARGUMENTS + function->extras - 1] = cached;
    time_blocks(name, evaluate, t, blocks, seconds);
}

int main(int arguments, char **argument)
{
    if (arguments != 4)
        die("see the comment at the top for the arguments");
    const number_table given = read_table(argument[1]);
    const int sizes[] = {1, model->ns, model->nd, model->nu, model->np, model->nx};
    const int blocks = atoi(argument[2]);
    const double seconds = atof(argument[3]), two[2] = {0, 0};
    const number_table rows = {2, 1, (double *)two};
    const double *next = given.values;
    for (int k = 0; k < 6; k++) {
        arg[k] = next;
        next += sizes[k];
    }
    for (int k = 0; k < 4; k++)
        res[k] = result[k];
    for (int i = 0; i < MOST; i++)
        seeds[0][i] = seeds[1][i] = 1;
    res[0] = cached;
    model->common.call(arg, res, work);
    res[0] = result[0];
    time_function("newton", &model->newton, &rows, blocks, seconds);
    time_function("place", &model->place, &rows, blocks, seconds);
    res[1] = 0;
    time_function("derivative", &model->derivative, &rows, blocks, seconds);
    res[1] = result[1];
    time_function("output", &model->output, &rows, blocks, seconds);
    time_function("indicator", &model->indicator, &rows, blocks, seconds);
    time_function("conditioning", &model->conditioning, &rows, blocks, seconds);
    time_function("change", &model->change, &rows, blocks, seconds);
    time_function("adjoint_change", &model->adjoint_change, &rows, blocks, seconds);
    return 0;
}
