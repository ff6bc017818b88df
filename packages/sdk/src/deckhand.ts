import {
  type ApprovalEntry,
  type ExecuteBatchItem,
  type ExecuteBody,
  executeWorkflow,
  executeWorkflowBatch,
  getWorkflow,
  type ExecutionEntry,
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
import { createRun, type Run } from './run.ts';
import { createSend, type SendOptions } from './send.ts';
import type { StartArguments } from './workflow-inputs.ts';

/** Options of a client. */
export interface DeckhandOptions extends SendOptions {
  /** URL of the instance, such as `https://deckhand.example.com`. */
  readonly baseUrl: string;
  /** An API key (`dk_…`). */
  readonly apiKey: string;
}

/** Options of a start, beside the input. */
export interface ExecuteOptions extends Omit<ExecuteBody, 'input'> {
  /**
   * The same key and input start one run within 24 hours. By default each call has a key of its own, so that retries of
   * the client start one run.
   */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** Options of a batch of starts. */
export interface ExecuteBatchOptions {
  /** Stands for the keys of items that have none. By default each call has a key of its own. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** How an item of a batch ended: a run, or the error that a single start would have thrown. */
export type BatchResult =
  { readonly run: Run; readonly error?: undefined } | { readonly run?: undefined; readonly error: DeckhandError };

/** A filter of a list, without paging. */
type FilterOf<Data extends { query?: object }> = Omit<NonNullable<Data['query']>, 'cursor' | 'offset' | 'fields'>;

/** A client of one instance. */
export interface Deckhand {
  readonly workflows: {
    /**
     * Starts a run of a workflow. The input of a workflow whose type is known has to be of this type.
     * @throws DeckhandError, ConnectionError
     */
    execute<const Id extends string>(workflowId: Id, ...start: StartArguments<Id, ExecuteOptions>): Promise<Run>;
    /**
     * Starts a run for each item, up to 1,000. @returns a result for each, in their order: an item that is refused
     * concerns no other, and is not retried.
     * @throws DeckhandError if the batch as a whole was refused; ConnectionError
     */
    executeBatch(
      workflowId: string,
      items: readonly ExecuteBatchItem[],
      options?: ExecuteBatchOptions,
    ): Promise<readonly BatchResult[]>;
    /** Reads a workflow with its latest definition. @throws DeckhandError, ConnectionError */
    get(workflowId: string): Promise<WorkflowResponse>;
    /** Yields the workflows of a workspace, page by page. @throws DeckhandError, ConnectionError */
    list(filter: FilterOf<ListWorkflowsData>): AsyncGenerator<WorkflowEntry, void, undefined>;
  };
  readonly runs: {
    /** Returns the handle of a run, without a request. */
    of(executionId: string): Run;
    /** Yields the runs of a workspace, page by page, the newest first. @throws DeckhandError, ConnectionError */
    list(filter: FilterOf<ListExecutionsData>): AsyncGenerator<ExecutionEntry, void, undefined>;
  };
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

/** Creates a client. It sends no request. @throws TypeError if `baseUrl` is not a URL. */
export function createDeckhand({ baseUrl, apiKey, ...sending }: DeckhandOptions): Deckhand {
  const url = new URL(baseUrl).href.replace(/\/+$/, '');
  const send = createSend(sending);
  const headers = { 'x-api-key': apiKey };
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
      async execute(workflowId: string, input?: ExecuteBody['input'], given: ExecuteOptions = {}) {
        const { idempotencyKey, signal, ...options } = given;
        const { data } = await executeWorkflow({
          client,
          path: { id: workflowId },
          body: { ...(input !== undefined && { input }), ...options },
          headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
          ...(signal && { signal }),
          throwOnError,
        });
        return createRun(parts, data.executionId, data.warning);
      },
      async executeBatch(workflowId, items, { idempotencyKey, signal } = {}) {
        const { data, response } = await executeWorkflowBatch({
          client,
          path: { id: workflowId },
          body: [...items],
          headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
          ...(signal && { signal }),
          throwOnError,
        });
        const requestId = response.headers.get('x-request-id') ?? '';
        return data.items.map((item) =>
          'code' in item
            ? { error: new DeckhandError(item.status, { ...item, requestId }, undefined) }
            : { run: createRun(parts, item.executionId, data.warning) },
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

/**
 * Drops the option `client`, which the core would pass on to `new Request`: Deno has an option of this name, too, and
 * refuses another kind of client.
 */
function dropClient(options: unknown): Promise<unknown> {
  if (typeof options === 'object' && options !== null) Reflect.deleteProperty(options, 'client');
  return Promise.resolve(options);
}
