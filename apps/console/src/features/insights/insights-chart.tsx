import type { Insights } from '@deckhand/contracts';
import { Group, SegmentedControl, Title } from '@mantine/core';
import { useState } from 'react';
import { formatNumber, i18n } from '../../language/i18n.ts';
import { describeDay, describeMs, describeRate } from './describe.ts';
import classes from './insights.module.css';

type Day = Insights['days'][number];

interface Measure {
  readonly value: string;
  readonly label: string;
  readonly of: (day: Day) => number;
  /** The part of it that is trouble. */
  readonly badOf: (day: Day) => number;
  readonly describe: (value: number) => string;
}

/** What the bars show. */
const MEASURES = [
  {
    value: 'runs',
    label: i18n.t('Runs'),
    of: ({ runs }) => runs,
    badOf: ({ failed, timeout }) => failed + timeout,
    describe: (value) => formatNumber(value),
  },
  {
    value: 'failureRate',
    label: i18n.t('Failure rate'),
    of: ({ failureRate }) => failureRate ?? 0,
    badOf: ({ failureRate }) => failureRate ?? 0,
    describe: describeRate,
  },
  {
    value: 'p95',
    label: i18n.t('Duration (p95)'),
    of: ({ durationMs }) => durationMs?.p95 ?? 0,
    badOf: () => 0,
    describe: describeMs,
  },
] as const satisfies readonly Measure[];

/** A bar per day. The table of the days has the same figures as text. */
export function InsightsChart({ days }: { days: readonly Day[] }) {
  const [value, setValue] = useState<string>(MEASURES[0].value);
  const { label, of, badOf, describe }: Measure = MEASURES.find((measure) => measure.value === value) ?? MEASURES[0];
  const most = Math.max(...days.map(of));
  const heightOf = (part: number): string => `${most === 0 ? 0 : (part / most) * 100}%`;
  return (
    <section aria-label={i18n.t('Chart')}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {label}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={i18n.t('Measure')}
          data={MEASURES.map((measure) => ({ value: measure.value, label: measure.label }))}
          value={value}
          onChange={setValue}
        />
      </Group>
      <div
        className={classes.chart}
        data-dense={days.length > 100}
        role="img"
        aria-label={i18n.t('{measure} by day, at most {most}', { measure: label, most: describe(most) })}
      >
        {days.map((day) => (
          <div
            key={day.day}
            className={classes.slot}
            title={i18n.t('{day}: {total} runs, {failed} failed', {
              day: describeDay(day.day),
              total: day.runs,
              failed: day.failed + day.timeout,
            })}
          >
            <div className={classes.rest} style={{ height: heightOf(of(day) - badOf(day)) }} />
            <div className={classes.failed} style={{ height: heightOf(badOf(day)) }} />
          </div>
        ))}
      </div>
    </section>
  );
}
