import { type Execution, isFinished, parseOwnJson } from '@deckhand/contracts';
import { type QueryClient, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { createParser } from 'eventsource-parser';
import { useEffect } from 'react';
import { send } from './call.ts';
import { runQuery } from './executions.ts';

/** Delay before a broken stream is opened again, in ms. */
const RETRY_MS = 1_000;

/**
 * A live run, without its outputs: read once, then updated by its event stream until it is finished. @param executionId
 * undefined for no run.
 */
export function useLiveRun(executionId: string | undefined): UseQueryResult<Execution> {
  const queryClient = useQueryClient();
  const query = useQuery({ ...runQuery(executionId ?? ''), enabled: executionId !== undefined });
  const isLive = query.data !== undefined && !isFinished(query.data.status);
  useEffect(() => {
    if (!isLive || executionId === undefined) return;
    const over = new AbortController();
    void followUntilOver(queryClient, executionId, over.signal);
    return () => over.abort();
  }, [queryClient, executionId, isLive]);
  return query;
}

async function followUntilOver(queryClient: QueryClient, executionId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // A broken stream is opened again; errors of reading the run are reported by the query itself.
    await follow(queryClient, executionId, signal).catch(() => undefined);
    await new Promise((over) => setTimeout(over, RETRY_MS));
    if (!isOver(signal)) await queryClient.invalidateQueries({ queryKey: runQuery(executionId).queryKey });
  }
}

/** Reads the stream to its end. A browser's own EventSource cannot send a token. */
async function follow(queryClient: QueryClient, executionId: string, signal: AbortSignal): Promise<void> {
  const answer = await send('GET', `/api/executions/${executionId}/events`, { signal });
  if (answer.body === null) return;
  const parser = createParser({
    onEvent({ event, data }) {
      if (event !== 'execution') return;
      queryClient.setQueryData(runQuery(executionId).queryKey, parseOwnJson<Execution>(data));
    },
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) parser.feed(part.value);
}

/** Checked again: the signal may abort while this waits. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
