"""HuntCrossley, LankaraniNikravesh, Flores, KelvinVoigt, Hysteresis"""

from matplotlib.figure import Figure

from mbcore import Body, Model, simulate
from mbcore.contact import Flores, HuntCrossley, KelvinVoigt, LankaraniNikravesh

laws = {
    "Kelvin-Voigt": KelvinVoigt(stiffness=1e6, damping=300.0),
    "Hunt-Crossley": HuntCrossley(stiffness=1e8, restitution=0.6),
    "Lankarani-Nikravesh": LankaraniNikravesh(stiffness=1e8, restitution=0.6),
    "Flores": Flores(stiffness=1e8, restitution=0.6),
}
figure = Figure(figsize=(6.4, 4.0), layout="constrained")
axes = figure.add_subplot(xlabel="depth δ (mm)", ylabel="force F (kN)")
for name, law in laws.items():
    drop = Model("impact")
    ball = drop.point("ball", (0, 0))
    ball.y.fix()
    drop.add(Body("mass", ball, mass=1.0))
    ball.x.dof("depth", "rate", rate_start=1.0).law(law(ball.x.value, ball.x.rate, 1.0))
    drop.output("force", law(ball.x.value, ball.x.rate, 1.0), unit="N")
    run = simulate(drop.equations(), 6e-3, samples=400)
    touching = run["depth"] >= 0
    axes.plot(1e3 * run["depth"][touching], run["force"][touching] / 1e3, label=name)
axes.legend()
