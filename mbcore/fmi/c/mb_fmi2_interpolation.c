/* FMI 2.0: derivatives with respect to time of inputs and outputs. */
#include "fmi2Functions.h"
#include "mb_instance.h"

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
