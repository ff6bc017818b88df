import { type ChildRequest, type ChildVerdict, chooseVersion } from '@deckhand/db';
import { NodeError, type WorkflowStarter } from '@deckhand/engine';
import type { CountExecution, RunQueue } from '@deckhand/queue';
import { derivedId, timeOfId } from './derived-id.js';

/** How long a node waits for a workspace that is over its quota before it asks again, in ms. */
const QUOTA_HOLD_MS = 60_000;
/** How long one waits whose workspace's limit was changed while its run was counted, in ms. */
const COUNT_AGAIN_MS = 1_000;

type Refusal = Exclude<ChildVerdict['kind'], 'started' | 'notCounted' | 'overQuota'>;

const REASONS: Record<Exclude<Refusal, 'noVersion'>, string> = {
  notFound: 'there is no such workflow in this workspace',
  noTrigger: 'the workflow has no trigger to start from',
  tooDeep: 'workflows start each other too deeply',
  tooMany: 'the first run of this family has started as many runs as it may, directly and through others',
  parentGone: 'this run is finished',
};

/**
 * Starts runs for workflow nodes. A run that a limit of its workspace keeps out is asked for again later: the node
 * waits for it, and its own run rests meanwhile.
 * @param parts.acceptChild repeats the statement while the database is away: a child that was started already is found
 * by its id.
 * @param parts.onStarted called for each, also for one that was there already.
 */
export function createWorkflowStarter({
  acceptChild,
  countExecution,
  queue,
  onStarted,
}: {
  acceptChild: (request: ChildRequest) => Promise<ChildVerdict>;
  countExecution: CountExecution;
  queue: Pick<RunQueue, 'add'>;
  onStarted: () => void;
}): WorkflowStarter {
  /** Counts the run where its workspace has a limit of runs a minute. @throws NodeError while that is reached. */
  async function acceptCounted(request: ChildRequest): Promise<ChildVerdict> {
    const verdict = await acceptChild(request);
    if (verdict.kind !== 'notCounted') return verdict;
    const seconds = await countExecution(verdict.workspaceId, verdict.executionsPerMinute);
    if (seconds !== null) throw tooEarly('the workspace starts runs too quickly', seconds * 1_000);
    return acceptChild({ ...request, countedUnder: verdict.executionsPerMinute });
  }

  return {
    async start({ workflowId, version, input, parentExecutionId, parentNodeId, idempotencyKey }) {
      // The same whenever the node is run again.
      const executionId = derivedId(timeOfId(parentExecutionId), idempotencyKey);
      const triggerData = JSON.stringify(input);
      const verdict = await acceptCounted({
        executionId,
        workflowId,
        parentExecutionId,
        parentNodeId,
        triggerData,
        ...chooseVersion(version),
      });
      if (verdict.kind === 'notCounted') throw tooEarly('the limit of the workspace was changed', COUNT_AGAIN_MS);
      if (verdict.kind === 'overQuota') throw tooEarly('the workspace is over its storage quota', QUOTA_HOLD_MS);
      if (verdict.kind !== 'started') throw refusal(verdict.kind, version);
      onStarted();
      // Should this fail, maintenance finds the child without a job.
      const { workspaceId, dispatch } = verdict;
      await queue.add([{ workspaceId, executionId, dispatch }]).catch(() => undefined);
      return executionId;
    },
  };
}

function refusal(kind: Refusal, version: string): NodeError {
  if (kind === 'noVersion' && version === 'active') {
    return new NodeError('NO_ACTIVE_VERSION', 'the workflow has no active version', { isRetryable: false });
  }
  const reason = kind === 'noVersion' ? noSuchVersion(version) : REASONS[kind];
  return new NodeError('WORKFLOW_NOT_STARTED', reason, { isRetryable: false });
}

function noSuchVersion(version: string): string {
  return version === 'latest' ? 'the workflow has no saved version' : `the workflow has no version ${version}`;
}

/** A failure after which the node is run again, as often as it takes. @param afterMs when. */
function tooEarly(reason: string, afterMs: number): NodeError {
  return new NodeError('WORKFLOW_NOT_STARTED', reason, { retryAfterMs: afterMs });
}
