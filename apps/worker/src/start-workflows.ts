import { acceptChild, type ChildVerdict, type Database } from '@deckhand/db';
import { NodeError, type WorkflowStarter } from '@deckhand/engine';
import type { RunQueue } from '@deckhand/queue';
import { createHash } from 'node:crypto';

const REASONS: Record<Exclude<ChildVerdict['kind'], 'started'>, string> = {
  notFound: 'there is no such workflow in this workspace',
  noVersion: 'the workflow has no saved version',
  noTrigger: 'the workflow has no trigger to start from',
  tooDeep: 'workflows start each other too deeply',
  parentGone: 'this run is finished',
};

/** Starts runs for workflow nodes. `onStarted` is told of each, of one that was there already as well. */
export function createWorkflowStarter({
  db,
  queue,
  onStarted,
}: {
  db: Database;
  queue: RunQueue;
  onStarted: () => void;
}): WorkflowStarter {
  return {
    async start({ workflowId, input, parentExecutionId, parentNodeId, idempotencyKey }) {
      const executionId = childId(parentExecutionId, idempotencyKey);
      const triggerData = JSON.stringify(input);
      const verdict = await acceptChild(db, { executionId, workflowId, parentExecutionId, parentNodeId, triggerData });
      if (verdict.kind !== 'started') {
        throw new NodeError('WORKFLOW_NOT_STARTED', REASONS[verdict.kind], { isRetryable: false });
      }
      onStarted();
      // Should this fail, the reconciler finds the child without a job.
      await queue.add([{ executionId, dispatch: verdict.dispatch }]).catch(() => undefined);
      return executionId;
    },
  };
}

/** A UUIDv7 that depends on nothing but the node run: the parent's time, and a hash in place of chance. */
function childId(parentExecutionId: string, idempotencyKey: string): string {
  const hash = createHash('sha256').update(idempotencyKey).digest('hex');
  const variant = ((Number.parseInt(hash.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return `${parentExecutionId.slice(0, 13)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}
