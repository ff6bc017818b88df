import {
  type ApprovalEntry,
  type ExecuteBody,
  executeWorkflow,
  executeWorkflowBatch,
  getWorkflow,
  type ExecutionEntry,
  type JsonValue,
  listApprovals,
  listExecutions,
  type ListExecutionsData,
  listWorkflows,
  type ListWorkflowsData,
  submitApproval,
  type SubmitApprovalBody,
  type WorkflowEntry,
  type WorkflowResponse,
} from './generated/index.ts';
import { type Client, createClient } from './generated/client/index.ts';
import { pagesByCursor, pagesByOffset } from './pages.ts';
import { DeckhandError } from './errors.ts';
import { createFiles, type Files } from './files.ts';
import { createRun, type Run } from './run.ts';
import { createSend, type SendOptions } from './send.ts';
import type { BatchItem, StartArguments, WorkflowResult } from './workflow-types.ts';

/** Options of a client. */
export interface DeckhandOptions extends SendOptions {
  /** URL of the instance, such as `https://deckhand.example.com`. Undefined is an error that says so. */
  readonly baseUrl: string | undefined;
  /** An API key (`dk_…`). Undefined is an error that says so. */
  readonly apiKey: string | undefined;
}

/** Options of a start, beside the input. */
export interface ExecuteOptions extends Omit<ExecuteBody, 'input'> {
  /** The workspace of the workflow, for a slug that several workspaces of the key have. */
  readonly workspaceId?: string;
  /**
   * The same key and input start one run within 24 hours. By default each call has a key of its own, so that retries of
   * the client start one run.
   */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** Options of a batch of starts. */
export interface ExecuteBatchOptions {
  /** The workspace of the workflow, for a slug that several workspaces of the key have. */
  readonly workspaceId?: string;
  /** Stands for the keys of items that have none. By default each call has a key of its own. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** How an item of a batch ended: a run, or the error that a single start would have thrown. */
export type BatchResult<Result = JsonValue> =
  | { readonly run: Run<Result>; readonly error?: undefined }
  | { readonly run?: undefined; readonly error: DeckhandError };

/** A filter of a list, without paging. */
type FilterOf<Data extends { query?: object }> = Omit<NonNullable<Data['query']>, 'cursor' | 'offset' | 'fields'>;

/** A client of one instance. */
export interface Deckhand {
  readonly workflows: {
    /**
     * Starts a run of a workflow. The input of a workflow whose type is known has to be of this type.
     * @param workflow its slug or id.
     * @throws DeckhandError, ConnectionError
     */
    execute<const Key extends string>(
      workflow: Key,
      ...start: StartArguments<Key, ExecuteOptions>
    ): Promise<Run<WorkflowResult<Key>>>;
    /**
     * Starts a run for each item, up to 1,000. @returns a result for each, in their order: an item that is refused
     * concerns no other, and is not retried.
     * @param workflow its slug or id.
     * @throws DeckhandError if the batch as a whole was refused; ConnectionError
     */
    executeBatch<const Key extends string>(
      workflow: Key,
      items: readonly BatchItem<Key>[],
      options?: ExecuteBatchOptions,
    ): Promise<readonly BatchResult<WorkflowResult<Key>>[]>;
    /** Reads a workflow with its latest definition. @throws DeckhandError, ConnectionError */
    get(workflowId: string): Promise<WorkflowResponse>;
    /** Yields the workflows of a workspace, page by page. @throws DeckhandError, ConnectionError */
    list(filter: FilterOf<ListWorkflowsData>): AsyncGenerator<WorkflowEntry, void, undefined>;
  };
  readonly runs: {
    /** Returns the handle of a run, without a request. `Key` is the slug or id of its workflow, if that is known. */
    of<Key extends string = string>(executionId: string): Run<WorkflowResult<Key>>;
    /** Yields the runs of a workspace, page by page, the newest first. @throws DeckhandError, ConnectionError */
    list(filter: FilterOf<ListExecutionsData>): AsyncGenerator<ExecutionEntry, void, undefined>;
  };
  readonly files: Files;
  readonly approvals: {
    /** Returns the pending approvals of a workspace, up to 500. @throws DeckhandError, ConnectionError */
    list(workspaceId: string): Promise<readonly ApprovalEntry[]>;
    /** Decides a pending approval. @throws DeckhandError, ConnectionError */
    submit(decision: SubmitApprovalBody): Promise<void>;
  };
  /** For the functions of `@deckhand/sdk/operations`: `listVariables({ client: deckhand.client, … })`. */
  readonly client: Client;
}

const MAX_PAGE = 500;

/** Creates a client. It sends no request. @throws TypeError that names an option which cannot be used. */
export function createDeckhand({ baseUrl, apiKey, ...sending }: DeckhandOptions): Deckhand {
  const url = checkUrl(baseUrl);
  const send = createSend(sending);
  const headers = { 'x-api-key': checkKey(apiKey) };
  const client = createClient({
    baseUrl: url,
    headers,
    fetch: (input, init) => send(new Request(input, init)),
    requestValidator: dropClient,
  });
  const parts = { client, send, baseUrl: url, headers };
  const throwOnError = true;
  return {
    workflows: {
      async execute<Key extends string>(workflow: Key, input?: ExecuteBody['input'], given: ExecuteOptions = {}) {
        const { workspaceId, idempotencyKey, signal, ...options } = given;
        const { data } = await executeWorkflow({
          client,
          path: { id: named(workflow) },
          ...(workspaceId !== undefined && { query: { workspaceId } }),
          body: { ...(input !== undefined && { input }), ...options },
          headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
          ...(signal && { signal }),
          throwOnError,
        });
        return createRun<WorkflowResult<Key>>(parts, data.executionId, data.warning);
      },
      async executeBatch<Key extends string>(
        workflow: Key,
        items: readonly BatchItem<Key>[],
        { workspaceId, idempotencyKey, signal }: ExecuteBatchOptions = {},
      ) {
        const { data, response } = await executeWorkflowBatch({
          client,
          path: { id: named(workflow) },
          ...(workspaceId !== undefined && { query: { workspaceId } }),
          body: [...items],
          headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
          ...(signal && { signal }),
          throwOnError,
        });
        const requestId = response.headers.get('x-request-id') ?? '';
        return data.items.map((item) =>
          'code' in item
            ? { error: new DeckhandError(item.status, { ...item, requestId }, undefined) }
            : { run: createRun<WorkflowResult<Key>>(parts, item.executionId, data.warning) },
        );
      },
      async get(workflowId) {
        return (await getWorkflow({ client, path: { id: workflowId }, throwOnError })).data;
      },
      list: (filter) =>
        pagesByOffset(async (position) => {
          return (await listWorkflows({ client, query: { ...filter, ...position }, throwOnError })).data;
        }),
    },
    runs: {
      of: (executionId) => createRun(parts, executionId),
      list: (filter) =>
        pagesByCursor(async (position) => {
          const { data } = await listExecutions({ client, query: { ...filter, ...position }, throwOnError });
          // Without `fields` the entries are whole.
          return { ...data, data: data.data.filter((entry): entry is ExecutionEntry => 'status' in entry) };
        }),
    },
    files: createFiles(parts),
    approvals: {
      async list(workspaceId) {
        const query = { workspaceId, limit: MAX_PAGE };
        return (await listApprovals({ client, query, throwOnError })).data.data;
      },
      async submit(decision) {
        await submitApproval({ client, body: decision, throwOnError });
      },
    },
    client,
  };
}

/** @throws TypeError for an empty name, which would be another path. */
function named(workflow: string): string {
  if (workflow === '') throw new TypeError('the workflow is empty, and has to be a slug or an id');
  return workflow;
}

function checkUrl(baseUrl: unknown): string {
  if (typeof baseUrl !== 'string')
    throw new TypeError(`baseUrl is ${describe(baseUrl)}, and has to be the URL of Deckhand`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError(`baseUrl is "${baseUrl}", and has to begin with https:// or http://`);
  return url.href.replace(/\/+$/, '');
}

/** The message never shows a key. */
function checkKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string') throw new TypeError(`apiKey is ${describe(apiKey)}, and has to be an API key`);
  if (!/^dk_[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey is not an API key: one begins with dk_, and has no spaces');
  return apiKey;
}

function describe(value: unknown): string {
  return value === undefined || value === null ? String(value) : `of the type ${typeof value}`;
}

/**
 * Drops the option `client`, which the core would pass on to `new Request`: Deno has an option of this name, too, and
 * refuses another kind of client.
 */
function dropClient(options: unknown): Promise<unknown> {
  if (typeof options === 'object' && options !== null) Reflect.deleteProperty(options, 'client');
  return Promise.resolve(options);
}
