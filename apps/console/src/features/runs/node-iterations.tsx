import {
  type Execution,
  isFinished,
  type IterationEntry,
  type JsonValue,
  NODE_STATUSES,
  type NodeProgress,
} from '@deckhand/contracts';
import { Anchor, Autocomplete, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { failedIterationsQuery, iterationsQuery } from '../../api/executions.ts';
import { Problem } from '../../components/problem.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { labelOf } from './iteration.ts';

/** Chooses an iteration of a node in a loop by its number, item or status, and lists those that failed. */
export function NodeIterations({
  run,
  nodeId,
  progress: { iterations = 0, iterationCounts = {} },
  depth,
  items,
  iteration,
  shown,
  onIteration,
}: {
  run: Execution;
  nodeId: string;
  progress: NodeProgress;
  /** Number of loops around the node. */
  depth: number;
  /** Those of the loop around it, as far as they are known. */
  items: readonly JsonValue[];
  iteration: string | undefined;
  /** The iteration that is shown if none is chosen; undefined for the last one. */
  shown: string | undefined;
  onIteration: (iteration: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(iteration ?? '');
  const [hasFocus, setFocus] = useState(false);
  const isOver = isFinished(run.status);
  const failedCount = iterationCounts.failed ?? 0;
  const failed = useQuery({ ...failedIterationsQuery(run.id, nodeId, failedCount), enabled: failedCount > 0 });
  const first = useQuery({ ...iterationsQuery(run.id, nodeId), enabled: isOver });
  const entries = new Map(
    [...(first.data?.data ?? []), ...(failed.data?.data ?? [])].map((one) => [one.iteration, one]),
  );
  const labels = new Map([...entries.keys()].map((key) => [key, labelOfItem(key, items)]));
  const parsed = parse(typed, depth);
  // What is not yet an iteration stays until the field is left.
  const isTyped = parsed === iteration || (hasFocus && parsed === null);
  const item = labelOfItem(iteration ?? shown ?? String(iterations - 1), items);
  return (
    <>
      <Group gap="xs" role="group" aria-label={i18n.t('Iterations by status')}>
        {NODE_STATUSES.map((status) => {
          const count = iterationCounts[status] ?? 0;
          return count > 0 && <StatusBadge key={status} status={status} count={count} />;
        })}
      </Group>
      <Autocomplete
        label={i18n.t('Iteration')}
        description={describePicker(depth, shown)}
        placeholder={shown}
        size="xs"
        inputMode="decimal"
        data={[...entries.keys()]}
        limit={MAX_OPTIONS}
        maxDropdownHeight={280}
        filter={({ options, search, limit }) =>
          options
            .filter((option) => {
              if (!('value' in option)) return false;
              const text = `${option.value} ${labels.get(option.value) ?? ''}`.toLowerCase();
              // The iteration that is chosen already narrows nothing.
              return search === iteration || text.includes(search.trim().toLowerCase());
            })
            .slice(0, limit)
        }
        renderOption={({ option: { value } }) => <Option entry={entries.get(value)} label={labels.get(value)} />}
        value={isTyped ? typed : (iteration ?? '')}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onChange={(value) => {
          setTyped(value);
          const next = parse(value, depth);
          if (next !== null) onIteration(next);
        }}
      />
      {item !== undefined && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {i18n.t('Item: {item}', { item })}
        </Text>
      )}
      {failedCount > 0 && (
        <Text component="details" size="sm" open>
          <summary>
            {i18n.t('{count, plural, one {# iteration failed} other {# iterations failed}}', { count: failedCount })}
            {failed.data?.hasMore === true && `, ${i18n.t('the first {count}:', { count: failed.data.data.length })}`}
          </summary>
          <Problem error={failed.error} />
          <ul style={{ maxHeight: 200, overflowY: 'auto' }}>
            {failed.data?.data.map((entry) => (
              <li key={entry.iteration} style={{ overflowWrap: 'anywhere' }}>
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  ta="start"
                  aria-pressed={entry.iteration === (iteration ?? shown)}
                  onClick={() => onIteration(entry.iteration)}
                >
                  {i18n.t('Iteration {iteration}', { iteration: entry.iteration })}
                </Anchor>
                {labels.get(entry.iteration) !== undefined && ` (${labels.get(entry.iteration)})`}
                {entry.error && `: ${entry.error.code}: ${entry.error.message}`}
              </li>
            ))}
          </ul>
        </Text>
      )}
    </>
  );
}

/** Maximum number of iterations that the picker lists at once. */
const MAX_OPTIONS = 100;

function Option({ entry, label }: { entry: IterationEntry | undefined; label: string | undefined }) {
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <span>{entry?.iteration}</span>
      {entry && <StatusBadge status={entry.status} />}
      <Text size="xs" truncate>
        {label}
      </Text>
    </Group>
  );
}

function describePicker(depth: number, shown: string | undefined): string {
  if (depth > 1) {
    const example = Array.from({ length: depth }, (_, index) => index).join('.');
    return shown === undefined
      ? i18n.t('From the outer loop to the inner one, such as {example}; leave empty for the last', { example })
      : i18n.t('From the outer loop to the inner one, such as {example}; leave empty for the first that failed', {
          example,
        });
  }
  return shown === undefined
    ? i18n.t('From 0; leave empty for the last')
    : i18n.t('From 0; leave empty for the first that failed');
}

function labelOfItem(iteration: string, items: readonly JsonValue[]): string | undefined {
  const item = items[Number(iteration)];
  return item === undefined ? undefined : labelOf(item);
}

/** Returns the iteration that a text names, undefined for an empty one, or null if it names none. */
function parse(text: string, depth: number): string | undefined | null {
  if (text.trim() === '') return undefined;
  const parts = text.trim().split('.');
  return parts.length === depth && parts.every((part) => /^\d{1,7}$/.test(part)) ? parts.map(Number).join('.') : null;
}
