/* FMI 2.0: functions that must exist, for what this FMU does not provide. */
#include "fmi2Functions.h"
#include "mb_instance.h"

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
