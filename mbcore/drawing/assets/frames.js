// Frames as pages hold them: counts of small steps, of which there are second differences in time.

export function bytesOf(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

export async function unpacked({ count, places, origin, steps, bytes }) {
  // Frame after frame, all numbers of a scene each, in single precision.
  if (!window.DecompressionStream) throw new Error("this browser is too old to unpack the motion; use one from 2023 or later");
  const stream = new Blob([bytesOf(bytes)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const total = origin.length * count, kept = new Float32Array(total);
  for (let column = 0, at = 0; column < origin.length; column++) {
    let value = 0, rate = 0;
    for (let i = 0; i < count; i++, at++) {
      const folded = planes[at] | (planes[at + total] << 8) | (planes[at + 2 * total] << 16) | (planes[at + 3 * total] << 24);
      rate += (folded >>> 1) ^ -(folded & 1);
      value += rate;
      kept[at] = origin[column] + steps[column] * value;
    }
  }
  const size = places.length, frames = new Float32Array(size * count);
  for (let k = 0; k < size; k++) {
    const from = places[k] * count;
    for (let i = 0; i < count; i++) frames[i * size + k] = kept[from + i];
  }
  return frames;
}
