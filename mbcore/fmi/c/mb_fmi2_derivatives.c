/* FMI 2.0: partial derivatives. */
#include "fmi2Functions.h"
#include "mb_derivatives.h"

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[],
                                        size_t nUnknown, const fmi2ValueReference vKnown_ref[],
                                        size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[])
{
    if (!mb_enter(c, __func__, MB_CALCULATING) ||
        !mb_given_all(c, nUnknown, vUnknown_ref, "vUnknown_ref") ||
        !mb_given_all(c, nKnown, vKnown_ref, "vKnown_ref") ||
        !mb_given_all(c, nKnown, dvKnown, "dvKnown") ||
        !mb_given_all(c, nUnknown, dvUnknown, "dvUnknown"))
        return fmi2Error;
    const mb_partial of = {vUnknown_ref, vKnown_ref, nUnknown, nKnown, 0};
    return (fmi2Status)mb_leave(c, mb_directional(c, &of, dvKnown, dvUnknown));
}
