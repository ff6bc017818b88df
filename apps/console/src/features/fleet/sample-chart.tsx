import { i18n } from '../../language/i18n.ts';
import { MAX_SAMPLES } from './seen.ts';
import classes from './sample-chart.module.css';

const HEIGHT = 60;

/**
 * The history of a value since the page was opened: an area that grows from the right.
 * @param describe formats a value.
 */
export function SampleChart({
  name,
  values,
  describe,
}: {
  name: string;
  values: readonly number[];
  describe: (value: number) => string;
}) {
  const most = Math.max(0, ...values);
  const now = values.at(-1) ?? 0;
  const left = MAX_SAMPLES - values.length;
  const points = values.map((value, index) => `${left + index},${HEIGHT - (value / Math.max(1, most)) * (HEIGHT - 4)}`);
  return (
    <figure className={classes.chart}>
      <figcaption>
        <span>{name}</span>
        <strong>{describe(now)}</strong>
        <span className={classes.most}>{i18n.t('peak {value}', { value: describe(most) })}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${MAX_SAMPLES - 1} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={i18n.t('{name} in the last ten minutes: now {now}, peak {peak}', {
          name,
          now: describe(now),
          peak: describe(most),
        })}
      >
        <polygon
          className={classes.area}
          points={`${left},${HEIGHT} ${points.join(' ')} ${MAX_SAMPLES - 1},${HEIGHT}`}
        />
        <polyline className={classes.line} points={points.join(' ')} />
      </svg>
      <div className={classes.axis} aria-hidden>
        <span>{i18n.t('10 min ago')}</span>
        <span>{i18n.t('now')}</span>
      </div>
    </figure>
  );
}
