import type { Change, DefinitionDiff, ValueChange } from '../../graph/diff-definitions.js';

const CHANGES: readonly Change[] = ['added', 'removed', 'changed'];

/** Labels of a node's members other than parameters, as in its form. */
const NODE_LABELS: Readonly<Record<string, string>> = {
  type: 'Type',
  name: 'Name',
  credentialId: 'Credential',
  disabled: 'Disabled',
  mock: 'Output in sandbox mode',
  onError: 'On error',
  onInterrupt: 'On interruption',
  'retry.maxAttempts': 'Max attempts',
  'retry.delayMs': 'Retry delay (ms)',
  'retry.factor': 'Retry delay factor',
  'retry.maxDelayMs': 'Max retry delay (ms)',
  timeoutSeconds: 'Timeout (seconds)',
};

/** Labels of the settings of a workflow, as in their form. */
const SETTING_LABELS: Readonly<Record<string, string>> = {
  timeoutSeconds: 'Run timeout (seconds)',
  maxConcurrentExecutions: 'Max concurrent runs',
  'concurrency.key': 'Concurrency key',
  'concurrency.limit': 'Runs per key',
  'concurrency.onLimit': 'At the limit',
  'rateLimit.max': 'Webhook requests',
  'rateLimit.windowSeconds': 'Per seconds',
};

/** Summarizes the differences in a line; empty without any. */
export function summarise({ nodes, edges, settings, notes }: DefinitionDiff): string {
  const parts = [count('node', nodes), count('connection', edges), count('note', notes)];
  return [...parts, settings.length > 0 ? 'settings changed' : ''].filter((part) => part !== '').join('; ');
}

/** Returns the label of a node's value: a parameter by its path, anything else in words. */
export function labelNodeValue({ path }: ValueChange): string {
  const [first, ...rest] = path;
  return first === 'parameters' ? labelPath(rest) : label(path, NODE_LABELS);
}

/** Returns the label of a setting. */
export function labelSetting({ path }: ValueChange): string {
  return label(path, SETTING_LABELS);
}

/** Formats counts: `1 node added, 2 changed`. */
function count(noun: string, changes: readonly { readonly change: Change }[]): string {
  return CHANGES.map((change) => ({ change, times: changes.filter((one) => one.change === change).length }))
    .filter(({ times }) => times > 0)
    .map(({ change, times }, index) => `${times}${index === 0 ? ` ${noun}${times === 1 ? '' : 's'}` : ''} ${change}`)
    .join(', ');
}

function label(path: ValueChange['path'], labels: Readonly<Record<string, string>>): string {
  const [first = '', ...rest] = path;
  return labels[labelPath(path)] ?? labelPath([labels[first] ?? first, ...rest]);
}

/** Formats the path of a value: `items[0].name`. */
export function labelPath(path: ValueChange['path']): string {
  return path.map((name, index) => (typeof name === 'number' ? `[${name}]` : index === 0 ? name : `.${name}`)).join('');
}
