import type { FailureGroup } from '@deckhand/contracts';

/** Describes which nodes failed, and how. */
export function describeNode({ nodeType, code }: FailureGroup): string {
  return [nodeType, code].filter((part) => part !== null).join(' · ');
}

/** Names the affected workflow, and the number of further ones. */
export function describeWorkflows({ workflows }: FailureGroup): string {
  const [first, ...others] = workflows.map(({ workflowName }) => workflowName ?? 'Deleted workflow');
  return others.length === 0 ? (first ?? '') : `${first} and ${others.length} more`;
}
