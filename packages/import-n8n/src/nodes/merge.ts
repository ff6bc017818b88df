import { braced } from '../expressions/template.ts';
import { NOTHING, type Source } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { show } from '../workflow.ts';
import { combineNode } from './combine.ts';
import type { Conversion, Converted } from './converter.ts';
import { listNode } from './list-node.ts';

/** Joins inputs. */
export function mergeNode(conversion: Conversion): Converted {
  const { parameters, inputs } = conversion;
  const { mode = 'append' } = parameters;
  const lists = inputs.map(listOf);
  const isConnected = (list: string): boolean => list !== listOf(NOTHING);
  const result = (expression: string): Converted => listNode(conversion, expression);
  if (mode === 'append') return result(`[${lists.map((each) => `...${each}`).join(', ')}]`);
  const isChoice = mode === 'chooseBranch' || mode === 'passThrough' || mode === 'wait';
  if (!isChoice) return combineNode(conversion, lists);
  const { output = mode === 'wait' ? 'empty' : 'specifiedInput', useDataOfInput = 1 } = parameters;
  const all = (expression: string): Converted => ifAll(result(expression), conversion, lists.filter(isConnected));
  if (output === 'empty') return all('[{}]');
  const number = output === 'specifiedInput' ? Number(useDataOfInput) : Number(show(output).replace('input', ''));
  const chosen = lists[number - 1] ?? unsupported(`the output ${show(output)}`);
  return isConnected(chosen) ? all(chosen) : unsupported('the items of an input that nothing leads to');
}

/** From version 2 on, a node that chooses a branch runs only if all have items. */
function ifAll(converted: Converted, { id, node, hasAllInputs }: Conversion, lists: readonly string[]): Converted {
  if (hasAllInputs || node.version < 2) return converted;
  const check = `${id}__all`;
  const condition = braced(lists.map((each) => `${each}.length > 0`).join(' && '));
  return {
    nodes: [
      { id: check, type: 'if', name: `${node.name}: items at all inputs?`, parameters: { condition } },
      ...converted.nodes,
    ],
    edges: [{ source: check, target: id, sourceHandle: 'true' }],
    outputs: converted.outputs,
  };
}

/** The items of an input, none if its branch was not taken. */
export function listOf({ text: data, shape }: Source): string {
  return shape === 'list' ? `(${data} ?? [])` : `[${data}].filter((item) => item !== undefined)`;
}
