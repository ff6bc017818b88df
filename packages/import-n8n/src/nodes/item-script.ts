import type { JsonObject } from '@deckhand/contracts';
import { braced, toExpression } from '../expressions/template.ts';
import { asList } from '../source.ts';
import { type Conversion, type Converted, outputOf, single } from './converter.ts';
import { noteLimit, preludeOf } from './list-node.ts';

/** What a script does with each item. */
interface ItemScript {
  /** Parameters whose expressions are evaluated for each item. */
  readonly values: JsonObject;
  /** JavaScript before it, which may declare functions. */
  readonly lines?: readonly string[];
  /** An expression of JavaScript for what becomes of `item`, with the values as `given`. */
  readonly result: string;
}

/**
 * Returns a script that makes an item of each item. Expressions with functions that scripts do not have are evaluated
 * in a node before it.
 */
export function itemScript(conversion: Conversion, { values, lines = [], result }: ItemScript): Converted {
  const { id, node, input, scopeOfEach, review } = conversion;
  const items = asList(input);
  const expression = `${items}.map((item, index) => (${toExpression(values, scopeOfEach)}))`;
  const prelude = preludeOf(expression);
  const scriptId = prelude ? id : `${id}__items`;
  const source = [
    ...(prelude ?? []),
    `const items = ${items};`,
    `const values = ${prelude ? expression : `$nodes.${id}.output.values`};`,
    ...lines,
    `const make = (item, given) => (${result});`,
    `return items.map((item, index) => make(item, values[index]))${input.shape === 'one' ? '[0]' : ''};`,
  ].join('\n');
  const script = { id: scriptId, type: 'code', name: node.name, parameters: { source } };
  const output = outputOf(scriptId, input.shape);
  if (prelude) return single(script, output);
  noteLimit([expression], review);
  const fields = { values: braced(expression) };
  return {
    nodes: [{ id, type: 'set', name: `${node.name}: values`, parameters: { fields } }, script],
    edges: [{ source: id, target: scriptId }],
    outputs: [{ nodeId: scriptId, source: output }],
  };
}
