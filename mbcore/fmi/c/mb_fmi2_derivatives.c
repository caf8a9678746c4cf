/* FMI 2.0: partial derivatives. */
#include "fmi2Functions.h"
#include "mb_instance.h"

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[],
                                        size_t nUnknown, const fmi2ValueReference vKnown_ref[],
                                        size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[])
{
    (void)vUnknown_ref, (void)nUnknown, (void)vKnown_ref;
    (void)nKnown, (void)dvKnown, (void)dvUnknown;
    return (fmi2Status)mb_not_provided(c, __func__);
}
