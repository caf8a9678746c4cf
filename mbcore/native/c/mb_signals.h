/* Inputs over time of runs and of many instances: pieces of polynomials, or what the host evaluates. */
#ifndef MB_SIGNALS_H
#define MB_SIGNALS_H

/* Shared with the host, see mbcore/native/shared.py. */
typedef struct {
    int input; /* place in u */
    int order; /* coefficients of a piece, that of the highest power first; 0: the host evaluates it */
    int each;  /* whether every instance has its own */
    const long *first;  /* each one's first knot, and behind the last one's last */
    const double *knot; /* times at which pieces begin, rising; the first and the last piece go on */
    const double *power; /* coefficients of each, in the time since its knot */
    double low, high;    /* values between which nothing is unusual */
} mb_signal;

typedef struct {
    int count; /* of inputs */
    const mb_signal *signal;
    /* the host's: writes its values of some instances into rows of `count` */
    void (*host)(long instances, const long *id, const double *t, double *value);
    int hosted, each; /* whether there is one to evaluate, and whether breaks are each instance's own */
    const long *first_break; /* as `first` of a signal: */
    const double *break_time; /* where signals may jump, and steps end */
} mb_signals;

/* Where an instance is on its way, as far as its inputs are concerned. Up to `until` signals go on as
 * before it, since steps end there. */
typedef struct {
    long id;
    double t, until;
} mb_signal_place;

/* The first break behind a time, infinity behind the last one. */
double mb_next_break(const mb_signals *signals, long id, double t);

/* Values of the inputs at some places, a row for each; returns in `usual` where none is. */
void mb_follow_signals(const mb_signals *signals, int count, const mb_signal_place *place,
                       double *value, unsigned char *usual);

#endif
