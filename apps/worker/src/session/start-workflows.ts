import { DeckhandError, MAX_ISSUES, priorityOf, serializeOptions, type StartOptions } from '@deckhand/contracts';
import { type ChildOutcome, type ChildRequest, chooseVersion } from '@deckhand/db';
import { NodeError, type WorkflowStarter } from '@deckhand/engine';
import { pathWithin } from '@deckhand/nodes';
import type { StartedRun } from '../announce-runs.ts';
import { childIdOf } from './derived-id.ts';

/** Delay before a node tries again to start a run in a workspace that is over its storage quota, in ms. */
const OVER_QUOTA_RETRY_MS = 60_000;

type Refusal = Exclude<ChildOutcome['kind'], 'started' | 'invalidInput' | 'rateLimited' | 'overQuota' | 'limitReached'>;

const REASONS: Record<Exclude<Refusal, 'noVersion'>, string> = {
  notFound: 'there is no such workflow in this workspace',
  noTrigger: 'the workflow has no trigger to start from',
  tooDeep: 'workflows start each other too deeply',
  tooMany: 'the first run of this family has started as many runs as it may, directly and through others',
  parentGone: 'this run is finished',
};

/**
 * Creates the service by which workflow nodes start runs. When a limit of the workspace refuses a run, the node is
 * retried later, and its own run rests meanwhile.
 * @param parts.startChild repeats statements while the database is unavailable. That is safe: a child that was started
 * already is found by its id.
 * @param parts.announce queues a started run, and also one that had been started before.
 */
export function createWorkflowStarter({
  startChild,
  announce,
}: {
  startChild: (request: ChildRequest) => Promise<ChildOutcome>;
  announce: (started: StartedRun) => Promise<void>;
}): WorkflowStarter {
  return {
    async start({ workflowId, version, input, options, parentExecutionId, parentNodeId, idempotencyKey }) {
      // A retry of the node gets the same id.
      const executionId = childIdOf(parentExecutionId, idempotencyKey);
      const triggerData = JSON.stringify(input);
      const serialized = readOptions(options);
      const outcome = await startChild({
        executionId,
        workflowId,
        parentExecutionId,
        parentNodeId,
        triggerData,
        options: serialized,
        ...chooseVersion(version),
      });
      if (outcome.kind !== 'started') throw toNodeError(outcome, version);
      const { workspaceId, dispatch, underKey } = outcome;
      await announce({ workspaceId, executionId, dispatch, priority: priorityOf(serialized), underKey });
      return executionId;
    },
  };
}

/** @throws NodeError if expressions made options that are not valid. */
function readOptions(options: StartOptions): string | undefined {
  try {
    return serializeOptions(options);
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    throw new NodeError('PARAMETERS_INVALID', `options: ${error.message}`, { isRetryable: false });
  }
}

function toNodeError(outcome: Exclude<ChildOutcome, { readonly kind: 'started' }>, version: string): NodeError {
  switch (outcome.kind) {
    case 'invalidInput': {
      const problems = outcome.issues
        .slice(0, MAX_ISSUES)
        .map(({ path, message }) => `${pathWithin('input', path)} ${message}`);
      return new NodeError('INPUT_INVALID', problems.join('; '), { isRetryable: false });
    }
    case 'rateLimited':
      return retryLater('the workspace starts runs too quickly', outcome.count.resetSeconds * 1_000);
    case 'overQuota':
      return retryLater('the workspace is over its storage quota', OVER_QUOTA_RETRY_MS);
    case 'limitReached':
      return new NodeError('CONCURRENCY_LIMIT', 'the concurrency limit of this key is reached');
    default:
      return refusal(outcome.kind, version);
  }
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

/** Returns an error after which the node is retried, without a limit of attempts. */
function retryLater(reason: string, retryAfterMs: number): NodeError {
  return new NodeError('WORKFLOW_NOT_STARTED', reason, { retryAfterMs });
}
