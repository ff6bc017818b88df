import { parseOwnJson, type JsonValue } from '@deckhand/contracts';

/** Loops with fewer iterations keep their outputs as they are. */
const MIN_PACKED = 10_000;
/** Iterations whose outputs are packed together. */
const BLOCK = 1_000;

/** The outputs of a loop's iterations, which finish in any order. */
export interface LoopOutputs {
  /** Sets the output of an iteration, once. */
  set(index: number, output: JsonValue): void;
  /** Returns all outputs; null for iterations without one. */
  all(): JsonValue[];
}

/**
 * Creates the outputs of a loop. A long loop packs those of a thousand iterations, once they are all finished, into one
 * JSON text: as objects they take five times as much, and V8 lets the heap grow to twice of what is in use.
 * @param length the number of iterations, or of those known so far if more may follow.
 */
export function createLoopOutputs(length: number, { mayGrow = false } = {}): LoopOutputs {
  if (length < MIN_PACKED || mayGrow) {
    // Filled, because V8 keeps a long array with holes as a slow dictionary.
    const outputs = new Array<JsonValue>(length).fill(null);
    return {
      set(index, output) {
        outputs[index] = output;
      },
      all: () => outputs,
    };
  }
  const blocks = Array.from({ length: Math.ceil(length / BLOCK) }, (_, at) => ({
    size: Math.min(BLOCK, length - at * BLOCK),
    finished: 0,
    outputs: [] as JsonValue[],
    packed: '',
  }));
  return {
    set(index, output) {
      const block = blocks[Math.floor(index / BLOCK)];
      if (!block || block.finished === block.size) throw new Error(`iteration ${index} cannot finish, or not again`);
      if (block.outputs.length === 0) block.outputs = new Array<JsonValue>(block.size).fill(null);
      block.outputs[index % BLOCK] = output;
      block.finished += 1;
      if (block.finished < block.size) return;
      block.packed = JSON.stringify(block.outputs);
      block.outputs = [];
    },
    all() {
      const all = new Array<JsonValue>(length).fill(null);
      for (const [at, { outputs, packed }] of blocks.entries()) {
        const unpacked = packed === '' ? outputs : parseOwnJson<JsonValue[]>(packed);
        for (const [index, output] of unpacked.entries()) all[at * BLOCK + index] = output;
      }
      return all;
    },
  };
}
