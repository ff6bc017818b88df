import type { NodeDefinition } from '@deckhand/contracts';
import { braced, MAX_EXPRESSION } from '../expressions/template.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { object } from '../workflow.ts';
import { areExclusive, MAX_WAYS } from '../routes.ts';
import { edgeFrom, type Way } from '../joins.ts';
import { type Conversion, type Converted, type Output, outputOf } from './converter.ts';

/**
 * Converts `Loop Over Items`: a loop over the items, or over batches of them.
 * @param bodyOutput the output that leads into the body; the other one comes after the loop.
 */
export function loopNode({ id, node, parameters, input }: Conversion, bodyOutput: number): Converted {
  const { batchSize = node.version >= 3 ? 1 : 10, options } = parameters;
  if (typeof batchSize !== 'number' || batchSize < 1) return unsupported('a size of batches that is an expression');
  if (object(options).reset !== undefined && object(options).reset !== false)
    return unsupported('a loop that is reset');
  if (node.original.alwaysOutputData === true) {
    return unsupported('it always outputs data, so the nodes after it would run in each iteration');
  }
  const batches = `${id}__batches`;
  const split: NodeDefinition = {
    id: batches,
    type: 'split',
    name: `${node.name}: batches`,
    parameters: { items: braced(asList(input)), size: batchSize },
  };
  const items = batchSize === 1 ? braced(asList(input)) : braced(`$nodes.${batches}.output`);
  const loop: NodeDefinition = { id, type: 'loop', name: node.name, parameters: { items } };
  const body: Output = {
    nodeId: id,
    handle: 'body',
    source: { text: '$loop.item', shape: batchSize === 1 ? 'one' : 'list' },
  };
  const done: Output = { nodeId: id, handle: 'done', source: { text: `$nodes.${id}.output`, shape: 'list' } };
  return {
    nodes: batchSize === 1 ? [loop] : [split, loop],
    edges: batchSize === 1 ? [] : [{ source: batches, target: id }],
    outputs: bodyOutput === 0 ? [body, done] : [done, body],
  };
}

/**
 * Returns the output after a loop whose body has one end, which leads back and always has items of its own; undefined
 * for an end whose items are those of another node.
 */
function afterLoop(done: Output, { nodeId, source: { text, shape } }: Output): Output | undefined {
  const own = `$nodes.${nodeId}.output`;
  if (!text.startsWith(own)) return undefined;
  const path = text.slice(own.length);
  const method = shape === 'one' ? 'map' : 'flatMap';
  const source = { text: `${done.source.text}.${method}((result) => result${path})`, shape: 'list' } as const;
  return { ...done, source };
}

/** Nodes that gather what a loop returns. */
export interface Gathered extends Omit<Converted, 'outputs'> {
  /** The output that stands for that of the loop. */
  readonly output: Output;
}

/**
 * Returns what comes after a loop, or why that cannot be used.
 * @param ways those from its body back to it.
 * @param isSimple whether its body has one end, which leads back and always has items.
 * @param isUsed whether anything comes after it.
 */
export function loopResult(
  name: string,
  done: Output,
  ways: readonly Way[],
  { isSimple, isUsed }: { readonly isSimple: boolean; readonly isUsed: boolean },
): Gathered | { readonly problem: string } {
  const [first] = ways;
  if (!first) return { problem: 'what a loop returns that nothing leads back to' };
  const problem = ways.find(({ output }) => output.problem !== undefined)?.output.problem;
  if (problem !== undefined) return { problem };
  const plain = isSimple ? afterLoop(done, first.output) : undefined;
  if (plain) return { nodes: [], edges: [], output: plain };
  if (!isUsed) return { problem: 'what a loop returns, which leads nowhere' };
  if (ways.length > MAX_WAYS) return { problem: 'what a loop returns whose body leads back by too many ways' };
  if (!areExclusive(ways)) return { problem: 'what a loop returns whose body leads back by several ways at once' };
  if (ways.some(({ output }) => asList(output.source).length > MAX_EXPRESSION)) {
    return { problem: 'what a loop returns, which is too long here' };
  }
  return gatherLoop(
    name,
    done,
    ways.map(({ output }) => output),
  );
}

/**
 * Gathers what the iterations of a loop return, each by one of several ways at most. As in n8n, the nodes after the
 * loop run only if all of them returned items.
 * @param ways the outputs of the body that lead back.
 */
function gatherLoop(name: string, done: Output, ways: readonly Output[]): Gathered {
  const id = done.nodeId;
  const [result, isComplete] = [`${id}__result`, `${id}__complete`];
  const endings = ways.map((_way, index) => `${id}__back_${index + 1}`);
  const source = [
    `const endings = ${JSON.stringify(endings)};`,
    '// An iteration is its end or, where it may have several, an object by their ids.',
    'const returned = (round) =>',
    '  round?.isBack === true ? round.items : endings.map((each) => round?.[each]?.items).find((each) => each !== undefined);',
    `const rounds = $nodes.${id}.output.map(returned);`,
    'return { isComplete: rounds.every((items) => items?.length > 0), items: rounds.flat() };',
  ].join('\n');
  const condition = braced(`$nodes.${result}.output.isComplete`);
  return {
    nodes: [
      ...ways.map((way, index): NodeDefinition => {
        const fields = { isBack: true, items: braced(asList(way.source)) };
        return { id: endings[index] ?? '', type: 'set', name: `${name}: back`, parameters: { fields } };
      }),
      { id: result, type: 'code', name: `${name}: result`, parameters: { source } },
      { id: isComplete, type: 'if', name: `${name}: all returned?`, parameters: { condition } },
    ],
    edges: [
      ...ways.map((way, index) => edgeFrom(way, endings[index] ?? '')),
      edgeFrom(done, result),
      { source: result, target: isComplete },
    ],
    output: { nodeId: isComplete, handle: 'true', source: outputOf(result, 'list', '.items') },
  };
}
