import type { ChildRequest, ChildVerdict } from '@deckhand/db';
import { NodeError, type WorkflowStarter } from '@deckhand/engine';
import type { RunQueue } from '@deckhand/queue';
import { derivedId, timeOfId } from './derived-id.js';

const REASONS: Record<Exclude<ChildVerdict['kind'], 'started'>, string> = {
  notFound: 'there is no such workflow in this workspace',
  noVersion: 'the workflow has no saved version',
  noTrigger: 'the workflow has no trigger to start from',
  tooDeep: 'workflows start each other too deeply',
  parentGone: 'this run is finished',
};

/**
 * Starts runs for workflow nodes.
 * @param parts.acceptChild repeats the statement while the database is away: a child that was started already is found
 * by its id.
 * @param parts.onStarted called for each, also for one that was there already.
 */
export function createWorkflowStarter({
  acceptChild,
  queue,
  onStarted,
}: {
  acceptChild: (request: ChildRequest) => Promise<ChildVerdict>;
  queue: Pick<RunQueue, 'add'>;
  onStarted: () => void;
}): WorkflowStarter {
  return {
    async start({ workflowId, input, parentExecutionId, parentNodeId, idempotencyKey }) {
      // The same whenever the node is run again.
      const executionId = derivedId(timeOfId(parentExecutionId), idempotencyKey);
      const triggerData = JSON.stringify(input);
      const verdict = await acceptChild({ executionId, workflowId, parentExecutionId, parentNodeId, triggerData });
      if (verdict.kind !== 'started') {
        throw new NodeError('WORKFLOW_NOT_STARTED', REASONS[verdict.kind], { isRetryable: false });
      }
      onStarted();
      // Should this fail, maintenance finds the child without a job.
      const { workspaceId, dispatch } = verdict;
      await queue.add([{ workspaceId, executionId, dispatch }]).catch(() => undefined);
      return executionId;
    },
  };
}
