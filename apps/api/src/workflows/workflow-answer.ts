import type { WorkflowSchedule } from '@deckhand/contracts';
import type { WorkflowRecord } from '@deckhand/db';
import { type SavedNode, savedNodes } from '../definitions.ts';

/** The default method of a webhook trigger. */
const DEFAULT_METHOD = 'POST';
/** The default time zone of a schedule trigger. */
const DEFAULT_ZONE = 'UTC';

/**
 * Returns a workflow as the API responds with it: with the URL and the method of each webhook trigger of its latest
 * version, and the schedules of its active one, or, if there was never one, those that activating it would start.
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

/** Returns the URL of a webhook. */
export function webhookUrl(baseUrl: string, suffix: string): string {
  return `${baseUrl}/webhook/${suffix}`;
}

/** Returns the test URL of a webhook, which runs the latest version while it is open. */
export function webhookTestUrl(baseUrl: string, suffix: string): string {
  return `${baseUrl}/webhook-test/${suffix}`;
}
