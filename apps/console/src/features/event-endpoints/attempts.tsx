import type { EventAttempt, EventDelivery } from '@deckhand/contracts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';

/** The attempts of a delivery: their number, the last one, and all of them on demand. */
export function Attempts({
  delivery: { attempts, attemptCount },
}: {
  delivery: Pick<EventDelivery, 'attempts' | 'attemptCount'>;
}) {
  if (attempts.length === 0) return attemptCount === 0 ? i18n.t('None yet') : String(attemptCount);
  return (
    <details>
      <summary>
        {attemptCount} · {describeAttempt(attempts.at(-1))}
      </summary>
      <ol>
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            {describeAttempt(attempt)}, <RelativeTime at={attempt.at} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function describeAttempt(attempt: EventAttempt | undefined): string {
  if (!attempt) return '';
  const result = attempt.status ?? attempt.error ?? i18n.t('No response');
  return i18n.t('{result} in {durationMs} ms', { result, durationMs: attempt.durationMs });
}
