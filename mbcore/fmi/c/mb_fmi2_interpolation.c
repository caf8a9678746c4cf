/* FMI 2.0: derivatives with respect to time of inputs and outputs. */
#include "fmi2Functions.h"
#include "mb_calls.h"

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    mb_instance *m = c;
    if (!mb_enter(m, __func__, MB_INSTANTIATED | MB_INITIALIZATION | MB_STEP | MB_STEPS_ONLY) ||
        !mb_given_all(m, nvr, vr, "vr") || !mb_given_all(m, nvr, order, "order") ||
        !mb_given_all(m, nvr, value, "value"))
        return fmi2Error;
    mb_status status = MB_OK;
    for (size_t i = 0; !status && i < nvr; i++)
        status = mb_check_course(m, vr[i], order[i], value[i]);
    for (size_t i = 0; !status && i < nvr; i++)
        mb_set_course(m, vr[i], order[i], value[i]);
    return (fmi2Status)mb_leave(m, status);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[])
{
    mb_instance *m = c;
    if (!mb_enter(m, __func__, MB_STEP | MB_TERMINATED | MB_FAILED | MB_STEPS_ONLY) ||
        !mb_given_all(m, nvr, vr, "vr") || !mb_given_all(m, nvr, order, "order") ||
        !mb_given_all(m, nvr, value, "value"))
        return fmi2Error;
    return (fmi2Status)mb_leave(m, mb_get_output_rates(m, vr, order, nvr, value));
}
