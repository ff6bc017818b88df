import type { WorkflowRecord } from '@deckhand/db';
import { savedNodes } from '../definitions.js';

/** The method of a webhook trigger that names none. */
const DEFAULT_METHOD = 'POST';

/** A workflow as the API answers it: with the URL and the method of each webhook trigger of its latest version. */
export function workflowAnswer(workflow: WorkflowRecord, webhookBaseUrl: string): object {
  const { webhooks, definition, ...entry } = workflow;
  const suffixes = new Map(webhooks.map(({ nodeId, suffix }) => [nodeId, suffix]));
  return {
    ...entry,
    webhooks: savedNodes(definition, 'webhooks').flatMap(({ id, parameters }) => {
      const suffix = suffixes.get(id);
      const method = typeof parameters.method === 'string' ? parameters.method : DEFAULT_METHOD;
      return suffix === undefined ? [] : [{ nodeId: id, url: webhookUrl(webhookBaseUrl, suffix), method }];
    }),
    definition,
  };
}

/** The URL that a webhook's callers use. */
export function webhookUrl(baseUrl: string, suffix: string): string {
  return `${baseUrl}/webhook/${suffix}`;
}

/** The URL that runs a webhook's latest version while it is open for tests. */
export function webhookTestUrl(baseUrl: string, suffix: string): string {
  return `${baseUrl}/webhook-test/${suffix}`;
}
