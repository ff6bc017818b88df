import type { JsonValue } from '@deckhand/contracts';
import { compileInSteps, type NodeTypes } from '@deckhand/engine';
import { type ImportedWorkflow, importN8n } from '../../packages/import-n8n/src/index.ts';
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
