/* FMI 2.0: functions that must exist, for what this FMU does not provide. */
#include "fmi2Functions.h"
#include "mb_calls.h"

fmi2Status fmi2CancelStep(fmi2Component c) { return (fmi2Status)mb_not_provided(c, __func__); }
