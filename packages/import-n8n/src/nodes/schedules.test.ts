import { type JsonObject, parseOwnJson } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { connect, convertN8n, node } from '../../../../tests/harness/import-n8n.ts';

const TIMEZONE = 'Europe/Berlin';

/** Converts a schedule with a node after it. */
function convert(rules: readonly object[]) {
  const nodes = [
    node('When', 'scheduleTrigger', { rule: { interval: rules } }),
    node('Then', 'set', { mode: 'raw', jsonOutput: '{}' }),
  ];
  const workflow = { nodes, connections: connect('When > Then'), settings: { timezone: TIMEZONE } };
  return convertN8n(parseOwnJson(JSON.stringify(workflow)));
}

/** Returns which of the times lead to the node after the schedule. */
async function taken(rule: object, times: readonly (string | undefined)[]): Promise<boolean[]> {
  const { definition } = convert([rule]);
  const results: boolean[] = [];
  for (const scheduledFor of times) {
    const trigger: JsonObject = scheduledFor === undefined ? {} : { scheduledFor };
    const { ending, last } = await runInMemory(definition, { trigger });
    expect(ending.kind).toBe('success');
    results.push([...last.values()].some(({ nodeId, status }) => nodeId === 'then' && status === 'success'));
  }
  return results;
}

it.each([
  [{ field: 'days', daysInterval: 3, triggerAtHour: 9 }, '0 9 * * *'],
  [{ field: 'weeks', weeksInterval: 2, triggerAtDay: [1], triggerAtHour: 7 }, '0 7 * * 1'],
  [{ field: 'months', monthsInterval: 5, triggerAtDayOfMonth: 2 }, '0 0 2 * *'],
  [{ field: 'hours', hoursInterval: 5, triggerAtMinute: 10 }, '10 * * * *'],
  [{ field: 'minutes', minutesInterval: 25 }, '* * * * *'],
])('starts more often than %j, and decides in the run', (rule, cron) => {
  const { definition, notes } = convert([rule]);
  const [trigger] = definition.nodes;
  expect(trigger).toMatchObject({ type: 'trigger.schedule', parameters: { cron, timezone: TIMEZONE } });
  expect(notes[0]).toMatchObject({
    level: 'review',
    messages: expect.arrayContaining([expect.stringMatching(/1970/)]),
  });
});

it('goes on every third day of the time zone, also where its clock changes', async () => {
  // The 26th of October has 25 hours in Berlin; 9:00 there is 7:00 or 8:00 UTC.
  const days = ['24T07', '25T07', '26T08', '27T08', '28T08', '29T08'].map((day) => `2025-10-${day}:00:00.000Z`);
  const went = await taken({ field: 'days', daysInterval: 3, triggerAtHour: 9 }, days);
  expect(went.filter(Boolean)).toHaveLength(2);
  expect(went.slice(0, 3)).toEqual(went.slice(3));
});

it('goes on every second week, on each day of that week', async () => {
  const at = ['2026-11-15', '2026-11-21', '2026-11-22', '2026-11-29'].map((day) => `${day}T12:00:00.000Z`);
  const [sunday, saturday, next, following] = await taken({ field: 'weeks', weeksInterval: 2 }, at);
  expect(saturday).toBe(sunday);
  expect(next).toBe(!sunday);
  expect(following).toBe(sunday);
});

it.each<[object, string[]]>([
  [{ field: 'months', monthsInterval: 5 }, ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'].map(firstOf)],
  [{ field: 'hours', hoursInterval: 5 }, [0, 1, 2, 3, 4].map((hour) => `2026-11-20T0${hour}:00:00.000Z`)],
])('goes on once in each interval of %j', async (rule, times) => {
  expect((await taken(rule, times)).filter(Boolean)).toHaveLength(1);
});

function firstOf(month: string): string {
  return `${month}-01T12:00:00.000Z`;
}

it('goes on where somebody starts it by hand', async () => {
  expect(await taken({ field: 'days', daysInterval: 3 }, [undefined])).toEqual([true]);
});

it('refuses an interval that n8n refuses', () => {
  expect(convert([{ field: 'hours', hoursInterval: 168 }]).notes[0]).toMatchObject({
    level: 'manual',
    messages: ['every 168 hours, which n8n refuses'],
  });
});

it('has a trigger for each rule, of which some decide in the run', () => {
  const { definition } = convert([{ field: 'days', daysInterval: 2 }, { field: 'hours' }]);
  expect(definition.edges).toEqual(
    expect.arrayContaining([
      { source: 'when__due', sourceHandle: 'true', target: 'when__item' },
      { source: 'when__2', target: 'when__item' },
    ]),
  );
});
