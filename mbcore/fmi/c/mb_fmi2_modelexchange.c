/* FMI 2.0: Model Exchange. */
#include <math.h>

#include "fmi2Functions.h"
#include "mb_calls.h"

static fmi2Status leave(mb_instance *m, mb_status status)
{
    return (fmi2Status)mb_leave(m, status);
}

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME | MB_EVENT | MB_EXCHANGE_ONLY))
        return fmi2Error;
    return leave(c, mb_enter_event_mode(c));
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *eventInfo)
{
    if (!mb_enter(c, __func__, MB_EVENT | MB_EXCHANGE_ONLY) ||
        !mb_given(c, eventInfo, "eventInfo"))
        return fmi2Error;
    *eventInfo = (fmi2EventInfo){fmi2False, fmi2False, fmi2False, fmi2False, fmi2False, 0};
    int changed = 0;
    const mb_status status = mb_update_discrete_states(c, &changed);
    eventInfo->valuesOfContinuousStatesChanged = changed ? fmi2True : fmi2False;
    const double next = mb_next_event_time(c);
    if (!status && isfinite(next)) {
        eventInfo->nextEventTimeDefined = fmi2True;
        eventInfo->nextEventTime = next;
    }
    return leave(c, status);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_EVENT | MB_EXCHANGE_ONLY))
        return fmi2Error;
    return leave(c, mb_leave_event_mode(c, MB_CONTINUOUS_TIME));
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME | MB_EXCHANGE_ONLY) ||
        !mb_given(c, enterEventMode, "enterEventMode") ||
        !mb_given(c, terminateSimulation, "terminateSimulation"))
        return fmi2Error;
    int event = 0;
    const mb_status status = mb_completed_step(c, &event);
    *enterEventMode = event ? fmi2True : fmi2False;
    *terminateSimulation = fmi2False;
    return leave(c, status);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME | MB_EVENT | MB_EXCHANGE_ONLY))
        return fmi2Error;
    return leave(c, mb_set_time(c, time));
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx)
{
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME | MB_EXCHANGE_ONLY) ||
        !mb_given_all(c, nx, x, "x"))
        return fmi2Error;
    return leave(c, mb_set_states(c, x, nx));
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx)
{
    if (!mb_enter(c, __func__, MB_CALCULATING | MB_EXCHANGE_ONLY) ||
        !mb_given_all(c, nx, derivatives, "derivatives"))
        return fmi2Error;
    return leave(c, mb_get_rates(c, derivatives, nx));
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni)
{
    if (!mb_enter(c, __func__, MB_CALCULATING | MB_EXCHANGE_ONLY) ||
        !mb_given_all(c, ni, eventIndicators, "eventIndicators"))
        return fmi2Error;
    return leave(c, mb_get_indicators(c, eventIndicators, ni));
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx)
{
    if (!mb_enter(c, __func__, MB_CALCULATING | MB_EXCHANGE_ONLY) ||
        !mb_given_all(c, nx, x, "x"))
        return fmi2Error;
    return leave(c, mb_get_states(c, x, nx));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[], size_t nx)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE | MB_EXCHANGE_ONLY) ||
        !mb_given_all(c, nx, x_nominal, "x_nominal"))
        return fmi2Error;
    return leave(c, mb_get_nominals(c, x_nominal, nx));
}
