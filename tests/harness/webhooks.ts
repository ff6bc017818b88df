import { type Definition, type JsonObject, parseOwnJson } from '@deckhand/contracts';
import type { Gateway, Instance } from './gateway.ts';
import type { ErrorMembers } from './responses.ts';

/** A workflow with a webhook, saved and, unless it is said otherwise, active. */
export interface Hook {
  readonly workflowId: string;
  /** The path of its URL. */
  readonly path: string;
}

export interface HookOptions {
  /** Members of the node beside its parameters. */
  readonly node?: Partial<Definition['nodes'][number]>;
  /** What comes behind the trigger, in a chain. */
  readonly nodes?: Definition['nodes'];
  readonly settings?: Definition['settings'];
  readonly isActive?: boolean;
}

/** A definition that is one chain behind a webhook trigger called `hook`. */
export function hookDefinition(parameters: JsonObject, { node, nodes = [], settings }: HookOptions = {}): Definition {
  const all = [{ id: 'hook', type: 'trigger.webhook', parameters, ...node }, ...nodes];
  return {
    nodes: all,
    edges: nodes.map(({ id }, index) => ({ source: all[index]?.id ?? '', target: id })),
    ...(settings === undefined ? {} : { settings }),
  };
}

/** Saves a workflow that begins with a webhook trigger. */
export async function createHook(instance: Instance, parameters: JsonObject, options: HookOptions = {}): Promise<Hook> {
  const { gateway, session, workspaceId } = instance;
  const definition = hookDefinition(parameters, options);
  const created = await gateway.call('POST', '/api/workflows', {
    as: session,
    body: { workspaceId, name: 'Hook', definition },
  });
  if (created.status !== 201) throw new Error(created.text);
  const { id, webhooks } = created.body;
  if (options.isActive !== false) {
    await gateway.call('PATCH', `/api/workflows/${id}`, { as: session, body: { status: 'active' } });
  }
  return { workflowId: id, path: new URL(webhooks[0]!.url).pathname };
}

/** A response to a request to a webhook. */
export interface HookResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** As a webhook that responds at once sends it, or an error. A workflow may choose any other body. */
  readonly body: ErrorMembers & { readonly executionId: string };
}

/** Sends a request as it is to a gateway, POST unless it is said otherwise. */
export async function sendHook(gateway: Gateway, path: string, init: RequestInit = {}): Promise<HookResponse> {
  const answer = await fetch(gateway.url + path, { method: 'POST', redirect: 'manual', ...init });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  return { status: answer.status, headers: answer.headers, text, body: parseOwnJson(isJson ? text : 'null') };
}

/** The `$trigger` that a run was started with. */
export async function triggerOf({ db }: Instance, executionId: string) {
  const { triggerData } = await db.execution.findUniqueOrThrow({ where: { id: executionId } });
  return JSON.parse(triggerData ?? 'null');
}
