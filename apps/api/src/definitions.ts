import {
  type Check,
  type Definition,
  type DefinitionWarning,
  type ValidationIssue,
  isJsonObject,
  type JsonObject,
  validationFailed,
} from '@deckhand/contracts';
import type { NewVersion, WorkflowTool } from '@deckhand/db';
import {
  type CompiledWorkflow,
  compileInSteps,
  type CompileResult,
  type CredentialLoop,
  findCredentialLoops,
  findWarningsInSteps,
  type NodeTypes,
} from '@deckhand/engine';
import { findCancelIssues, findInputSchemas } from '@deckhand/nodes';
import { runInTimeSlices, TooMuchWorkError } from '@deckhand/runtime';

/** The node types that the API has something of its own to say about: a URL, or times. */
const TRIGGERS: Readonly<Record<'webhooks' | 'schedules', readonly string[]>> = {
  webhooks: ['trigger.webhook', 'trigger.form'],
  schedules: ['trigger.schedule'],
};

/** What saving a definition needs to know of it, found by compiling it. */
export type CheckedDefinition = Pick<
  NewVersion,
  | 'definition'
  | 'timeoutMs'
  | 'countsHeldTime'
  | 'triggerNodeIds'
  | 'concurrency'
  | 'webhooks'
  | 'tool'
  | 'inputSchemas'
>;

/** How much work the check of a definition may be, in ms. */
const MAX_CHECK_MS = 10_000;

/** A definition that was checked as a whole. */
export interface Compiled {
  readonly definition: CheckedDefinition;
  /** Parts that are valid but perhaps not intended. */
  readonly warnings: readonly DefinitionWarning[];
  /** Where iterations may exceed the limit of a credential. */
  readonly credentialLoops: readonly CredentialLoop[];
}

/** A body whose `definition` was checked as a whole. */
export interface BodyWithDefinition<T> {
  readonly body: T;
  /** Null when the body has no definition. */
  readonly compiled: Compiled | null;
}

/**
 * Placeholder for the definition while the rest of a body is checked: the compiler reports all issues of the
 * definition.
 */
const SOUND: Definition = { nodes: [], edges: [] };

/**
 * Checks a body and the definition in it.
 * @param by whose body it is: definitions of one person are checked one at a time.
 * @throws DeckhandError VALIDATION_FAILED with the issues of both, those of the definition under `definition`.
 */
export async function parseWithDefinition<T>(
  check: Check<T>,
  body: unknown,
  { by, nodeTypes }: { by: string; nodeTypes: NodeTypes },
): Promise<BodyWithDefinition<T>> {
  const hasDefinition = isJsonObject(body) && Object.hasOwn(body, 'definition') && body.definition !== null;
  const rest = check(hasDefinition ? { ...body, definition: SOUND } : body);
  const compiled = hasDefinition ? await oneAtATime(by, () => compile(body.definition, nodeTypes)) : null;
  const ofDefinition = compiled && 'issues' in compiled ? compiled.issues : [];
  if ('issues' in rest) throw validationFailed([...rest.issues, ...ofDefinition]);
  if (compiled && 'issues' in compiled) throw validationFailed(ofDefinition);
  return { body: rest.value, compiled };
}

/**
 * Checks a definition.
 * @param by who asks for that: definitions of one person are checked one at a time.
 * @throws DeckhandError VALIDATION_FAILED with its issues, under `definition`.
 */
export async function checkDefinition(
  definition: unknown,
  { by, nodeTypes }: { by: string; nodeTypes: NodeTypes },
): Promise<Compiled> {
  const compiled = await oneAtATime(by, () => compile(definition, nodeTypes));
  if ('issues' in compiled) throw validationFailed(compiled.issues);
  return compiled;
}

/**
 * Compiles a definition that may be invalid, once others of the same person were checked. @returns undefined if it
 * cannot be saved.
 */
export async function compileIfValid(
  definition: unknown,
  { by, nodeTypes }: { by: string; nodeTypes: NodeTypes },
): Promise<Compiled | undefined> {
  const compiled = await oneAtATime(by, () => compile(definition, nodeTypes, 1));
  return 'issues' in compiled ? undefined : compiled;
}

/** Returns all issues of a definition, under `definition`, each with its node; none if it can be saved. */
export async function findAllIssues(definition: unknown, nodeTypes: NodeTypes): Promise<readonly ValidationIssue[]> {
  const compiled = await compile(definition, nodeTypes, Infinity);
  return 'issues' in compiled ? compiled.issues : [];
}

/** The last part of each person's work that is in progress or waits. */
const lastOf = new Map<string, Promise<unknown>>();

/**
 * Does a person's work with definitions after what the same person asked for before: it may take seconds of the event
 * loop, and nobody gets more of that by asking for several at once. Within `work`, this would wait for itself.
 */
export async function oneAtATime<T>(person: string, work: () => Promise<T>): Promise<T> {
  const done = (lastOf.get(person) ?? Promise.resolve()).then(work, work);
  lastOf.set(person, done);
  try {
    return await done;
  } finally {
    if (lastOf.get(person) === done) lastOf.delete(person);
  }
}

async function compile(
  definition: unknown,
  nodeTypes: NodeTypes,
  enoughIssues?: number,
): Promise<Compiled | { readonly issues: readonly ValidationIssue[] }> {
  let result: CompileResult;
  try {
    result = await runInTimeSlices(compileInSteps(definition, nodeTypes, enoughIssues), MAX_CHECK_MS);
  } catch (error) {
    if (!(error instanceof TooMuchWorkError)) throw error;
    const message = `takes more than ${MAX_CHECK_MS / 1_000} s to check: make several workflows of it`;
    return { issues: [{ path: 'definition', message }] };
  }
  if ('issues' in result) return { issues: result.issues.map((issue) => inDefinition(issue, definition)) };
  const { workflow } = result;
  const cancelIssues = findCancelIssues(workflow.definition.settings?.cancelOn ?? []);
  if (cancelIssues.length > 0) return { issues: cancelIssues.map((issue) => inDefinition(issue, definition)) };
  return {
    definition: {
      definition: workflow.definition,
      timeoutMs: workflow.timeoutMs,
      countsHeldTime: workflow.countsHeldTime,
      triggerNodeIds: workflow.triggers.map(({ nodeId }) => nodeId),
      concurrency: workflow.definition.settings?.concurrency,
      webhooks: savedNodes(workflow.definition, 'webhooks').map((node) => ({
        nodeId: node.id,
        path: typeof node.parameters.path === 'string' ? node.parameters.path : null,
        method: methodOf(node),
      })),
      tool: toolOf(workflow.definition, workflow.triggers[0]?.nodeId),
      inputSchemas: findInputSchemas(workflow.definition),
    },
    warnings: await findWarnings(workflow),
    credentialLoops: findCredentialLoops(workflow),
  };
}

/** Finds warnings within the time that a check may take, so that a save never fails because of them. */
async function findWarnings(workflow: CompiledWorkflow): Promise<readonly DefinitionWarning[]> {
  const warnings = await runInTimeSlices(findWarningsInSteps(workflow));
  return warnings.map((warning) => ({
    ...warning,
    path: warning.path === '' ? 'definition' : `definition.${warning.path}`,
  }));
}

/** Returns the tool that a definition makes of its workflow. A trigger without a schema takes any input. */
function toolOf({ settings, nodes }: Definition, triggerNodeId: string | undefined): WorkflowTool | null {
  if (!settings?.mcp) return null;
  const schema = nodes.find(({ id }) => id === triggerNodeId)?.parameters?.inputSchema;
  return { settings: settings.mcp, inputSchema: isJsonObject(schema) ? schema : { type: 'object' } };
}

/** An issue as one of the body, with the node that it is in. */
function inDefinition({ path, message }: ValidationIssue, definition: unknown): ValidationIssue {
  if (path === '') return { path: 'definition', message };
  const nodeId = nodeIdAt(path, definition);
  return {
    path: path.startsWith('[') ? `definition${path}` : `definition.${path}`,
    ...(nodeId === undefined ? {} : { nodeId }),
    message,
  };
}

/** Longest id of a node: a longer one is at fault itself, and not repeated. */
const MAX_NODE_ID = 64;

function nodeIdAt(path: string, definition: unknown): string | undefined {
  const index = /^nodes\[(\d+)\]/.exec(path)?.[1];
  const nodes: unknown = isJsonObject(definition) ? definition.nodes : undefined;
  const node: unknown = index !== undefined && Array.isArray(nodes) ? nodes[Number(index)] : undefined;
  const id = isJsonObject(node) ? node.id : undefined;
  return typeof id === 'string' && id.length <= MAX_NODE_ID ? id : undefined;
}

/** A node of a definition that was checked when it was saved. */
export interface SavedNode {
  readonly id: string;
  readonly type: string;
  readonly isDisabled: boolean;
  readonly parameters: JsonObject;
}

/** The method of requests to the URL of a trigger: a form is opened in a browser. */
export function methodOf({ type, parameters: { method } }: Pick<SavedNode, 'type' | 'parameters'>): string {
  if (type === 'trigger.form') return 'GET';
  return typeof method === 'string' ? method : 'POST';
}

/** The nodes of a saved definition, those of one kind of trigger only when asked. */
export function savedNodes(definition: unknown, only?: keyof typeof TRIGGERS): SavedNode[] {
  const nodes: unknown = isJsonObject(definition) ? definition.nodes : undefined;
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown): SavedNode[] => {
    if (!isJsonObject(node) || typeof node.id !== 'string') return [];
    if (only !== undefined && !TRIGGERS[only].some((type) => type === node.type)) return [];
    const { id, type, disabled, parameters } = node;
    return [
      {
        id,
        type: typeof type === 'string' ? type : '',
        isDisabled: disabled === true,
        parameters: isJsonObject(parameters) ? parameters : {},
      },
    ];
  });
}
