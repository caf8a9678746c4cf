/* Defaults of models written by hand. */
#include "model.h"

#include <stdio.h>

enum { MODELS = 8, MOST = 64, NAME = 16 };

const mb_model *tested_model;

typedef struct {
    mb_model model;
    mb_variable variable[MOST];
    char name[MOST][NAME], other_name[MOST][NAME];
    const char *names[MOST];
    mb_requirement requirement[MOST];
    double band[MOST];
    mb_event_kind kind[MOST];
    int expected[MOST], height[MOST];
} made;

static made models[MODELS];
static int model_count;

FUNCTION(nothing) {}

FUNCTION(no_rates)
{
    for (int i = 0; i < tested_model->ns; i++)
        res[0][i] = 0;
}

FUNCTION(no_outputs)
{
    for (int i = 0; i < tested_model->ny; i++)
        res[0][i] = 0;
}

FUNCTION(never)
{
    for (int i = 0; i < tested_model->ne; i++)
        res[0][i] = -1;
}

FUNCTION(modes_follow)
{
    const mb_model *model = tested_model;
    for (int i = 0; i < model->nd; i++)
        res[0][i] = arg[D][i] + (i < model->ne ? arg[EXTRA][i] : 0);
    for (int i = 0; i < model->ns; i++)
        res[1][i] = arg[S][i];
}

FUNCTION(no_drift)
{
    for (int i = 0; i < tested_model->ns; i++)
        res[0][i] = arg[S][i];
    res[1][0] = 0;
}

FUNCTION(met)
{
    for (int i = 0; i < tested_model->nq; i++)
        res[0][i] = res[1][i] = 1;
}

FUNCTION(regular)
{
    for (int i = 0; i < tested_model->nr; i++)
        res[0][i] = 1;
}

FUNCTION(stay)
{
    for (int i = 0; i < tested_model->nx; i++)
        res[0][i] = arg[X][i];
}

FUNCTION(from_zero)
{
    for (int i = 0; i < tested_model->nx; i++) {
        res[0][i] = 0;
        res[1][i] = 1;
    }
}

static void otherwise(mb_function *function, mb_call call)
{
    if (!function->call)
        function->call = call;
}

static void complete_functions(mb_model *model)
{
    otherwise(&model->derivative, no_rates);
    otherwise(&model->output, no_outputs);
    otherwise(&model->indicator, never);
    otherwise(&model->free_indicator, model->indicator.call);
    otherwise(&model->update, modes_follow);
    otherwise(&model->project, no_drift);
    otherwise(&model->require, met);
    otherwise(&model->conditioning, regular);
    otherwise(&model->place, stay);
    otherwise(&model->start, from_zero);
#define OTHERWISE_NOTHING(name) otherwise(&model->name, nothing);
    MB_EACH_FUNCTION(OTHERWISE_NOTHING)
    otherwise(&model->common, nothing);
    model->update.extras = model->change.extras = 1;
    model->update.extra[0] = MB_EXTRA_fired;
    model->change.extra[0] = MB_EXTRA_variation;
    model->adjoint_change.extras = 2;
    model->adjoint_change.extra[0] = MB_EXTRA_rate_seed;
    model->adjoint_change.extra[1] = MB_EXTRA_output_seed;
}

static void add_variables(made *of, mb_kind kind, const char *prefix, int count)
{
    for (int i = 0; i < count; i++) {
        const int n = of->model.variables++;
        snprintf(of->name[n], NAME, "%s%d", prefix, i);
        of->variable[n] = (mb_variable){.name = of->name[n],
                                        .kind = kind,
                                        .index = i,
                                        .tunable = 1,
                                        .minimum = -INFINITY,
                                        .maximum = INFINITY,
                                        .nominal = 1};
    }
}

static void complete_variables(made *of)
{
    mb_model *model = &of->model;
    model->np += MB_SOLVER_PARAMETERS;
    add_variables(of, MB_TIME, "time", 1);
    add_variables(of, MB_PARAMETER, "p", model->np);
    add_variables(of, MB_INPUT, "u", model->nu);
    add_variables(of, MB_STATE, "s", model->ns);
    add_variables(of, MB_DERIVATIVE, "ds", model->ns);
    add_variables(of, MB_DISCRETE, "d", model->nd);
    add_variables(of, MB_OUTPUT, "y", model->ny);
    add_variables(of, MB_INDICATOR, "g", model->ne);
    model->variable = of->variable;
    mb_variable *method = solver(model, 0), *tolerance = solver(model, 1), *step = solver(model, 2);
    mb_variable *most = solver(model, MB_SOLVER_MOST_EVALUATIONS);
    method->type = MB_ENUMERATION;
    method->minimum = method->start = MB_METHOD_RK45;
    method->maximum = MB_METHOD_classical;
    method->available = 7;
    tolerance->start = 1e-6;
    step->start = 0.01;
    most->start = 1e6;
    method->tunable = tolerance->tunable = step->tunable = most->tunable = 0;
    tolerance->positive = step->positive = most->positive = 1;
}

mb_model *make_model(mb_model given)
{
    expect(model_count < MODELS, "room for %d models in one check", MODELS);
    made *of = &models[model_count++];
    mb_model *model = &of->model;
    *model = given;
    model->name = "hand-written";
    model->token = "token";
    if (model->nx > 0 && model->ni == 0 && model->nc > 0)
        model->ni = model->nx;
    for (int i = 0; i < MOST; i++) {
        snprintf(of->other_name[i], NAME, "part%d", i);
        of->names[i] = of->other_name[i];
        of->requirement[i] =
            (mb_requirement){of->other_name[i], "must be positive", MB_ALWAYS, MB_VIOLATION_IS_ERROR};
        of->expected[i] = of->height[i] = -1;
    }
    model->coordinate = model->constraint = model->event = model->measure_name = of->names;
    model->requirement = given.requirement ? given.requirement : of->requirement;
    model->band = given.band ? given.band : of->band;
    model->kind = given.kind ? given.kind : of->kind;
    model->expected = given.expected ? given.expected : of->expected;
    model->height = given.height ? given.height : of->height;
    complete_functions(model);
    complete_variables(of);
    return model;
}

mb_variable *solver(const mb_model *model, int which)
{
    return variable(model, MB_PARAMETER, model->np - MB_SOLVER_PARAMETERS + which);
}

unsigned reference(const mb_model *model, mb_kind kind, int index)
{
    for (int i = 0; i < model->variables; i++)
        if (model->variable[i].kind == kind && model->variable[i].index == index)
            return (unsigned)i;
    expect(0, "the model has no variable of kind %d with index %d", (int)kind, index);
    return 0;
}

mb_variable *variable(const mb_model *model, mb_kind kind, int index)
{
    return (mb_variable *)model->variable + reference(model, kind, index);
}
