import { Anchor, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { failedIterationsQuery } from '../../api/executions.ts';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';

/** Chooses an iteration of a node in a loop, and lists those that failed. */
export function NodeIterations({
  executionId,
  nodeId,
  failed,
  depth,
  iteration,
  onIteration,
}: {
  executionId: string;
  nodeId: string;
  /** Number of iterations that failed. */
  failed: number;
  /** Number of loops around the node. */
  depth: number;
  iteration: string | undefined;
  onIteration: (iteration: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(iteration ?? '');
  const [hasFocus, setFocus] = useState(false);
  const parsed = parse(typed, depth);
  // What is not yet an iteration stays until the field is left.
  const isShown = parsed === iteration || (hasFocus && parsed === null);
  return (
    <>
      <TextInput
        label={i18n.t('Iteration')}
        description={
          depth > 1
            ? i18n.t('From the outer loop to the inner one, such as {example}; leave empty for the last', {
                example: Array.from({ length: depth }, (_, index) => index).join('.'),
              })
            : i18n.t('From 0; leave empty for the last')
        }
        size="xs"
        inputMode="decimal"
        value={isShown ? typed : (iteration ?? '')}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          const next = parse(value, depth);
          if (next !== null) onIteration(next);
        }}
      />
      {failed > 0 && (
        <Failed
          executionId={executionId}
          nodeId={nodeId}
          count={failed}
          iteration={iteration}
          onIteration={onIteration}
        />
      )}
    </>
  );
}

function Failed({
  executionId,
  nodeId,
  count,
  iteration,
  onIteration,
}: {
  executionId: string;
  nodeId: string;
  count: number;
  iteration: string | undefined;
  onIteration: (iteration: string) => void;
}) {
  const { data, error } = useQuery(failedIterationsQuery(executionId, nodeId, count));
  return (
    <Text component="details" size="sm" open>
      <summary>
        {i18n.t('{count, plural, one {# iteration failed} other {# iterations failed}}', { count })}
        {data?.hasMore === true && `, ${i18n.t('the first {count}:', { count: data.data.length })}`}
      </summary>
      <Problem error={error} />
      <ul style={{ maxHeight: 200, overflowY: 'auto' }}>
        {data?.data.map((entry) => (
          <li key={entry.iteration} style={{ overflowWrap: 'anywhere' }}>
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="start"
              aria-pressed={entry.iteration === iteration}
              onClick={() => onIteration(entry.iteration)}
            >
              {i18n.t('Iteration {iteration}', { iteration: entry.iteration })}
            </Anchor>
            {entry.error && `: ${entry.error.code}: ${entry.error.message}`}
          </li>
        ))}
      </ul>
    </Text>
  );
}

/** Returns the iteration that a text names, undefined for an empty one, or null if it names none. */
function parse(text: string, depth: number): string | undefined | null {
  if (text.trim() === '') return undefined;
  const parts = text.trim().split('.');
  return parts.length === depth && parts.every((part) => /^\d{1,7}$/.test(part)) ? parts.map(Number).join('.') : null;
}
