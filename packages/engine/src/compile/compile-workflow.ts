import {
  compileLenientCheck,
  DEFAULT_TIMEOUT_SECONDS,
  Definition,
  isJsonObject,
  MAX_ISSUES,
  type ValidationIssue,
} from '@deckhand/contracts';
import { compileTriggerExpression, KEY_NAMES } from '../expressions/index.ts';
import type { NodeTypes } from '../node-type.ts';
import { createSuggestionBudget } from '../similar-name.ts';
import { buildGraph } from './build-graph.ts';
import { checkEdges, checkGraph } from './check-graph.ts';
import { checkNodes, idOf, type SoundNode } from './check-nodes.ts';
import type { CompileResult, GraphTrigger } from './graph.ts';

const checkDefinition = compileLenientCheck(Definition);

/** Number of issues after which checking stops by default: one more than are reported. */
const ENOUGH_ISSUES = MAX_ISSUES + 1;

/**
 * Compiles a definition in one call. Reports all issues of shape and meaning together: valid parts are checked further
 * even if others are invalid.
 */
export function compileWorkflow(definition: unknown, nodeTypes: NodeTypes): CompileResult {
  const steps = compileInSteps(definition, nodeTypes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same in steps: other work may run at each `yield`. No step takes longer than one node, and all steps together
 * take time proportional to the length of the definition.
 * @param enough the number of issues after which checking stops.
 * @param budget of all suggestions together.
 */
export function* compileInSteps(
  definition: unknown,
  nodeTypes: NodeTypes,
  enough = ENOUGH_ISSUES,
  budget = createSuggestionBudget(),
): Generator<undefined, CompileResult> {
  const shape = checkDefinition(definition);
  const issues: ValidationIssue[] = 'issues' in shape ? [...shape.issues] : [];
  if (!isJsonObject(definition) || !Array.isArray(definition.nodes) || !Array.isArray(definition.edges)) {
    return { issues };
  }
  // Checking a part that is far too large any further would cost more than it reveals.
  if (issues.some(({ path }) => path === 'nodes' || path === 'edges')) return { issues };

  const rawNodes: readonly unknown[] = definition.nodes;
  const rawEdges: readonly unknown[] = definition.edges;
  yield;
  const nodes = yield* checkNodes(rawNodes, nodeTypes, issues, { enough, budget });
  const edges = yield* checkEdges(rawEdges, issues, { ids: new Set(rawNodes.map(idOf)), nodes, enough, budget });
  const nesting = yield* checkGraph(nodes, edges, issues, { enough, budget });
  if ('value' in shape) issues.push(...checkKey(shape.value), ...checkNotes(shape.value));
  if (issues.length > 0 || 'issues' in shape || !nesting) return { issues };

  yield;
  const hasChanged = nodes.some(({ node }, index) => node !== shape.value.nodes[index]);
  const saved = hasChanged ? { ...shape.value, nodes: nodes.map(({ node }) => node) } : shape.value;
  const seconds = saved.settings?.timeoutSeconds;
  const graph = buildGraph(nodes, edges, nesting.innermost);
  return {
    workflow: {
      definition: saved,
      timeoutMs: Math.round((seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000),
      countsHeldTime: seconds === undefined,
      triggers: listTriggers(nodes),
      usesLocks: nodes.some(({ type }) => type.takesLocks),
      usesVars: nodes.some(({ references, deferred }) =>
        [references, deferred?.references].some((read) => read?.names.has('$vars') === true),
      ),
      ...graph,
    },
  };
}

/** Returns the issue of the key that limits the runs of the workflow. */
function checkKey({ settings }: Definition): ValidationIssue[] {
  const key = settings?.concurrency?.key;
  if (key === undefined) return [];
  const compiled = compileTriggerExpression(key, KEY_NAMES);
  return 'message' in compiled ? [{ path: 'settings.concurrency.key', message: compiled.message }] : [];
}

/** Returns the issues of notes with the same id. */
function checkNotes({ notes = [] }: Definition): ValidationIssue[] {
  const ids = new Map<string, number>();
  return notes.flatMap(({ id }, index) => {
    const first = ids.get(id);
    if (first === undefined) ids.set(id, index);
    return first === undefined
      ? []
      : [{ path: `notes[${index}].id`, message: `"${id}" is also the id of notes[${first}]` }];
  });
}

/**
 * Returns the enabled triggers in the order in which a run without `triggerNodeId` prefers them: manual ones first.
 */
function listTriggers(nodes: readonly SoundNode[]): GraphTrigger[] {
  const enabled = nodes.filter(({ node, type }) => type.isTrigger && node.disabled !== true);
  const triggers = enabled.map(({ node }) => ({ nodeId: node.id, type: node.type }));
  const isManual = (trigger: GraphTrigger): boolean => trigger.type === 'trigger.manual';
  return [...triggers.filter(isManual), ...triggers.filter((trigger) => !isManual(trigger))];
}
