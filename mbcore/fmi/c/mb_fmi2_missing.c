/* FMI 2.0: functions that must exist, for what this FMU does not provide. */
#include "fmi2Functions.h"
#include "mb_instance.h"

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    (void)FMUstate;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate)
{
    (void)FMUstate;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    (void)FMUstate;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size)
{
    (void)FMUstate, (void)size;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate,
                                 fmi2Byte serializedState[], size_t size)
{
    (void)FMUstate, (void)serializedState, (void)size;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate)
{
    (void)serializedState, (void)size, (void)FMUstate;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[],
                                        size_t nUnknown, const fmi2ValueReference vKnown_ref[],
                                        size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[])
{
    (void)vUnknown_ref, (void)nUnknown, (void)vKnown_ref;
    (void)nKnown, (void)dvKnown, (void)dvUnknown;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    (void)vr, (void)nvr, (void)order, (void)value;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[])
{
    (void)vr, (void)nvr, (void)order, (void)value;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2CancelStep(fmi2Component c) { return (fmi2Status)mb_not_provided(c, __func__); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    (void)s, (void)value;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value)
{
    (void)s, (void)value;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value)
{
    (void)s, (void)value;
    return (fmi2Status)mb_not_provided(c, __func__);
}
