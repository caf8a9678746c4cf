// The part of the address behind #: all that was chosen, so that a link brings it back.

export function written(simulation, more = {}) {
  const parts = [...simulation.chosen].map(([name, value]) => `${encodeURIComponent(name)}=${value}`);
  for (const [name, value] of Object.entries(more)) parts.push(`${name}=${encodeURIComponent(value)}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

// Choose what a link says, from the start values on. Return the rest of it, and complaints.
export function read(hash, simulation, others) {
  const rest = {}, complaints = [];
  for (const name of [...simulation.chosen.keys()]) simulation.set(name, simulation.variable(name).start);
  for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const cut = part.indexOf("=");
    let name = part.slice(0, cut), text = part.slice(cut + 1);
    try {
      name = decodeURIComponent(name);
      text = decodeURIComponent(text);
    } catch {
      complaints.push(`the link holds ${part}, which cannot be read`);
      continue;
    }
    const value = text.trim() === "" ? NaN : Number(text);
    if (others.includes(name)) rest[name] = text;
    else if (simulation.variables.get(name)?.start === undefined) complaints.push(`the link sets ${name || part}, which this model does not have`);
    else if (Number.isNaN(value)) complaints.push(`the link sets ${name} to "${text}", which is not a number`);
    else if (!simulation.set(name, value)) complaints.push(...simulation.heard().map(({ text: said }) => said));
  }
  return { rest, complaints };
}
