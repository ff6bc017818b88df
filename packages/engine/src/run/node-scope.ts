import type { Credential, JsonObject, JsonValue } from '@deckhand/contracts';
import { exampleLink, type ExpressionName, type ExpressionScope, type LoopScope } from '../expressions/index.ts';
import { allowsLinks, NO_LINKS } from '../expressions/links.ts';
import type { NodeContext, OpenedCredential } from '../node-context.ts';
import { NodeError } from '../outcome.ts';
import type { SourceReferences } from '../script.ts';
import type { LazySignal } from './in-flight.ts';
import type { RunRequest } from './ports.ts';
import { retryPart } from './retry-part.ts';
import { agentContext } from './agent-steps.ts';
import { inputOf, inputsOf, iterationAround, iterationOf, outputOf, readerOf, type Scope, type Task } from './scope.ts';

/**
 * Returns the values of names in a task's expressions. Other nodes are looked up when an expression reads them. In
 * those of the nodes that are added to an agent, they are those of the agent.
 */
export function expressionScope(request: RunRequest, task: Task): ExpressionScope {
  const { node, scope } = readerOf(task);
  return {
    trigger: request.trigger,
    input: inputOf(node, scope),
    node(id) {
      const other = request.workflow.nodes.get(id);
      return other && outputOf(other, scope);
    },
    link: request.mode === 'sandbox' || request.answerLink ? (id) => linkOf(request, scope, id) : undefined,
    loop: loopOf(iterationAround(scope)),
    vars: request.vars,
    execution: { id: request.executionId, mode: request.mode },
    now: () => new Date(request.ports.now()).toISOString(),
  };
}

function linkOf({ workflow, mode, executionId, answerLink }: RunRequest, scope: Scope, nodeId: string) {
  const node = workflow.nodes.get(nodeId);
  const iteration = node && allowsLinks(node.definition) ? iterationOf(node, scope) : undefined;
  if (iteration === undefined) return undefined;
  // In sandbox mode nothing waits for an answer.
  return mode === 'sandbox' ? exampleLink(nodeId, iteration) : answerLink?.({ executionId, nodeId, iteration });
}

function loopOf(iteration: Scope | undefined): LoopScope | undefined {
  if (!iteration) return undefined;
  const { item, index, previous } = iteration;
  return previous === undefined ? { item, index } : { item, index, previous };
}

/** Returns the key that is the same for every attempt of a node, and after a crash. */
export function idempotencyKeyOf(executionId: string, nodeId: string, iteration: string): string {
  return `${executionId}:${nodeId}${iteration === '' ? '' : `:${iteration}`}`;
}

/** Returns the context of a task's node. @param onCredential is called with every credential that the node gets. */
export function nodeContext(
  request: RunRequest,
  task: Task,
  { halt, onCredential }: { halt: LazySignal; onCredential: (credential: Credential) => void },
): NodeContext {
  const { node, scope } = task;
  const { iteration } = scope;
  const read = readerOf(task);
  const { workspaceId, executionId, services } = request;
  return {
    trigger: request.trigger,
    input: inputOf(read.node, read.scope),
    inputs: inputsOf(read.node, read.scope),
    workspaceId,
    executionId,
    mode: request.mode,
    nodeId: node.id,
    iteration,
    credentialId: node.definition.credentialId,
    idempotencyKey: idempotencyKeyOf(request.executionId, node.id, iteration),
    signal: halt,
    timeoutMs: node.timeoutMs,
    names: () =>
      node.source ? sourceNames(node.source, expressionScope(request, task), [...request.workflow.nodes.keys()]) : {},
    deferred:
      node.evaluateDeferred &&
      ((response) => node.evaluateDeferred?.({ ...expressionScope(request, task), response }) ?? null),
    retryPart: (work) => retryPart(work, { retry: node.retry, ports: request.ports, halt }),
    services,
    files: services.files({ workspaceId, executionId, signal: halt }),
    now: () => request.ports.now(),
    agent: agentContext(task),
    mock: node.definition.mock,
    async credential(sentTo) {
      const { credentialId } = node.definition;
      if (credentialId === undefined) return undefined;
      return noted(await request.openCredential(credentialId, sentTo, halt), onCredential);
    },
  };
}

/** Returns a credential whose replacements are noted, too, so that they are masked as it is. */
function noted(credential: OpenedCredential, onCredential: (credential: Credential) => void): OpenedCredential {
  onCredential(credential);
  const { renew } = credential;
  if (!renew) return credential;
  return {
    ...credential,
    async renew() {
      const renewed = await renew();
      return renewed && noted(renewed, onCredential);
    },
  };
}

/**
 * Returns the values of the names that a source reads, as JSON. `$loop` is missing outside of a loop; a node without an
 * output is an empty object in `$nodes`. @param nodeIds every node of the workflow, for a source that computes the
 * names.
 */
function sourceNames(source: SourceReferences, scope: ExpressionScope, nodeIds: readonly string[]): JsonObject {
  const names: Partial<Record<ExpressionName | '$nodes', JsonValue>> = {};
  for (const name of source.names) {
    const value = name === '$links' ? linksOf(scope, nodeIds) : valueOf(name, scope);
    if (value !== undefined) names[name] = value;
  }
  const ids = source.readsAnyNode ? nodeIds : source.nodes;
  const nodes = ids.map((id): [string, JsonObject] => {
    const output = scope.node(id);
    return [id, output === undefined ? {} : { output }];
  });
  if (nodes.length > 0) names.$nodes = Object.fromEntries(nodes);
  return names;
}

/** Returns the links of all nodes that have one. @throws NodeError if no addresses are known. */
function linksOf({ link }: ExpressionScope, nodeIds: readonly string[]): JsonObject {
  if (!link) throw new NodeError('EXPRESSION_FAILED', NO_LINKS, { isRetryable: false });
  return Object.fromEntries(
    nodeIds.flatMap((id): [string, string][] => {
      const url = link(id);
      return url === undefined ? [] : [[id, url]];
    }),
  );
}

function valueOf(name: Exclude<ExpressionName, '$links'>, scope: ExpressionScope): JsonValue | undefined {
  switch (name) {
    case '$trigger':
      return scope.trigger;
    case '$input':
      return scope.input;
    case '$loop':
      return scope.loop && { ...scope.loop };
    case '$loop.previous':
    case '$response':
      return undefined;
    case '$vars':
      return scope.vars;
    case '$execution':
      return scope.execution;
    case '$now':
      return scope.now();
  }
}
