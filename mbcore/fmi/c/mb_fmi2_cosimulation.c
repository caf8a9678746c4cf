/* FMI 2.0: Co-Simulation. */
#include "fmi2Functions.h"
#include "mb_instance.h"

static fmi2Status leave(mb_instance *m, mb_status status)
{
    return (fmi2Status)mb_leave(m, status);
}

static fmi2Status not_provided(fmi2Component c, const char *function)
{
    return (fmi2Status)mb_not_provided(c, function);
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(c, __func__, MB_STEP))
        return fmi2Error;
    int never;
    return leave(c, mb_do_step(c, currentCommunicationPoint, communicationStepSize, &never));
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    if (s != fmi2LastSuccessfulTime)
        return not_provided(c, __func__);
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    *value = ((mb_instance *)c)->now.t;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value)
{
    if (s != fmi2Terminated)
        return not_provided(c, __func__);
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    *value = ((mb_instance *)c)->terminated;
    return fmi2OK;
}
