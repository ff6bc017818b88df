import type { Definition, JsonValue, NodeDefinition } from '@deckhand/contracts';
import { compileInSteps, type NodeTypes } from '@deckhand/engine';
import { type ConvertedWorkflow, convertInSteps } from '../../packages/import-n8n/src/import-workflow.ts';
import { type ImportedWorkflow, importN8n } from '../../packages/import-n8n/src/index.ts';
import { optional } from '../../packages/import-n8n/src/source.ts';
import { readWorkflow } from '../../packages/import-n8n/src/workflow.ts';
import { runInTimeSlices } from '@deckhand/runtime';

/** Returns a node of n8n, with the version that it has there by default. */
export const node = (name: string, type: string, parameters: object = {}, rest: object = {}) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion: VERSIONS[type] ?? 1,
  position: [0, 0],
  parameters,
  ...rest,
});

const VERSIONS: Readonly<Record<string, number>> = {
  set: 3.4,
  if: 2.2,
  switch: 3.2,
  httpRequest: 4.2,
  code: 2,
  splitInBatches: 3,
  merge: 3.1,
  filter: 2.2,
  wait: 1.1,
};
/** A trigger, from which a workflow is started by hand. */
export const START = node('Start', 'manualTrigger');

/** Returns connections, written as "A > B", "A:1 > B" from the second output, "A > B:1" to the second input. */
export function connect(...texts: string[]): object {
  const connections: Record<string, { main: { node: string; type: string; index: number }[][] }> = {};
  for (const text of texts) {
    const [from = '', to = ''] = text.split(' > ');
    const [source = '', output = '0'] = from.split(':');
    const [target = '', index = '0'] = to.split(':');
    const { main } = (connections[source] ??= { main: [] });
    while (main.length <= Number(output)) main.push([]);
    main[Number(output)]?.push({ node: target, type: 'main', index: Number(index) });
  }
  return connections;
}

/** Imports JSON, with the checks that saving it has. */
export function importJson(json: JsonValue, nodeTypes: NodeTypes): Promise<ImportedWorkflow> {
  return importN8n(json, {
    async findIssues(definition) {
      const compiled = await runInTimeSlices(compileInSteps(definition, nodeTypes, Infinity));
      const issues = 'issues' in compiled ? compiled.issues : [];
      return issues.map((issue) => ({ ...issue, nodeId: nodeIdAt(definition.nodes, issue.path) }));
    },
    run: (steps) => runInTimeSlices(steps),
  });
}

function nodeIdAt(nodes: readonly { readonly id: string }[], path: string): string {
  return nodes[Number(/^nodes\[(\d+)\]/.exec(path)?.[1])]?.id ?? '';
}

/** Converts a workflow, without the checks that saving it has. */
export function convertN8n(workflow: JsonValue): ConvertedWorkflow {
  const steps = convertInSteps(readWorkflow(workflow), new Map());
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Adds a node after all others, `check`, that collects their data as lists of items: `name:output` → items. */
export function withCheck({ definition, notes, outputs }: ConvertedWorkflow): Definition {
  const inLoops = new Set(
    definition.edges.flatMap(({ sourceHandle, target }) => (sourceHandle === 'body' ? [target] : [])),
  );
  for (const id of inLoops) for (const { source, target } of definition.edges) if (source === id) inLoops.add(target);
  const fields: Record<string, string> = {};
  for (const [name, ports] of outputs) {
    const own = notes.find(({ node }) => node === name)?.nodeIds ?? [];
    for (const [index, { nodeId, handle, source, problem }] of ports.entries()) {
      // Whether a run took a branch is seen at the nodes after it, and what is in a loop at its end.
      const isList = source.shape === 'list' || handle === undefined;
      const isComparable = isList && handle !== 'body' && problem === undefined && !inLoops.has(nodeId);
      if (!isComparable || !own.includes(/^\(?\$nodes\.(\w+)\./.exec(source.text)?.[1] ?? '')) continue;
      const text = optional(source.text);
      const items = source.shape === 'list' ? `${text} ?? []` : `[${text}].filter((item) => item !== undefined)`;
      fields[`${name}:${index}`] = `{{ ${items} }}`;
    }
  }
  const ends = definition.nodes.filter(({ id }) => !inLoops.has(id));
  return {
    nodes: [...definition.nodes, { id: 'check', type: 'set', parameters: { fields } }],
    edges: [
      ...definition.edges,
      ...ends.flatMap((node) =>
        handlesOf(node).map((sourceHandle) => ({
          source: node.id,
          target: 'check',
          ...(sourceHandle !== undefined && { sourceHandle }),
        })),
      ),
    ],
  };
}

/** Returns the outputs of a node that the converter makes. */
function handlesOf({ type, parameters }: NodeDefinition): readonly (string | undefined)[] {
  if (type === 'if') return ['true', 'false'];
  if (type === 'loop') return ['done'];
  if (type !== 'switch') return [undefined];
  const cases = Array.isArray(parameters?.cases) ? parameters.cases.length : 0;
  return [...Array.from({ length: cases }, (_, index) => String(index)), 'default'];
}
