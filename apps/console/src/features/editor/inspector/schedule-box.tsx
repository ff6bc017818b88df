import type { JsonValue } from '@deckhand/contracts';
import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { scheduleTimesQuery } from '../../../api/workflows.ts';
import { Problem } from '../../../components/problem.tsx';
import { NumberField } from '../../../forms/number-field.tsx';
import { fromCron, type Repeat, toCron, WEEKDAYS } from '../../../graph/cron.ts';
import { dateLocale, i18n } from '../../../language/i18n.ts';

const REPEATS = [
  { value: 'minutes', label: i18n.t('Every few minutes') },
  { value: 'hour', label: i18n.t('Every hour') },
  { value: 'day', label: i18n.t('Every day') },
  { value: 'weekday', label: i18n.t('Monday to Friday') },
  { value: 'week', label: i18n.t('Every week') },
  { value: 'month', label: i18n.t('Every month') },
];
/** Divisors of an hour: with others, the last period of an hour would be shorter. */
const MINUTES = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

/** Builds the usual cron expressions of a schedule, and shows when it is due. */
export function ScheduleBox({
  cron: given,
  timezone: zone,
  onChange,
}: {
  cron: JsonValue | undefined;
  timezone: JsonValue | undefined;
  onChange: (cron: string) => void;
}) {
  const cron = typeof given === 'string' ? given : '';
  const timezone = typeof zone === 'string' ? zone : 'UTC';
  const repeat = fromCron(cron);
  const change = (next: Repeat): void => onChange(toCron(next));
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <Select
          label={i18n.t('Repeat')}
          placeholder={cron === '' ? i18n.t('Choose') : i18n.t('By the expression below')}
          data={REPEATS}
          value={repeat?.every ?? null}
          onChange={(every) => {
            const next = startOf(every, repeat);
            if (next) change(next);
          }}
        />
        {repeat && <Details repeat={repeat} onChange={change} />}
      </Group>
      {cron !== '' && <NextTimes cron={cron} timezone={timezone} />}
    </Stack>
  );
}

function Details({ repeat, onChange }: { repeat: Repeat; onChange: (next: Repeat) => void }) {
  switch (repeat.every) {
    case 'minutes':
      return (
        <Select
          label={i18n.t('Minutes')}
          w={90}
          allowDeselect={false}
          data={MINUTES.map(String)}
          value={String(repeat.minutes)}
          onChange={(minutes) => onChange({ ...repeat, minutes: Number(minutes) })}
        />
      );
    case 'hour':
      return (
        <NumberField
          label={i18n.t('Minute')}
          w={90}
          min={0}
          max={59}
          allowDecimal={false}
          value={repeat.minute}
          onChange={(minute) => {
            if (minute !== null) onChange({ ...repeat, minute });
          }}
        />
      );
    case 'day':
    case 'weekday':
    case 'week':
    case 'month':
      return (
        <>
          {repeat.every === 'week' && (
            <Select
              label={i18n.t('Day')}
              w={130}
              allowDeselect={false}
              data={WEEKDAYS.map((label, index) => ({ value: String(index), label }))}
              value={String(repeat.weekday)}
              onChange={(weekday) => onChange({ ...repeat, weekday: Number(weekday) })}
            />
          )}
          {repeat.every === 'month' && (
            <NumberField
              label={i18n.t('Day')}
              w={90}
              min={1}
              max={31}
              allowDecimal={false}
              value={repeat.day}
              onChange={(day) => {
                if (day !== null) onChange({ ...repeat, day });
              }}
            />
          )}
          <TextInput
            label={i18n.t({ id: 'time of day: Time', message: 'Time' })}
            type="time"
            value={repeat.time}
            onChange={({ currentTarget: { value } }) => {
              if (value !== '') onChange({ ...repeat, time: value });
            }}
          />
        </>
      );
  }
}

/** Returns another repetition at the same time of day. */
function startOf(every: string | null, before: Repeat | undefined): Repeat | undefined {
  const time = before && 'time' in before ? before.time : '09:00';
  switch (every) {
    case 'minutes':
      return { every, minutes: 15 };
    case 'hour':
      return { every, minute: 0 };
    case 'day':
    case 'weekday':
      return { every, time };
    case 'week':
      return { every, time, weekday: 1 };
    case 'month':
      return { every, time, day: 1 };
    default:
      return undefined;
  }
}

function NextTimes({ cron, timezone }: { cron: string; timezone: string }) {
  const { data, error } = useQuery({
    ...scheduleTimesQuery(useDeferredValue(cron), timezone),
    placeholderData: (before) => before,
  });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  return (
    <div>
      <Text size="sm" id="next-times">
        {i18n.t('Next times')}
      </Text>
      <ul aria-labelledby="next-times" style={{ margin: 0, paddingInlineStart: 18 }}>
        {data.times.map((time) => (
          <li key={time}>
            <Text size="sm" component="time" dateTime={time}>
              {describeTime(time, timezone)}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Formats a time in the zone of the schedule, or in UTC while that is being typed. */
function describeTime(time: string, timezone: string): string {
  const format = (timeZone: string): string =>
    new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'full', timeStyle: 'short', timeZone }).format(new Date(time));
  try {
    return format(timezone);
  } catch {
    return format('UTC');
  }
}
