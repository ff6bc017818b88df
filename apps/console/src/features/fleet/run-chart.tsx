import type { RunStats } from '@deckhand/contracts';
import { dateLocale, i18n } from '../../language/i18n.ts';
import classes from './run-chart.module.css';

/** Runs over time: a bar per time bucket, with failed runs at its base. */
export function RunChart({ stats: { buckets }, period }: { stats: RunStats; period: string }) {
  const most = Math.max(1, ...buckets.map(({ total }) => total));
  return (
    <div
      className={classes.chart}
      role="img"
      aria-label={i18n.t('Runs of the {period}, peak {most} per bar', { period, most })}
    >
      {buckets.map(({ from, total, statuses }) => {
        const failed = statuses.failed + statuses.timeout;
        const when = new Date(from).toLocaleString(dateLocale(), {
          weekday: 'short',
          hour: '2-digit',
          minute: '2-digit',
        });
        return (
          <div
            key={from}
            className={classes.slot}
            title={i18n.t('{when}: {total} runs, {failed} failed', { when, total, failed })}
          >
            <div className={classes.rest} style={{ height: `${((total - failed) / most) * 100}%` }} />
            <div className={classes.failed} style={{ height: `${(failed / most) * 100}%` }} />
          </div>
        );
      })}
    </div>
  );
}
