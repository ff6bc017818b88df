import { DeckhandError, RunFailedError } from './errors.ts';
import { parseEvents } from './event-stream.ts';
import {
  type ExecutionResponse,
  getExecution,
  getExecutionResult,
  type JsonValue,
  pauseExecution,
  rerunExecution,
  resumeExecution,
  stopExecution,
} from './generated/index.ts';
import type { Client } from './generated/client/index.ts';
import { delay, type Send } from './send.ts';

/** How to wait for a run. */
export interface WaitOptions {
  /** Stops waiting; the run continues. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the wait, in ms; without one, it lasts until the run ends. The run continues after it. */
  readonly timeoutMs?: number | undefined;
}

/** A run that was started, or is known by its id. */
export interface Run<Result = JsonValue> {
  readonly id: string;
  /** Present if no worker was available when it was started: the run stays pending until one is. */
  readonly warning: string | undefined;
  /** Reads the run. @throws DeckhandError, ConnectionError */
  get(options?: { readonly slim?: boolean }): Promise<ExecutionResponse>;
  /**
   * Waits until the run is finished, with any status.
   * @returns the run, without outputs.
   * @throws DeckhandError, ConnectionError, the reason of the signal, or a TimeoutError after `timeoutMs`.
   */
  finished(options?: WaitOptions): Promise<ExecutionResponse>;
  /**
   * Waits until the run is finished, and returns the body of its result: what its End node set; null without one.
   * @throws RunFailedError for any status but `success`; the errors of `finished`.
   */
  result(options?: WaitOptions): Promise<Result>;
  /**
   * Follows the run: yields it, without outputs, at once and after each change, until it is finished. Continues after
   * a broken connection, without repeating a state.
   * @throws DeckhandError, ConnectionError, the reason of the signal, or a TimeoutError after `timeoutMs`.
   */
  events(options?: WaitOptions): AsyncGenerator<ExecutionResponse, void, undefined>;
  stop(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Starts a new run with the same trigger data. */
  rerun(): Promise<Run<Result>>;
}

/** What runs need. */
export interface RunParts {
  readonly client: Client;
  readonly send: Send;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long the API holds a response, in seconds: less than the idle time of common proxies (60 s). */
const HOLD_SECONDS = 50;
/** Delay before a broken stream is opened again, in ms, and how often in a row. */
const RECONNECT_MS = 1_000;
const MAX_RECONNECTS = 10;
/** A stream without a byte for this long is broken, in ms: the API sends a comment every 15 s. */
const SILENCE_MS = 45_000;
const FINISHED: ReadonlySet<string> = new Set(['success', 'failed', 'timeout', 'stopped']);

/** Creates the handle of a run. The caller vouches for the type of the result. */
export function createRun<Result = JsonValue>(parts: RunParts, id: string, warning?: string): Run<Result> {
  const { client } = parts;
  const path = { id };
  const url = `${parts.baseUrl}/api/executions/${encodeURIComponent(id)}`;
  const throwOnError = true;

  async function finished(options: WaitOptions = {}): Promise<ExecutionResponse> {
    const signal = signalOf(options);
    let etag: string | null = null;
    for (;;) {
      // Without a tag, a run that waits for a person would be returned at once, again and again.
      const held: Record<string, string> = etag === null ? {} : { 'if-none-match': etag };
      const request = new Request(`${url}?slim=true&wait=${HOLD_SECONDS}`, {
        headers: { ...parts.headers, ...held },
        ...(signal && { signal }),
      });
      const response = await parts.send(request);
      if (response.status === 304) continue;
      const execution = (await response.json()) as ExecutionResponse;
      if (FINISHED.has(execution.status)) return execution;
      etag = response.headers.get('etag');
      // A proxy removed the tag: ask less often instead.
      if (etag === null) await delay(RECONNECT_MS, signal);
    }
  }

  async function* events(options: WaitOptions = {}): AsyncGenerator<ExecutionResponse, void, undefined> {
    const signal = signalOf(options);
    let lastId = '';
    for (let failures = 0; ; failures += 1) {
      const silence = new AbortController();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const watch = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(new Error(`the stream was silent for ${SILENCE_MS} ms`)), SILENCE_MS);
      };
      try {
        const request = new Request(`${url}/events`, {
          headers: { ...parts.headers, accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) },
          signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
        });
        const response = await parts.send(request);
        // The run ended with the event that was received last.
        if (response.status === 204 || response.body === null) return;
        const observed = response.body.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            start: watch,
            transform(chunk, controller) {
              watch();
              controller.enqueue(chunk);
            },
          }),
        );
        for await (const event of parseEvents(observed)) {
          failures = 0;
          if (event.id !== '' && event.id === lastId) continue;
          lastId = event.id;
          const execution = JSON.parse(event.data) as ExecutionResponse;
          yield execution;
          if (FINISHED.has(execution.status)) return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof DeckhandError || failures >= MAX_RECONNECTS) throw error;
      } finally {
        clearTimeout(timer);
      }
      await delay(RECONNECT_MS, signal);
    }
  }

  return {
    id,
    warning,
    async get({ slim = false } = {}) {
      return (await getExecution({ client, path, query: { slim }, throwOnError })).data;
    },
    finished,
    async result(options) {
      const execution = await finished(options);
      if (execution.status !== 'success') throw new RunFailedError(execution);
      const { data } = await getExecutionResult({ client, path, throwOnError });
      return bodyOf(data.result) as Result;
    },
    events,
    async stop() {
      await stopExecution({ client, path, throwOnError });
    },
    async pause() {
      await pauseExecution({ client, path, throwOnError });
    },
    async resume() {
      await resumeExecution({ client, path, throwOnError });
    },
    async rerun() {
      const { data } = await rerunExecution({ client, path, throwOnError });
      return createRun<Result>(parts, data.executionId, data.warning);
    },
  };
}

/** Returns the body of a run's result, which is `{ body, statusCode, headers }`. */
function bodyOf(result: JsonValue): JsonValue {
  const hasBody = typeof result === 'object' && result !== null && !Array.isArray(result) && 'body' in result;
  return hasBody ? (result.body ?? null) : null;
}

function signalOf({ signal, timeoutMs }: WaitOptions): AbortSignal | undefined {
  if (timeoutMs === undefined) return signal;
  const limit = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}
