import type { EdgeDefinition, JsonValue, NodeDefinition } from '@deckhand/contracts';
import { braced } from './expressions/template.ts';
import { areExclusive, MAX_WAYS } from './routes.ts';
import { edgeFrom, type Way } from './joins.ts';
import type { Output } from './nodes/converter.ts';
import { asList, type Source } from './source.ts';

/** The first node of a cycle. */
export interface First {
  readonly id: string;
  readonly name: string;
}

/** A cycle as a loop that runs until it is left. */
export interface Repeat {
  readonly nodes: readonly NodeDefinition[];
  readonly edges: readonly EdgeDefinition[];
  /** What becomes of each output that leads out of the cycle. */
  readonly exits: readonly Exit[];
  /** Whether the items of several iterations may go on together. */
  readonly isGathered: boolean;
  /** Whether the run fails if several items go back. */
  readonly isForOne: boolean;
}

/** An output that leads out of a cycle. */
export interface Exit {
  readonly way: Way;
  /** The output that stands for it after the loop. */
  readonly output: Output;
  /** The node and its handle that lead there, if there are several ways. */
  readonly choice: readonly [string, string] | undefined;
  /** Returns the data of a node of the last iteration, which the loop then returns, too; undefined for several. */
  readonly keep: (id: string, source: Source) => Source | undefined;
}

/** Returns the id of the loop that a cycle becomes. */
export function loopOf({ id }: First): string {
  return `${id}__again`;
}

/** Returns the ids of the nodes that an iteration ends with if it goes back. */
function endings(id: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${id}__back_${index + 1}`);
}

/**
 * Returns the outputs of the nodes that an iteration ended with if it went back. That of an iteration is the output of
 * its end or, where it may have several, an object by their ids.
 */
function wentBack(id: string, { back, out }: { back: number; out: number }): string[] {
  return back + out === 1 ? ['$loop.previous'] : endings(id, back).map((each) => `$loop.previous?.${each}`);
}

/**
 * Returns the data of the first node of a cycle: what came in, and then what came back.
 * @param ways how many ways lead back, and out.
 */
export function inputOfCycle(
  { id }: First,
  entry: string,
  { shape, guess }: Source,
  ways: { readonly back: number; readonly out: number },
): Source {
  const text = `($loop.index === 0 ? ${entry} : (${wentBack(id, ways).join(' ?? ')}).data)`;
  return { text, shape, ...(guess !== undefined && { guess }) };
}

/**
 * Makes a loop of a cycle. An iteration ends at an output that leads back, or out of it.
 * @param shape what the first node gets.
 * @param mayEnd whether an iteration may end at neither, where n8n ends, too.
 * @returns undefined if an iteration may come back and go out with an item, or come back by two ways, or if there are
 * more than `MAX_WAYS` of them.
 */
export function repeatCycle(
  first: First,
  { back, out, shape, mayEnd }: { back: readonly Way[]; out: readonly Way[]; shape: Source['shape']; mayEnd: boolean },
): Repeat | undefined {
  if (back.length + out.length > MAX_WAYS) return undefined;
  // Of a list, some items may go back while others go on.
  const isGathered = !areExclusive([...back, ...out]);
  if (isGathered && !(areExclusive(back) && out.every(({ output }) => output.source.shape === 'list')))
    return undefined;
  const { id, name } = first;
  const loop = loopOf(first);
  const last = `$nodes.${loop}.output.at(-1)`;
  const ways = { back: back.length, out: out.length };
  const returns = wentBack(id, ways).map((each) => `${each}?.again === true`);
  const nodes: NodeDefinition[] = [
    {
      id: loop,
      type: 'loop',
      name: `${name}: again`,
      parameters: { mode: 'until', condition: braced(`!(${returns.join(' || ')})`) },
    },
  ];
  const edges: EdgeDefinition[] = [];
  let isForOne = false;
  for (const [index, ending] of endings(id, back.length).entries()) {
    const output = back[index]?.output;
    if (!output) continue;
    const title = `${name}: again`;
    edges.push(edgeFrom(output, ending));
    if (shape === 'one' && output.source.shape === 'list') {
      isForOne = true;
      const source = [
        `const items = ${output.source.text};`,
        "if (items.length > 1) throw new Error('Several items go back: make a loop of the nodes in the cycle');",
        'return { again: true, data: items[0] };',
      ].join('\n');
      nodes.push({ id: ending, type: 'code', name: title, parameters: { source } });
    } else {
      const data = braced(shape === 'list' ? asList(output.source) : output.source.text);
      nodes.push({ id: ending, type: 'set', name: title, parameters: { fields: { again: true, data } } });
    }
  }
  const isChosen = !isGathered && (out.length > 1 || (out.length === 1 && mayEnd));
  const choose = `${id}__way`;
  if (isChosen) {
    const cases = out.map((_way, index) => ({ handle: String(index), equals: String(index) }));
    const taken = out.map((_way, index) => `${last}?.${id}__out_${index + 1}`);
    const value = braced(`(${taken.join(' ?? ')})?.way ?? 'none'`);
    nodes.push({ id: choose, type: 'switch', name: `${name}: way on`, parameters: { value, cases } });
    edges.push({ source: loop, sourceHandle: 'done', target: choose });
  }
  const exits = out.map((way, index): Exit => {
    const number = index + 1;
    const ending = `${id}__out_${number}`;
    const result = `${id}__result_${number}`;
    const { source } = way.output;
    const nodesOf: Record<string, JsonValue> = {};
    const fields: Record<string, JsonValue> = { way: String(index), data: braced(source.text) };
    const all = `$nodes.${loop}.output.flatMap((round) => round.${ending}?.data ?? [])`;
    const data = braced(isGathered ? all : `${last}.${ending}.data`);
    nodes.push(
      { id: ending, type: 'set', name: `${way.from}: done`, parameters: { fields } },
      { id: result, type: 'set', name: `${way.from}: result`, parameters: { fields: { data } } },
    );
    edges.push(edgeFrom(way.output, ending));
    let choice: Exit['choice'];
    if (isChosen) choice = [choose, String(index)];
    if (isGathered) {
      choice = [`${id}__any_${number}`, 'true'];
      const condition = braced(`${all}.length > 0`);
      nodes.push({ id: choice[0], type: 'if', name: `${way.from}: any items?`, parameters: { condition } });
      edges.push({ source: loop, sourceHandle: 'done', target: choice[0] });
    }
    const [from, sourceHandle] = choice ?? [loop, 'done'];
    edges.push({ source: from, sourceHandle, target: result });
    return {
      way,
      output: { nodeId: result, source: { ...source, text: `$nodes.${result}.output.data` } },
      choice,
      keep(kept, { text, ...rest }) {
        if (isGathered) return undefined;
        nodesOf[kept] = braced(text);
        fields.nodes = nodesOf;
        return { ...rest, text: `${last}.${ending}.nodes.${kept}` };
      },
    };
  });
  return { nodes, edges, exits, isGathered, isForOne };
}
