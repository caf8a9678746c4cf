/* Times an FMI 2.0 unit's right-hand side as an importer written in C asks for it in Model
 * Exchange: fmi2SetTime, fmi2SetContinuousStates, fmi2GetDerivatives.
 *
 *     right_hand_side LIBRARY TOKEN STATES BLOCKS SECONDS
 *
 * The first row of the file of states becomes an accepted step, from which the configurations of
 * the others are sought. Without blocks it prints the derivatives instead. */
#define _POSIX_C_SOURCE 199309L

#include "fmi2_unit.h"
#include "rounds.h"

static fmi2Component unit;
static fmi2SetTimeTYPE *set_time;
static fmi2SetContinuousStatesTYPE *set_states;
static fmi2GetDerivativesTYPE *get_derivatives;
static size_t count;
static double *rate;

static void evaluate(const double *state)
{
    if (set_time(unit, 0) || set_states(unit, state, count) || get_derivatives(unit, rate, count))
        die("the derivatives cannot be evaluated");
}

static void start(const char *token)
{
    FIND(fmi2SetupExperiment);
    FIND(fmi2EnterInitializationMode);
    FIND(fmi2ExitInitializationMode);
    FIND(fmi2NewDiscreteStates);
    FIND(fmi2EnterContinuousTimeMode);
    fmi2EventInfo event = {fmi2True, fmi2False, fmi2False, fmi2False, fmi2False, 0};
    unit = instantiate2(fmi2ModelExchange, token);
    if (!unit || fmi2SetupExperiment_(unit, fmi2False, 0, 0, fmi2False, 0) ||
        fmi2EnterInitializationMode_(unit) || fmi2ExitInitializationMode_(unit))
        die("the unit does not start");
    while (event.newDiscreteStatesNeeded)
        if (fmi2NewDiscreteStates_(unit, &event))
            die("the events do not come to rest");
    if (fmi2EnterContinuousTimeMode_(unit))
        die("no Continuous-Time Mode");
}

int main(int arguments, char **argument)
{
    if (arguments != 6)
        die("see the comment at the top for the arguments");
    open_library(argument[1]);
    const number_table states = read_table(argument[3]);
    count = (size_t)states.columns;
    rate = malloc(sizeof(double) * (count + 1));
    set_time = (fmi2SetTimeTYPE *)find("fmi2SetTime");
    set_states = (fmi2SetContinuousStatesTYPE *)find("fmi2SetContinuousStates");
    get_derivatives = (fmi2GetDerivativesTYPE *)find("fmi2GetDerivatives");
    FIND(fmi2CompletedIntegratorStep);

    start(argument[2]);
    fmi2Boolean event, terminate;
    evaluate(row_of(&states, 0));
    if (fmi2CompletedIntegratorStep_(unit, fmi2True, &event, &terminate))
        die("the first row's step cannot be completed");
    const int blocks = atoi(argument[4]);
    if (blocks > 0)
        time_blocks("right_hand_side", evaluate, &states, blocks, atof(argument[5]));
    else
        print_rows(evaluate, &states, rate, states.columns);
    return 0;
}
