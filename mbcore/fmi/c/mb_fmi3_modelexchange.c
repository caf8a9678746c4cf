/* FMI 3.0: Model Exchange. */
#include "fmi3Functions.h"
#include "mb_calls.h"

static fmi3Status leave(mb_instance *m, mb_status status)
{
    return (fmi3Status)mb_leave(m, status);
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    if (!mb_enter(instance, __func__, MB_EVENT | MB_EXCHANGE_ONLY))
        return fmi3Error;
    return leave(instance, mb_leave_event_mode(instance, MB_CONTINUOUS_TIME));
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance,
                                       fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(instance, __func__, MB_CONTINUOUS_TIME | MB_EXCHANGE_ONLY) ||
        !mb_given(instance, enterEventMode, "enterEventMode") ||
        !mb_given(instance, terminateSimulation, "terminateSimulation"))
        return fmi3Error;
    int event = 0;
    const mb_status status = mb_completed_step(instance, &event);
    *enterEventMode = event;
    *terminateSimulation = fmi3False;
    return leave(instance, status);
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    if (!mb_enter(instance, __func__, MB_CONTINUOUS_TIME | MB_EXCHANGE_ONLY))
        return fmi3Error;
    return leave(instance, mb_set_time(instance, time));
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 continuousStates[],
                                   size_t nContinuousStates)
{
    if (!mb_enter(instance, __func__, MB_CONTINUOUS_TIME | MB_EXCHANGE_ONLY) ||
        !mb_given_all(instance, nContinuousStates, continuousStates, "continuousStates"))
        return fmi3Error;
    return leave(instance, mb_set_states(instance, continuousStates, nContinuousStates));
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[],
                                             size_t nContinuousStates)
{
    if (!mb_enter(instance, __func__, MB_CALCULATING | MB_EXCHANGE_ONLY) ||
        !mb_given_all(instance, nContinuousStates, derivatives, "derivatives"))
        return fmi3Error;
    return leave(instance, mb_get_rates(instance, derivatives, nContinuousStates));
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 eventIndicators[],
                                  size_t nEventIndicators)
{
    if (!mb_enter(instance, __func__, MB_CALCULATING | MB_EXCHANGE_ONLY) ||
        !mb_given_all(instance, nEventIndicators, eventIndicators, "eventIndicators"))
        return fmi3Error;
    return leave(instance, mb_get_indicators(instance, eventIndicators, nEventIndicators));
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 continuousStates[],
                                   size_t nContinuousStates)
{
    if (!mb_enter(instance, __func__, MB_CALCULATING | MB_EXCHANGE_ONLY) ||
        !mb_given_all(instance, nContinuousStates, continuousStates, "continuousStates"))
        return fmi3Error;
    return leave(instance, mb_get_states(instance, continuousStates, nContinuousStates));
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                             size_t nContinuousStates)
{
    if (!mb_enter(instance, __func__, MB_CALCULATING | MB_EXCHANGE_ONLY) ||
        !mb_given_all(instance, nContinuousStates, nominals, "nominals"))
        return fmi3Error;
    return leave(instance, mb_get_nominals(instance, nominals, nContinuousStates));
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *nEventIndicators)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE | MB_EXCHANGE_ONLY) ||
        !mb_given(instance, nEventIndicators, "nEventIndicators"))
        return fmi3Error;
    *nEventIndicators = (size_t)mb_generated_model.ne;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *nContinuousStates)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE | MB_EXCHANGE_ONLY) ||
        !mb_given(instance, nContinuousStates, "nContinuousStates"))
        return fmi3Error;
    *nContinuousStates = (size_t)mb_generated_model.ns;
    return fmi3OK;
}
