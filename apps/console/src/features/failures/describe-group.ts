import type { FailureGroup } from '@deckhand/contracts';
import { i18n } from '../../language/i18n.ts';

/** Describes which nodes failed, and how. */
export function describeNode({ nodeType, code }: FailureGroup): string {
  return [nodeType, code].filter((part) => part !== null).join(' · ');
}

/** Names the affected workflow, and the number of further ones. */
export function describeWorkflows({ workflows }: FailureGroup): string {
  const [first, ...others] = workflows.map(({ workflowName }) => workflowName ?? i18n.t('Deleted workflow'));
  return others.length === 0 ? (first ?? '') : i18n.t('{first} and {count} more', { first, count: others.length });
}
