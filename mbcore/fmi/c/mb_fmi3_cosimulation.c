/* FMI 3.0: Co-Simulation. */
#include "fmi3Functions.h"
#include "mb_calls.h"

static fmi3Status leave(mb_instance *m, mb_status status)
{
    return (fmi3Status)mb_leave(m, status);
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    if (!mb_enter(instance, __func__, MB_EVENT | MB_STEPS_ONLY))
        return fmi3Error;
    return leave(instance, mb_leave_event_mode(instance, MB_STEP));
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime)
{
    mb_instance *m = instance;
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(m, __func__, MB_STEP | MB_STEPS_ONLY) ||
        !mb_given(m, eventHandlingNeeded, "eventHandlingNeeded") ||
        !mb_given(m, terminateSimulation, "terminateSimulation") ||
        !mb_given(m, earlyReturn, "earlyReturn") ||
        !mb_given(m, lastSuccessfulTime, "lastSuccessfulTime"))
        return fmi3Error;
    int event = 0;
    const mb_status status =
        mb_do_step(m, currentCommunicationPoint, communicationStepSize, &event);
    *eventHandlingNeeded = event;
    *earlyReturn = !status && m->now.t < currentCommunicationPoint + communicationStepSize;
    *terminateSimulation = m->terminated;
    *lastSuccessfulTime = m->now.t;
    return leave(m, status);
}
