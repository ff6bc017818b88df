import { DeckhandError, type ValidationIssue, validationFailed } from '@deckhand/contracts';
import { pathWithin } from '@deckhand/nodes';
import {
  type InvalidInput,
  type OtherBody,
  type RateLimited,
  type RerunRefusal,
  type RunCount,
  type StartRefusal,
  type StartRequest,
  needsPermission,
} from '@deckhand/db';
import { type CountedRate, rateLimited } from '../http/rate-limit.ts';

/** Returns true if the response goes to an anonymous caller. */
export function isForAnonymous({ source }: Pick<StartRequest, 'source'>): boolean {
  return source === 'webhook';
}

/** Converts the count of a run to what responses show of its limit. */
export function toCountedRate(count: RunCount): CountedRate {
  return { name: 'workspace-runs', ...count };
}

/**
 * Returns the error of a start that was refused. Callers of webhooks get `Retry-After` but no numbers: the limit is not
 * their business.
 * @param storage the usage of storage of the workspace, for a workspace that is over its quota.
 */
export function startRefused(
  outcome: OtherBody | RateLimited | InvalidInput | StartRefusal,
  request: Omit<StartRequest, 'executionId'>,
  storage: object | undefined,
): DeckhandError {
  switch (outcome.kind) {
    case 'rateLimited':
      return isForAnonymous(request)
        ? new DeckhandError('workspace_rate_limited', {
            headers: { 'Retry-After': String(outcome.count.resetSeconds) },
          })
        : rateLimited('workspace_rate_limited', toCountedRate(outcome.count));
    case 'invalidInput':
      // The data of a webhook's run is named as in its workflow: `body.name`.
      return validationFailed(
        isForAnonymous(request)
          ? outcome.issues
          : outcome.issues.map((issue) => ({ ...issue, path: pathWithin('input', issue.path) })),
        outcome.isTruncated,
      );
    case 'otherBody':
      return new DeckhandError('CONFLICT', { message: 'This Idempotency-Key was used with another body' });
    case 'limitReached':
      return new DeckhandError('CONCURRENCY_LIMIT');
    case 'forbidden':
      return new DeckhandError('FORBIDDEN', { message: needsPermission('runs.start') });
    case 'oldVersion': {
      const message = 'A version that is neither the latest nor the active one needs the permission runs.test';
      return new DeckhandError('FORBIDDEN', { message });
    }
    case 'inactive':
      return new DeckhandError('WEBHOOK_INACTIVE');
    case 'noVersion':
      if (request.isActiveVersion === true) {
        return new DeckhandError('INVALID_STATE', { message: 'The workflow has no active version' });
      }
      if (request.versionId !== undefined && request.source !== 'webhook') {
        return validationFailed([{ path: 'version', message: 'is not a version of this workflow' }]);
      }
      return new DeckhandError('NO_ACTIVE_VERSION');
    case 'noTrigger':
      return new DeckhandError('INVALID_STATE', {
        message: 'The workflow has no trigger to start from that is not disabled',
      });
    case 'unknownTrigger':
      if (request.source === 'rerun') {
        const message = `The version has no trigger "${request.triggerNodeId ?? ''}" any more`;
        return new DeckhandError('TRIGGER_DATA_GONE', { message });
      }
      return validationFailed([unknownTrigger(request.triggerNodeId ?? '')]);
    case 'overQuota':
      return new DeckhandError('workspace_over_quota', { details: storage });
    case 'webhookMoved':
      return new DeckhandError('NOT_FOUND', { message: 'This webhook does not exist any more' });
    case 'notFound':
      return new DeckhandError('NOT_FOUND', { message: 'No such workflow' });
  }
}

function unknownTrigger(id: string): ValidationIssue {
  return { path: 'triggerNodeId', message: `"${id}" is not a trigger of the version, or is disabled` };
}

/** Returns the error of a run whose data cannot be used for another one. */
export function rerunRefused({ code, message = '', path }: RerunRefusal): DeckhandError {
  if (path !== undefined) return validationFailed([{ path, message }]);
  return new DeckhandError(code, message === '' ? {} : { message });
}
