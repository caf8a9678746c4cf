/* FMI 3.0: derivatives of outputs with respect to time. */
#include "fmi3Functions.h"
#include "mb_instance.h"

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)orders, (void)values, (void)nValues;
    return (fmi3Status)mb_not_provided(instance, __func__);
}
