import type { WorkflowSchedule } from '@deckhand/contracts';
import type { WorkflowRecord } from '@deckhand/db';
import { type SavedNode, savedNodes } from '../definitions.js';

/** The method of a webhook trigger that names none. */
const DEFAULT_METHOD = 'POST';
/** The zone of a schedule trigger that names none. */
const DEFAULT_ZONE = 'UTC';

/**
 * A workflow as the API answers it: with the URL and the method of each webhook trigger of its latest version, and the
 * schedules of its active one, or, while there was never one, those that activating it would begin.
 */
export function workflowAnswer(workflow: WorkflowRecord, webhookBaseUrl: string): object {
  const { webhooks, schedules, definition, ...entry } = workflow;
  const suffixes = new Map(webhooks.map(({ nodeId, suffix }) => [nodeId, suffix]));
  return {
    ...entry,
    webhooks: savedNodes(definition, 'webhooks').flatMap(({ id, parameters }) => {
      const suffix = suffixes.get(id);
      const method = typeof parameters.method === 'string' ? parameters.method : DEFAULT_METHOD;
      return suffix === undefined ? [] : [{ nodeId: id, url: webhookUrl(webhookBaseUrl, suffix), method }];
    }),
    schedules:
      workflow.activeVersionId === null ? savedNodes(definition, 'schedules').flatMap(idleSchedule) : schedules,
    definition,
  };
}

function idleSchedule({ id, isDisabled, parameters }: SavedNode): WorkflowSchedule[] {
  const { cron, timezone, catchUp } = parameters;
  if (isDisabled || typeof cron !== 'string') return [];
  return [
    {
      nodeId: id,
      cron,
      timezone: typeof timezone === 'string' ? timezone : DEFAULT_ZONE,
      catchUp: catchUp === true,
      nextFireAt: null,
      lastFireAt: null,
      lastExecutionId: null,
      blockedBy: null,
      pausedAt: null,
    },
  ];
}

/** The URL that a webhook's callers use. */
export function webhookUrl(baseUrl: string, suffix: string): string {
  return `${baseUrl}/webhook/${suffix}`;
}

/** The URL that runs a webhook's latest version while it is open for tests. */
export function webhookTestUrl(baseUrl: string, suffix: string): string {
  return `${baseUrl}/webhook-test/${suffix}`;
}
