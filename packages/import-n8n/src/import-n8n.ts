import type { Definition, ValidationIssue } from '@deckhand/contracts';
import { type ConvertedWorkflow, convertInSteps } from './import-workflow.ts';
import { type ImportNote, type ImportTask, toTasks } from './tasks.ts';
import { type N8nWorkflow, readWorkflow } from './workflow.ts';

/** A workflow of n8n as a definition, and what became of each of its nodes. */
export interface ImportedWorkflow {
  readonly name: string;
  readonly definition: Definition;
  readonly notes: readonly ImportNote[];
  /** What people have to do, each cause once. */
  readonly tasks: readonly ImportTask[];
  /** What concerns the workflow as a whole. */
  readonly remarks: readonly string[];
}

/** What an import needs of its caller. */
export interface ImportPort {
  /** Returns all issues of a definition, each with the node that has it; none if it can be saved. */
  readonly findIssues: (definition: Definition) => Promise<readonly ValidationIssue[]>;
  /** Does the steps of a conversion, as many as it allows without a pause. */
  readonly run: (steps: Generator<undefined, ConvertedWorkflow>) => Promise<ConvertedWorkflow>;
}

/** How often a definition is checked, each time with more stubs. */
const MAX_ROUNDS = 10;
/** Maximum number of issues that remain and are remarked on. */
const MAX_REMARKED = 20;

/**
 * Converts the export of a workflow of n8n. Nodes that cannot be converted become stubs: they fail, and have the
 * original in their script. So does a node whose conversion has issues.
 * @throws NotAWorkflowError if the JSON is not a workflow of n8n, or a larger one than can be converted.
 */
export async function importN8n(json: unknown, { findIssues, run }: ImportPort): Promise<ImportedWorkflow> {
  const workflow = readWorkflow(json);
  const refused = new Map<string, string>();
  const remarks = remarksOn(workflow);
  for (let round = 1; ; round += 1) {
    const { definition, notes } = await run(convertInSteps(workflow, refused));
    const issues = await findIssues(definition);
    const nodeOf = new Map(notes.flatMap(({ node, nodeIds }) => nodeIds.map((id) => [id, node] as const)));
    const before = refused.size;
    for (const { nodeId = '', message } of issues) {
      const node = nodeOf.get(nodeId);
      if (node !== undefined && !refused.has(node)) refused.set(node, message);
    }
    if (refused.size === before || round === MAX_ROUNDS) {
      const left = issues.slice(0, MAX_REMARKED).map(toRemark);
      return { name: workflow.name, definition, notes, tasks: toTasks(notes), remarks: [...remarks, ...left] };
    }
  }
}

function toRemark({ path, message }: ValidationIssue): string {
  return `cannot be saved as it is: ${path}: ${message}`;
}

function remarksOn({ settings, pinned, tags, hasStaticData, danglingConnections }: N8nWorkflow): string[] {
  const { errorWorkflow, executionTimeout: _, timezone: __, executionOrder, ...others } = settings;
  return [
    ...(errorWorkflow === undefined ? [] : ['has an error workflow: import it, too, and choose it in the settings']),
    ...(executionOrder === 'v1'
      ? []
      : ['has the old order of execution, in which branches alternate; here they run in parallel']),
    ...(pinned.length > 0
      ? [`has pinned data of ${pinned.join(', ')}, which is left out: use mocks in the sandbox mode`]
      : []),
    ...(tags.length > 0 ? [`has the tags ${tags.join(', ')}, which are left out`] : []),
    ...(hasStaticData ? ['has static data, which is left out'] : []),
    ...(danglingConnections > 0
      ? [`has connections of nodes that do not exist, which are left out: ${danglingConnections}`]
      : []),
    ...(Object.keys(others).length > 0 ? [`has settings without equivalent: ${Object.keys(others).join(', ')}`] : []),
  ];
}
