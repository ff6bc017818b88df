import type { ExecutionEntry, PageOf, WebhookTestUrl, Workflow } from '@deckhand/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { lastRunQuery } from '../../../api/executions.ts';
import { openWebhookTest } from '../../../api/workflows.ts';

/** How often the run of a test event is looked for, in ms. */
const POLL_MS = 1_000;

/** The runs that requests to test URLs start. */
const TESTS = { source: 'webhook', executionMode: 'test' } as const;

/** Waits for a request to the test URL of a webhook. */
export interface TestEvent {
  /** The open URL; undefined while none is. */
  readonly open: WebhookTestUrl | undefined;
  readonly state: 'idle' | 'listening' | 'received' | 'expired';
  readonly isPending: boolean;
  readonly error: unknown;
  readonly listen: (nodeId: string) => void;
}

interface Listening {
  readonly url: WebhookTestUrl;
  /** The latest run of a test before: this one's is a later one. */
  readonly before: string | undefined;
}

/**
 * Opens test URLs of a workflow's webhooks.
 * @param onSave saves the canvas, because the latest version answers. @throws if it cannot be saved.
 * @param onRun gets the run of the request. It must not change between renders.
 */
export function useTestEvent(
  { id, workspaceId }: Workflow,
  { onSave, onRun }: { onSave: () => Promise<unknown>; onRun: (executionId: string) => void },
): TestEvent {
  const queryClient = useQueryClient();
  const [listening, setListening] = useState<Listening>();
  const [isExpired, setExpired] = useState(false);
  const opening = useMutation({
    async mutationFn(nodeId: string): Promise<Listening> {
      await onSave();
      const last = await queryClient.query({ ...lastRunQuery(workspaceId, id, TESTS), staleTime: 0 });
      return { before: last.data[0]?.executionId, url: await openWebhookTest(id, nodeId) };
    },
    onSuccess(next) {
      setListening(next);
      setExpired(false);
    },
  });
  const { data } = useQuery({
    ...lastRunQuery(workspaceId, id, TESTS),
    queryKey: ['test-event', id, listening?.url.expiresAt ?? ''],
    enabled: listening !== undefined && !isExpired,
    refetchInterval: (query) => (runAfter(query.state.data, listening) === undefined ? POLL_MS : false),
  });
  const received = runAfter(data, listening);
  useEffect(() => {
    if (received !== undefined) onRun(received);
  }, [received, onRun]);
  useEffect(() => {
    if (listening === undefined) return;
    const timer = setTimeout(() => setExpired(true), Date.parse(listening.url.expiresAt) - Date.now());
    return () => clearTimeout(timer);
  }, [listening]);
  const state =
    listening === undefined ? 'idle' : received !== undefined ? 'received' : isExpired ? 'expired' : 'listening';
  return {
    open: state === 'listening' ? listening?.url : undefined,
    state,
    isPending: opening.isPending,
    error: opening.error,
    listen: (nodeId) => opening.mutate(nodeId),
  };
}

/** Returns the run that came after a test began. Ids of runs ascend. */
function runAfter(page: PageOf<ExecutionEntry> | undefined, listening: Listening | undefined): string | undefined {
  const latest = page?.data[0]?.executionId;
  return latest !== undefined && listening !== undefined && latest > (listening.before ?? '') ? latest : undefined;
}
