/* Times an FMI 3.0 unit's right-hand side and derivatives as an importer written in C asks for them
 * in Model Exchange:
 *
 *     derivatives LIBRARY TOKEN STATES BLOCKS SECONDS UNKNOWNS KNOWNS REFERENCE ...
 *
 * The references are those of all unknowns (rates and outputs), then of all knowns (states, inputs,
 * parameters). The first row of the file of states becomes an accepted step, from which the
 * configurations of the others are sought. Each call sets other states, so that nothing is known
 * before; `directional` and `adjoint` are those of all unknowns by all knowns, `of_rates` and
 * `by_rates` of the rates alone; `rates` and `all` are the right-hand side without and with outputs. */
#define _POSIX_C_SOURCE 199309L

#include "fmi3Functions.h"
#include "library.h"
#include "rounds.h"

enum { MOST = 512 };

static fmi3Instance unit;
static size_t states, unknowns, knowns;
static fmi3ValueReference reference[2 * MOST];
static double rate[MOST], value[MOST], seed[MOST], result[MOST];

static fmi3SetTimeTYPE *set_time;
static fmi3SetContinuousStatesTYPE *set_states;
static fmi3GetContinuousStateDerivativesTYPE *get_rates;
static fmi3GetFloat64TYPE *get_values;
static fmi3GetDirectionalDerivativeTYPE *get_directional;
static fmi3GetAdjointDerivativeTYPE *get_adjoint;

static void show(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                 fmi3String message)
{
    (void)environment, (void)status, (void)category;
    fprintf(stderr, "%s\n", message);
}

static void go_to(const double *state)
{
    if (set_time(unit, 0) || set_states(unit, state, states))
        die("the states cannot be set");
}

static void rates(const double *state)
{
    go_to(state);
    if (get_rates(unit, rate, states))
        die("the derivatives cannot be evaluated");
}

static void rates_and_outputs(const double *state)
{
    rates(state);
    if (get_values(unit, reference, unknowns, value, unknowns))
        die("the outputs cannot be evaluated");
}

/* Of the first n unknowns, of which the rates are the first. */
static void take_directional(const double *state, size_t n)
{
    go_to(state);
    if (get_directional(unit, reference, n, reference + unknowns, knowns, seed, knowns, result, n))
        die("there is no directional derivative");
}

static void take_adjoint(const double *state, size_t n)
{
    go_to(state);
    if (get_adjoint(unit, reference, n, reference + unknowns, knowns, seed, n, result, knowns))
        die("there is no adjoint derivative");
}

static void directional(const double *state) { take_directional(state, unknowns); }
static void adjoint(const double *state) { take_adjoint(state, unknowns); }
static void of_rates(const double *state) { take_directional(state, states); }
static void by_rates(const double *state) { take_adjoint(state, states); }

static void start(const char *token)
{
    FIND(fmi3InstantiateModelExchange);
    FIND(fmi3EnterInitializationMode);
    FIND(fmi3ExitInitializationMode);
    FIND(fmi3UpdateDiscreteStates);
    FIND(fmi3EnterContinuousTimeMode);
    fmi3Boolean again = 1, end, nominals, changed, defined;
    fmi3Float64 next;
    unit = fmi3InstantiateModelExchange_("unit", token, "", 0, 0, NULL, show);
    if (!unit || fmi3EnterInitializationMode_(unit, 0, 0, 0, 0, 0) ||
        fmi3ExitInitializationMode_(unit))
        die("the unit does not start");
    while (again)
        if (fmi3UpdateDiscreteStates_(unit, &again, &end, &nominals, &changed, &defined, &next))
            die("the events do not end");
    if (fmi3EnterContinuousTimeMode_(unit))
        die("the unit does not run");
}

int main(int argc, char **argv)
{
    if (argc < 9)
        die("LIBRARY TOKEN STATES BLOCKS SECONDS UNKNOWNS KNOWNS REFERENCE ...");
    open_library(argv[1]);
    const number_table points = read_table(argv[3]);
    const int blocks = atoi(argv[4]);
    const double seconds = atof(argv[5]);
    states = (size_t)points.columns;
    unknowns = (size_t)atoi(argv[6]);
    knowns = (size_t)atoi(argv[7]);
    if (unknowns > MOST || knowns > MOST || states > MOST)
        die("too many variables");
    for (size_t i = 0; i < unknowns + knowns; i++)
        reference[i] = (fmi3ValueReference)atoi(argv[8 + i]);
    for (int i = 0; i < MOST; i++)
        seed[i] = 1 + 0.01 * i;
    set_time = (fmi3SetTimeTYPE *)find("fmi3SetTime");
    set_states = (fmi3SetContinuousStatesTYPE *)find("fmi3SetContinuousStates");
    get_rates = (fmi3GetContinuousStateDerivativesTYPE *)find("fmi3GetContinuousStateDerivatives");
    get_values = (fmi3GetFloat64TYPE *)find("fmi3GetFloat64");
    get_directional = (fmi3GetDirectionalDerivativeTYPE *)find("fmi3GetDirectionalDerivative");
    get_adjoint = (fmi3GetAdjointDerivativeTYPE *)find("fmi3GetAdjointDerivative");
    FIND(fmi3CompletedIntegratorStep);
    fmi3Boolean event, end;
    start(argv[2]);
    rates(row_of(&points, 0));
    if (fmi3CompletedIntegratorStep_(unit, fmi3True, &event, &end))
        die("the first point is refused");
    time_blocks("rates", rates, &points, blocks, seconds);
    time_blocks("all", rates_and_outputs, &points, blocks, seconds);
    time_blocks("directional", directional, &points, blocks, seconds);
    time_blocks("adjoint", adjoint, &points, blocks, seconds);
    time_blocks("of_rates", of_rates, &points, blocks, seconds);
    time_blocks("by_rates", by_rates, &points, blocks, seconds);
    return 0;
}
