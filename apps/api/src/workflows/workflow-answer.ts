import type { WorkflowSchedule } from '@deckhand/contracts';
import type { WorkflowRecord } from '@deckhand/db';
import { methodOf, type SavedNode, savedNodes } from '../definitions.ts';

/** The default time zone of a schedule trigger. */
const DEFAULT_ZONE = 'UTC';

/**
 * Returns a workflow as the API responds with it: with the URL and the method of each webhook trigger and form of its
 * latest version, and the schedules of its active one. If there was never one, those that activating it would start.
 */
export function workflowAnswer(workflow: WorkflowRecord, webhookBaseUrl: string): object {
  const { webhooks, schedules, definition, ...entry } = workflow;
  const suffixes = new Map(webhooks.map(({ nodeId, suffix }) => [nodeId, suffix]));
  return {
    ...entry,
    webhooks: savedNodes(definition, 'webhooks').flatMap((node) => {
      const suffix = suffixes.get(node.id);
      if (suffix === undefined) return [];
      const url = triggerUrl(webhookBaseUrl, { suffix, type: node.type });
      return [{ nodeId: node.id, url, method: methodOf(node) }];
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

/** A trigger with a URL: the last part of it, and its node type. */
interface TriggerAddress {
  readonly suffix: string;
  readonly type: string;
}

/** Returns the URL of a webhook, or of the page of a form. */
export function triggerUrl(baseUrl: string, { suffix, type }: TriggerAddress): string {
  return `${baseUrl}/${kindOf(type)}/${suffix}`;
}

/** Returns the test URL of a webhook or a form, which runs the latest version while it is open. */
export function triggerTestUrl(baseUrl: string, { suffix, type }: TriggerAddress): string {
  return `${baseUrl}/${kindOf(type)}-test/${suffix}`;
}

function kindOf(type: string): 'form' | 'webhook' {
  return type === 'trigger.form' ? 'form' : 'webhook';
}
