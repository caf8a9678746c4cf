/* FMI 3.0: derivatives of outputs with respect to time. */
#include "fmi3Functions.h"
#include "mb_calls.h"

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t nValues)
{
    mb_instance *m = instance;
    const unsigned modes = MB_STEP | MB_TERMINATED | MB_FAILED | MB_VISITED;
    if (!mb_enter(m, __func__, modes | MB_STEPS_ONLY) ||
        !mb_given_all(m, nValueReferences, valueReferences, "valueReferences") ||
        !mb_given_all(m, nValueReferences, orders, "orders") ||
        !mb_given_all(m, nValues, values, "values"))
        return fmi3Error;
    if (nValues != nValueReferences)
        return (fmi3Status)mb_leave(
            m, mb_refuse(m, MB_ERROR, "%lu values for %lu scalar variables", (unsigned long)nValues,
                         (unsigned long)nValueReferences));
    return (fmi3Status)mb_leave(
        m, mb_get_output_rates(m, valueReferences, orders, nValueReferences, values));
}
