/* Drives an FMI 2.0 unit through a ramp-to-step of one input, as a host written in C would.
 *
 *     ramp_steer LIBRARY TOKEN STEP UNTIL TOLERANCE METHOD_REF METHOD INPUT_REF RATE MOST RUNS
 *                STATE_REF STATE
 *
 * The input grows by RATE a second up to MOST; the state is set before the start. Prints
 * `run seconds ...`, one number for each run, of this process alone. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>

#include "fmi2_unit.h"

static double run(char **argument)
{
    FIND(fmi2FreeInstance);
    FIND(fmi2SetInteger);
    FIND(fmi2SetReal);
    FIND(fmi2SetupExperiment);
    FIND(fmi2EnterInitializationMode);
    FIND(fmi2ExitInitializationMode);
    FIND(fmi2DoStep);
    const double step = atof(argument[3]), until = atof(argument[4]);
    const double rate = atof(argument[9]), most = atof(argument[10]), state = atof(argument[13]);
    const fmi2ValueReference method_ref = (unsigned)atoi(argument[6]);
    const fmi2ValueReference input_ref = (unsigned)atoi(argument[8]);
    const fmi2ValueReference state_ref = (unsigned)atoi(argument[12]);
    const int method = atoi(argument[7]);
    fmi2Component unit = instantiate2(fmi2CoSimulation, argument[2]);
    if (!unit || fmi2SetInteger_(unit, &method_ref, 1, &method) ||
        fmi2SetReal_(unit, &state_ref, 1, &state) ||
        fmi2SetupExperiment_(unit, fmi2True, atof(argument[5]), 0, fmi2False, 0) ||
        fmi2EnterInitializationMode_(unit) || fmi2ExitInitializationMode_(unit))
        die("the unit does not start");
    const long steps = lround(until / step);
    const double start = seconds_now();
    for (long i = 0; i < steps; i++) {
        const double t = (double)i * step, value = fmin(rate * t, most);
        if (fmi2SetReal_(unit, &input_ref, 1, &value) || fmi2DoStep_(unit, t, step, fmi2True))
            die("a step fails");
    }
    const double took = seconds_now() - start;
    fmi2FreeInstance_(unit);
    return took;
}

int main(int arguments, char **argument)
{
    if (arguments != 14)
        die("see the comment at the top for the arguments");
    open_library(argument[1]);
    printf("run");
    for (int k = 0; k < atoi(argument[11]); k++)
        printf(" %.6g", run(argument));
    printf("\n");
    return 0;
}
