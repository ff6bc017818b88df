import type { NodeFailure } from '@deckhand/engine';
import { type JSValueHandle, JSException, QuickJS } from 'quickjs-wasi';
import { type ConsoleLines, createConsoleLines } from './console-lines.ts';
import { limitReached, outOfMemory, scriptFailed, tooLate } from './failures.ts';
import { functionText, LINES_BEFORE } from './function-text.ts';
import { GUEST } from './guest.ts';
import { INTL_GUEST } from './intl-guest.ts';
import { createIntlHost } from './intl-host.ts';
import { jsonDepth } from './json-depth.ts';
import type { ScriptAnswer, ScriptTask } from './task.ts';

/** Maximum length of an output, in characters of JSON. */
const MAX_OUTPUT = 10_485_760;
/** Maximum depth of an output: later steps walk it recursively. */
const MAX_DEPTH = 1_000;
/** Size of the sandbox's own stack, in bytes. */
const STACK_BYTES = 262_144;
/** Name of the script in its stack traces. */
const FILE = 'script';

declare global {
  // The types of Node.js 20 lack it; this is the part that is needed here.
  // oxlint-disable-next-line typescript/no-namespace -- the only way to name a type of it
  namespace WebAssembly {
    // oxlint-disable-next-line typescript/no-extraneous-class -- nobody looks into it
    class Module {
      constructor(bytes: Uint8Array);
    }
  }
}

/** The guest's report of how the script ended. */
interface Told {
  readonly kind: string;
  readonly text: string;
  readonly stack: string;
}

/**
 * Runs a script in a runtime of its own, which is discarded afterwards. The script gets nothing of the host but some
 * functions that take text, and return text or a number that is computed from it. It blocks its thread. Loops of the
 * script are interrupted when its time is up; long operations of the engine and of the host's `Intl` are not, so the
 * owner of the thread terminates it.
 */
export async function runInSandbox(wasm: WebAssembly.Module, task: ScriptTask): Promise<ScriptAnswer> {
  const lines = createConsoleLines();
  const clock = { isLate: false };
  let deadline = Number.POSITIVE_INFINITY;
  const vm = await QuickJS.create({
    wasm,
    memoryLimit: task.memoryBytes,
    maxStackSize: STACK_BYTES,
    timezoneOffset: 0,
    interruptHandler: () => (clock.isLate ||= Date.now() > deadline),
    // The engine cannot print to the output of the process.
    wasi: () => ({ fd_write: () => 0 }),
  });
  deadline = Date.now() + task.timeoutMs;
  const outcome = attempt(vm, task, lines);
  const late = { failure: tooLate(task.timeoutMs) };
  return { ...(clock.isLate ? late : toOutcome(outcome, task)), console: lines.lines };
}

/** Runs the script. @returns the guest's report, an error of the sandbox, or undefined if the script still waits. */
function attempt(
  vm: QuickJS,
  { source, names, keepsConsole }: ScriptTask,
  lines: ConsoleLines,
): Told | Error | undefined {
  let told: Told | undefined;
  const tell = vm.newFunction('tell', (kind, text, stack) => {
    told ??= { kind: read(kind), text: read(text), stack: read(stack) };
    return vm.undefined;
  });
  const print = vm.newFunction('print', (line) => {
    // Copying lines that are left out anyway would let a script keep its thread busy.
    if (!lines.isFull()) lines.add(read(line));
    return vm.undefined;
  });
  try {
    const loadIntl = vm.newFunction('loadIntl', () => orEmpty(vm, () => createIntl(vm)));
    const guest = vm.callFunction(
      vm.evalBytecode(compiled(vm)),
      vm.undefined,
      tell,
      keepsConsole ? print : vm.undefined,
      loadIntl,
    );
    const script = vm.evalCode(functionText(source), FILE);
    vm.callFunction(guest, vm.undefined, script, vm.newString(names));
    vm.executePendingJobs();
    return told;
  } catch (error) {
    return told ?? (error instanceof Error ? error : new Error(String(error)));
  }
}

let guestCode: Uint8Array | undefined;

/** Returns the compiled code of the guest. Each script needs it, and compiling takes a tenth of the shortest ones. */
function compiled(vm: QuickJS): Uint8Array {
  guestCode ??= vm.compile(GUEST, 'guest');
  return guestCode;
}

/** Creates the script's methods for languages and time zones, when it first uses one. */
function createIntl(vm: QuickJS): JSValueHandle {
  const host = createIntlHost();
  let last = vm.undefined;
  // The engine copies what it is given, and the handle stays ours. A script may ask very often.
  const give = (create: () => JSValueHandle): JSValueHandle => {
    last.dispose();
    last = vm.undefined;
    last = orEmpty(vm, create);
    return last;
  };
  const ask = vm.newEphemeralFunction((settings, method, args) =>
    give(() => vm.newString(host.ask(read(settings), read(method), read(args)))),
  );
  const compare = vm.newEphemeralFunction((settings, a, b) =>
    give(() => {
      const order = host.compare(read(settings), read(a), read(b));
      return typeof order === 'number' ? vm.newNumber(order) : vm.newString(order);
    }),
  );
  return vm.callFunction(vm.evalCode(INTL_GUEST, 'guest'), vm.undefined, ask, compare);
}

/**
 * Returns undefined if the stack is used up, and null if the memory is: an error of the host would show the script a
 * stack that names files of the host.
 */
function orEmpty(vm: QuickJS, create: () => JSValueHandle): JSValueHandle {
  try {
    return create();
  } catch (error) {
    const isStack = error instanceof RangeError || (error instanceof JSException && !isOutOfMemory(error.message));
    return isStack ? vm.undefined : vm.null;
  }
}

/** Text from the guest; other values are not converted, because that would run the guest's code. */
function read(handle: JSValueHandle | undefined): string {
  return handle?.isString === true ? handle.toString() : '';
}

function toOutcome(
  outcome: Told | Error | undefined,
  { memoryBytes }: ScriptTask,
): { readonly text: string } | { readonly failure: NodeFailure } {
  if (outcome === undefined) {
    return { failure: scriptFailed('the script waits for a promise that nothing will ever settle') };
  }
  if (outcome instanceof Error) return { failure: ofError(outcome, memoryBytes) };
  const { kind, text, stack } = outcome;
  if (kind !== 'output') {
    return { failure: isOutOfMemory(text) ? outOfMemory(memoryBytes) : scriptFailed(text, lineOf(stack)) };
  }
  if (text.length > MAX_OUTPUT)
    return { failure: limitReached(`the output is longer than ${MAX_OUTPUT} characters of JSON`) };
  if (jsonDepth(text) > MAX_DEPTH) return { failure: limitReached(`the output nests deeper than ${MAX_DEPTH} levels`) };
  return { text };
}

/** An error of the sandbox itself: of the engine, or the host's stack is used up. */
function ofError(error: Error, memoryBytes: number): NodeFailure {
  if (error instanceof RangeError) return limitReached('the script nests too deeply');
  if (isOutOfMemory(error.message)) return outOfMemory(memoryBytes);
  if (!(error instanceof JSException)) return limitReached('the script did what its sandbox cannot go on after');
  const { name, message, stack } = error;
  return scriptFailed(name === 'Error' ? message : `${name}: ${message}`, lineOf(stack ?? ''));
}

function isOutOfMemory(message: string): boolean {
  return message.endsWith('out of memory');
}

/** Returns the line of the script in which a stack trace starts. */
function lineOf(stack: string): number | undefined {
  const [, digits] = /\bscript:(\d+)/.exec(stack.slice(0, 10_000)) ?? [];
  const line = Number(digits) - LINES_BEFORE;
  return line >= 1 ? line : undefined;
}
