// The FMU: its functions of FMI 3.0 in WebAssembly, called by names of variables.

const OK = 0;
const WARNING = 1;
const GETTERS = { real: "fmi3GetFloat64", integer: "fmi3GetInt32", boolean: "fmi3GetBoolean", enumeration: "fmi3GetInt64" };
const SETTERS = { real: "fmi3SetFloat64", integer: "fmi3SetInt32", boolean: "fmi3SetBoolean", enumeration: "fmi3SetInt64" };
const PLACES = 16; // bytes of scratch for references, values and flags

export class FmuError extends Error {}

export async function loadModule(letters) {
  // base64 of a gzip file
  const packed = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

function system(module, own) {
  // What the C library wants of a system: nothing of it is needed, so each call says that it failed.
  const imports = { page: own };
  for (const { module: room, name } of WebAssembly.Module.imports(module)) {
    if (room === "page") continue;
    imports[room] ??= {};
    imports[room][name] = name === "proc_exit" ? (code) => { throw new FmuError(`the model ended with status ${code}`); } : () => 8;
  }
  return imports;
}

export class Fmu {
  // `told(status, text)` is called with each message that the FMU logs.
  constructor(module, told) {
    const log = (status, text) => told(status, this.text(text));
    this.instance = new WebAssembly.Instance(module, system(module, { log }));
    this.call = this.instance.exports;
    this.call._initialize?.();
    this.memory = this.call.memory;
    this.scratch = this.call.malloc(4 * PLACES);
    this.component = this.call.mb_page_instantiate();
    if (!this.component) throw new FmuError("the model could not be made: there is too little memory");
    this.sceneSize = this.call.mb_page_scene_size();
    this.scenePlace = this.call.malloc(8 * Math.max(1, this.sceneSize));
  }

  text(place) {
    const bytes = new Uint8Array(this.memory.buffer, place);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  view() {
    // Views die where memory grows.
    if (this.data?.buffer !== this.memory.buffer) this.data = new DataView(this.memory.buffer);
    return this.data;
  }

  get(variable) {
    const { scratch } = this, value = scratch + PLACES;
    this.view().setUint32(scratch, variable.reference, true);
    const status = this.call[GETTERS[variable.type]](this.component, scratch, 1, value, 1);
    if (status > WARNING) return NaN;
    const data = this.view();
    if (variable.type === "real") return data.getFloat64(value, true);
    if (variable.type === "boolean") return data.getUint8(value);
    return variable.type === "integer" ? data.getInt32(value, true) : Number(data.getBigInt64(value, true));
  }

  set(variable, number) {
    // Return whether the FMU took it.
    const { scratch } = this, value = scratch + PLACES, data = this.view();
    data.setUint32(scratch, variable.reference, true);
    if (variable.type === "real") data.setFloat64(value, number, true);
    else if (variable.type === "boolean") data.setUint8(value, number ? 1 : 0);
    else if (variable.type === "integer") data.setInt32(value, number, true);
    else data.setBigInt64(value, BigInt(Math.round(number)), true);
    return this.call[SETTERS[variable.type]](this.component, scratch, 1, value, 1) <= WARNING;
  }

  // Let a real input go on from its value at a rate in the next step. Return whether the FMU took it.
  move(variable, rate) {
    return this.call.mb_page_move(this.component, variable.reference, rate) <= WARNING;
  }

  reset() {
    return this.call.fmi3Reset(this.component) === OK;
  }

  initialize(start) {
    return (
      this.call.fmi3EnterInitializationMode(this.component, 0, 0, start, 0, 0) <= WARNING &&
      this.call.fmi3ExitInitializationMode(this.component) <= WARNING
    );
  }

  // Return the time that was reached, NaN where the step was refused.
  step(time, step) {
    const flags = this.scratch, last = this.scratch + PLACES;
    const status = this.call.fmi3DoStep(this.component, time, step, 0, flags, flags + 1, flags + 2, last);
    return status <= WARNING ? this.view().getFloat64(last, true) : NaN;
  }

  // Numbers of the scene at present, to be read before the next call; null where there are none.
  scene() {
    if (!this.sceneSize || this.call.mb_page_scene(this.component, this.scenePlace) > WARNING) return null;
    return new Float64Array(this.memory.buffer, this.scenePlace, this.sceneSize);
  }
}
