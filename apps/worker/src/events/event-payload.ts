import type { EventPayload } from '@deckhand/contracts';
import type { TakenDelivery } from '@deckhand/db';

/** The status of a run after an event that changed it. */
const STATUSES: Readonly<Partial<Record<TakenDelivery['type'], EventPayload['data']['status']>>> = {
  'run.started': 'running',
  'run.succeeded': 'success',
  'run.failed': 'failed',
  'run.timed_out': 'timeout',
  'run.stopped': 'stopped',
};

/**
 * Returns the body of an event, the same for each attempt. It follows from the stored row alone.
 * @param publicUrl where this instance is reached, without a slash at the end; undefined for links without a host.
 */
export function toEventBody(delivery: TakenDelivery, publicUrl: string | undefined): string {
  const { workspaceId, workflowId, executionId, nodeId, iteration, revision, type } = delivery;
  const status = STATUSES[type];
  const payload: EventPayload = {
    type,
    timestamp: delivery.occurredAt.toISOString(),
    data: {
      workspaceId,
      ...(workflowId === null ? {} : { workflowId }),
      ...(executionId === null ? {} : { executionId }),
      ...(status === undefined ? {} : { status }),
      ...(nodeId === null ? {} : { nodeId, iteration }),
      ...(revision === null ? {} : { etag: `W/"${revision}"` }),
      link: `${publicUrl ?? ''}${pathOf(delivery)}`,
    },
  };
  return JSON.stringify(payload);
}

function pathOf({ executionId, workflowId, endpointId }: TakenDelivery): string {
  if (executionId !== null) return `/api/executions/${executionId}`;
  return workflowId === null ? `/api/event-endpoints/${endpointId}` : `/api/workflows/${workflowId}`;
}
