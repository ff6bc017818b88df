import type { NodeProgress } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import { attemptsOf } from './attempts.ts';
import { describeAttempt } from './describe-attempt.ts';
import { Duration } from './duration.tsx';

/** The latest attempts of a node with several: when each was, how long it took, and what came of it. */
export function NodeAttempts({ progress }: { progress: NodeProgress }) {
  const attempts = attemptsOf(progress);
  return (
    attempts.length > 0 && (
      <Text component="details" size="sm">
        <summary>{i18n.t('Attempts')}</summary>
        <ol start={attempts[0]?.number}>
          {attempts.map((attempt) => (
            <li key={attempt.number} style={{ overflowWrap: 'anywhere' }}>
              <RelativeTime at={attempt.startedAt} />,{' '}
              {attempt.finishedAt !== null && (
                <>
                  <Duration from={attempt.startedAt} to={attempt.finishedAt} />,{' '}
                </>
              )}
              {describeAttempt(attempt)}
            </li>
          ))}
        </ol>
      </Text>
    )
  );
}
