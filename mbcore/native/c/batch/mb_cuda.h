/* What the functions of a batch are made of on a graphics processor: one number for each thread. The names
 * are those of mb_lanes.h. Compiles as CUDA C++, and as C or C++ for a processor, one instance at a time.
 */
#ifdef __CUDACC__
#define MB_DEVICE static __device__
#define MB_KERNEL extern "C" __global__
#define MB_NUMBER ((long long)blockIdx.x * blockDim.x + threadIdx.x)
#ifndef INFINITY /* NVRTC has no headers */
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#endif
#if defined(__NVCC__) || defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 177 /* operations that a model does not need */
#endif
#else
#include <math.h>
#define MB_DEVICE static
#define MB_KERNEL
static long long mb_number;
#define MB_NUMBER mb_number
#endif

typedef double mb_lane;
#define MB_LANE MB_DEVICE inline double

MB_LANE mb_all(double a) { return a; }
MB_LANE mb_less(double a, double b) { return a < b; }
MB_LANE mb_at_most(double a, double b) { return a <= b; }
MB_LANE mb_equal(double a, double b) { return a == b; }
MB_LANE mb_unequal(double a, double b) { return a != b; }
MB_LANE mb_and(double a, double b) { return a != 0 && b != 0; }
MB_LANE mb_or(double a, double b) { return a != 0 || b != 0; }
MB_LANE mb_not(double a) { return a == 0; }
MB_LANE mb_if(double a, double b) { return a != 0 ? b : 0; }
MB_LANE mb_magnitude(double a) { return fabs(a); }
MB_LANE mb_with_sign_of(double a, double b) { return copysign(a, b); }
MB_LANE mb_sign(double a) { return a < 0 ? -1 : a > 0 ? 1 : a; }
MB_LANE mb_smaller(double a, double b) { return fmin(a, b); }
MB_LANE mb_larger(double a, double b) { return fmax(a, b); }
MB_LANE mb_root(double a) { return sqrt(a); }

#define MB_OF_ONE(prefix, name)                                                                      \
    MB_LANE prefix##name(double a) { return name(a); }
#define MB_OF_TWO(prefix, name)                                                                      \
    MB_LANE prefix##name(double a, double b) { return name(a, b); }
/* clang-format off */
MB_OF_ONE(mb_lane_, sin) MB_OF_ONE(mb_lane_, cos) MB_OF_ONE(mb_lane_, tan)
MB_OF_ONE(mb_lane_, asin) MB_OF_ONE(mb_lane_, acos) MB_OF_ONE(mb_lane_, atan)
MB_OF_ONE(mb_lane_, exp) MB_OF_ONE(mb_lane_, log) MB_OF_ONE(mb_lane_, expm1)
MB_OF_ONE(mb_lane_, sinh) MB_OF_ONE(mb_lane_, cosh) MB_OF_ONE(mb_lane_, tanh)
MB_OF_ONE(mb_each_, asinh) MB_OF_ONE(mb_each_, acosh) MB_OF_ONE(mb_each_, atanh)
MB_OF_ONE(mb_each_, floor) MB_OF_ONE(mb_each_, ceil)
MB_OF_ONE(mb_each_, erf) MB_OF_ONE(mb_each_, log1p)
MB_OF_TWO(mb_lane_, atan2) MB_OF_TWO(mb_lane_, pow)
MB_OF_TWO(mb_each_, fmod) MB_OF_TWO(mb_each_, remainder) MB_OF_TWO(mb_each_, hypot)
/* clang-format on */
