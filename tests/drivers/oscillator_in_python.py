"""A damped oscillator under a force, solved exactly in each step, as pythonfmu makes an FMU."""

import math

from pythonfmu import Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Real


class Oscillator(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.k, self.d, self.force, self.x, self.v = 4.0, 0.4, 0.0, 1.0, 0.0
        fixed = Fmi2Variability.fixed
        for name in ("k", "d"):
            self.register_variable(Real(name, causality=Fmi2Causality.parameter, variability=fixed))
        self.register_variable(Real("force", causality=Fmi2Causality.input))
        for name in ("x", "v"):
            exact = Fmi2Initial.exact
            self.register_variable(Real(name, causality=Fmi2Causality.output, initial=exact))

    def do_step(self, current_time, step_size):
        rest, half = self.force / self.k, self.d / 2
        turning = math.sqrt(self.k - half * half)
        c, s = math.cos(turning * step_size), math.sin(turning * step_size) / turning
        decay, y = math.exp(-half * step_size), self.x - rest
        self.x = rest + decay * (y * c + (self.v + half * y) * s)
        self.v = decay * (self.v * c - (half * self.v + self.k * y) * s)
        return True
