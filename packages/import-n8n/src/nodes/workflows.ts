import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { createHash } from 'node:crypto';
import { braced, isExpression, toExpression } from '../expressions/template.ts';
import type { Scope } from '../expressions/scope.ts';
import { unsupported } from '../unsupported.ts';
import { list, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, incomplete, maybeEmpty, outputOf } from './converter.ts';
import { reviewOthers } from './triggers.ts';

/** Starts another workflow; for a list, once for each item. Which one is in a variable, as its id is not known yet. */
export function executeWorkflowNode(conversion: Conversion): Converted {
  const { id, node, parameters, input, scope, scopeOfEach, review } = conversion;
  const { source = 'database', workflowId, mode = 'once', options } = parameters;
  const { waitForSubWorkflow = true, ...others } = object(options);
  reviewOthers(others, review);
  if (source !== 'database') return unsupported('a workflow that is not stored: import it, and use a workflow node');
  const { value: named = workflowId } = object(workflowId);
  if (named === undefined || /^=?\s*$/.test(show(named))) return incomplete(conversion, 'no workflow to start');
  const waits = waitForSubWorkflow !== false;
  if (input.shape === 'list' && mode !== 'each')
    return unsupported('it starts one run with all items, here a run has one');
  const { name, variable } = nameOf(workflowId, conversion.variables);
  review(`import "${name}", too, and save its id as the variable ${variable}`);
  if (waits)
    review('the other workflow has to end in a Terminal node whose body is a list of items, as its import does');
  const start = (startId: string, item: string, within: Scope) => ({
    id: startId,
    type: 'workflow',
    name: node.name,
    parameters: {
      workflowId: `{{ $vars.${variable} }}`,
      input: inputOf(parameters, item, within),
      ...(!waits && { waitForCompletion: false }),
    },
  });
  if (input.shape === 'one') {
    const started = { nodes: [start(id, input.text, scope)], edges: [] };
    if (!waits) return { ...started, outputs: [{ nodeId: id, source: input }] };
    const items = { text: `($nodes.${id}.output?.body ?? [])`, shape: 'list' } as const;
    return maybeEmpty({ ...started, outputs: [{ nodeId: id, source: items }] });
  }
  const loop = { id, type: 'loop', name: `${node.name}: each`, parameters: { items: braced(input.text) } };
  const inLoop: Scope = { ...scopeOfEach, item: '$loop.item', index: '$loop.index' };
  const all = waits
    ? { text: `$nodes.${id}.output.flatMap((result) => result?.body ?? [])`, shape: 'list' as const }
    : input;
  return maybeEmpty({
    nodes: [loop, start(`${id}__start`, '$loop.item', inLoop)],
    edges: [{ source: id, sourceHandle: 'body', target: `${id}__start` }],
    outputs: [{ nodeId: id, handle: 'done', source: all }],
  });
}

/** Longest part of a variable that comes from the name of a workflow. */
const MAX_WORDS = 40;

/**
 * Returns the name of a workflow, and of the variable that has its id here. Where its words are not enough to tell it
 * from others, the variable has a hash of the id in n8n, too.
 * @param variables the ids in n8n by the variables that are used; it is added.
 */
function nameOf(workflowId: JsonValue | undefined, variables: Map<string, string>): { name: string; variable: string } {
  const { value = workflowId, cachedResultName } = object(workflowId);
  const known = text(value) ?? unsupported('it names no workflow');
  if (isExpression(known)) return unsupported('a workflow that an expression names');
  const name = text(cachedResultName) ?? known;
  const letters = name.normalize('NFKD').toLowerCase();
  const words = letters.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  const plain = `workflow_${words.slice(0, MAX_WORDS)}`;
  const isWhole = words !== '' && words.length <= MAX_WORDS && !/(?![a-z0-9])[\p{Letter}\p{Number}]/u.test(letters);
  const isFree = (variables.get(plain) ?? known) === known;
  const hash = createHash('sha256').update(known).digest('hex').slice(0, 8);
  const variable = isWhole && isFree ? plain : `${plain.replace(/_$/, '')}_${hash}`;
  variables.set(variable, known);
  return { name, variable };
}

/** Returns the data that the other run starts with: the item, and fields that are set or removed. */
function inputOf({ workflowInputs }: JsonObject, item: string, scope: Scope): string {
  const { value, schema } = object(workflowInputs);
  const fields = Object.entries(object(value));
  const set = fields.map(([name, each]) => `${JSON.stringify(name)}: ${toExpression(each, scope)}`);
  const all = set.length === 0 ? item : `{ ...${item}, ${set.join(', ')} }`;
  const removed = list(schema).flatMap((each) =>
    object(each).removed === true ? [show(object(each).displayName)] : [],
  );
  if (removed.length === 0) return braced(all);
  return braced(
    `Object.fromEntries(Object.entries(${all}).filter(([name]) => !${JSON.stringify(removed)}.includes(name)))`,
  );
}

/** Gives the report of a failed run the shape that it has in n8n. */
export function errorTrigger({ id, node, review }: Conversion): Converted {
  review('choose this workflow as the error workflow of others, or of the workspace, and activate it');
  review('the item has neither the url of the run nor the stack of the error; lastNodeExecuted is the id of the node');
  const item = `${id}__item`;
  const of = (path: string): string => braced(`$nodes.${id}.output.${path}`);
  const fields = {
    execution: {
      id: of('executionId'),
      error: { message: of('error.message') },
      lastNodeExecuted: of('failedNodeId'),
      mode: 'trigger',
    },
    workflow: { id: of('workflowId'), name: of('workflowName') },
  };
  return {
    nodes: [
      { id, type: 'trigger.manual', name: node.name },
      { id: item, type: 'set', name: `${node.name}: item`, parameters: { fields } },
    ],
    edges: [{ source: id, target: item }],
    outputs: [{ nodeId: item, source: outputOf(item, 'one') }],
  };
}
