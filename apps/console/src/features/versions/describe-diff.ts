import type { Change, DefinitionDiff, ValueChange } from '../../graph/diff-definitions.ts';
import { i18n } from '../../language/i18n.ts';

const CHANGES: readonly Change[] = ['added', 'removed', 'changed'];

const CHANGE_WORDS: Readonly<Record<Change, string>> = {
  added: i18n.t('added'),
  removed: i18n.t('removed'),
  changed: i18n.t('changed'),
};

/** Labels of a node's members other than parameters, as in its form. */
const NODE_LABELS: Readonly<Record<string, string>> = {
  type: i18n.t('Type'),
  name: i18n.t('Name'),
  credentialId: i18n.t('Credential'),
  disabled: i18n.t('Disabled'),
  mock: i18n.t('Output in sandbox mode'),
  onError: i18n.t('On error'),
  onInterrupt: i18n.t('On interruption'),
  'retry.maxAttempts': i18n.t('Max attempts'),
  'retry.delayMs': i18n.t('Retry delay (ms)'),
  'retry.factor': i18n.t('Retry delay factor'),
  'retry.maxDelayMs': i18n.t('Max retry delay (ms)'),
  timeoutSeconds: i18n.t('Timeout (seconds)'),
};

/** Labels of the settings of a workflow, as in their form. */
const SETTING_LABELS: Readonly<Record<string, string>> = {
  timeoutSeconds: i18n.t('Run timeout (seconds)'),
  maxConcurrentExecutions: i18n.t('Max concurrent runs'),
  'concurrency.key': i18n.t('Concurrency key'),
  'concurrency.limit': i18n.t('Runs per key'),
  'concurrency.onLimit': i18n.t('At the limit'),
  'rateLimit.max': i18n.t('Webhook requests'),
  'rateLimit.windowSeconds': i18n.t('Per seconds'),
};

/** Summarizes the differences in a line; empty without any. */
export function summarise({ nodes, edges, settings, notes }: DefinitionDiff): string {
  const parts = [
    count(nodes, (counted) => i18n.t('{count, plural, one {# node} other {# nodes}} {change}', counted)),
    count(edges, (counted) => i18n.t('{count, plural, one {# connection} other {# connections}} {change}', counted)),
    count(notes, (counted) => i18n.t('{count, plural, one {# note} other {# notes}} {change}', counted)),
    settings.length > 0 ? i18n.t('settings changed') : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
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

/** Formats counts: `1 node added, 2 changed`. @param first formats the first of them. */
function count(
  changes: readonly { readonly change: Change }[],
  first: (counted: { count: number; change: string }) => string,
): string {
  return CHANGES.map((change) => ({
    count: changes.filter((one) => one.change === change).length,
    change: CHANGE_WORDS[change],
  }))
    .filter((counted) => counted.count > 0)
    .map((counted, index) => (index === 0 ? first(counted) : i18n.t('{count} {change}', counted)))
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
