/* FMI 2.0: Co-Simulation. */
#include "fmi2Functions.h"
#include "mb_calls.h"

static fmi2Status leave(mb_instance *m, mb_status status)
{
    return (fmi2Status)mb_leave(m, status);
}

enum { STATUS_MODES = MB_STEP | MB_TERMINATED | MB_STEPS_ONLY };

/* The status is not one that the FMU can tell; the simulation may go on. */
static fmi2Status untold(fmi2Component c, const char *function, int kind)
{
    if (!mb_enter(c, function, STATUS_MODES))
        return fmi2Error;
    return leave(c, mb_refuse(c, MB_DISCARD,
                              "the FMU has no status of kind %d; it tells fmi2LastSuccessfulTime "
                              "as a Real and fmi2Terminated as a Boolean",
                              kind));
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(c, __func__, MB_STEP | MB_STEPS_ONLY))
        return fmi2Error;
    int never;
    return leave(c, mb_do_step(c, currentCommunicationPoint, communicationStepSize, &never));
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    if (s != fmi2LastSuccessfulTime)
        return untold(c, __func__, s);
    if (!mb_enter(c, __func__, STATUS_MODES) || !mb_given(c, value, "value"))
        return fmi2Error;
    *value = ((mb_instance *)c)->now.t;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value)
{
    if (s != fmi2Terminated)
        return untold(c, __func__, s);
    if (!mb_enter(c, __func__, STATUS_MODES) || !mb_given(c, value, "value"))
        return fmi2Error;
    *value = ((mb_instance *)c)->terminated;
    return fmi2OK;
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    (void)value;
    return untold(c, __func__, s);
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value)
{
    (void)value;
    return untold(c, __func__, s);
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value)
{
    (void)value;
    return untold(c, __func__, s);
}
