import type { EdgeDefinition, JsonObject, NodeDefinition } from '@deckhand/contracts';
import { braced } from '../expressions/template.ts';
import { edgeFrom } from '../joins.ts';
import { unsupported } from '../unsupported.ts';
import { list, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, type Output, outputOf } from './converter.ts';

const MINUTES_OF_HOUR = 60;
const HOURS_OF_DAY = 24;
/** What exports of Cron nodes omit of a rule. */
const OLD_RULE = { mode: 'everyDay', hour: 14, cronExpression: '* * * * * *' };

/** Schedules, each of whose rules is a cron expression. */
export function scheduleTrigger(conversion: Conversion): Converted {
  const { id, node, parameters, scope, review } = conversion;
  const isOld = parameters.triggerTimes !== undefined;
  const rules = list(isOld ? object(parameters.triggerTimes).item : object(parameters.rule).interval);
  const timings = (rules.length > 0 ? rules.map(object) : [{}]).map((rule) =>
    timingOf(isOld ? { ...OLD_RULE, ...rule } : rule),
  );
  if (scope.timezone === undefined) review('the time zone is UTC here: choose that of your instance of n8n');
  review('the item has scheduledFor instead of timestamp and its parts');
  const timezone = scope.timezone ?? 'UTC';
  const starts = timings.map(({ cron, every }, index): Start => {
    const trigger = index === 0 ? id : `${id}__${index + 1}`;
    const started: NodeDefinition = {
      id: trigger,
      type: 'trigger.schedule',
      name: node.name,
      parameters: { cron, timezone },
    };
    if (!every) return { nodes: [started], edges: [], from: { nodeId: trigger } };
    review(`it starts more often, and goes on ${every.what} counted from 1970; n8n counts from the last time`);
    const due = `${trigger}__due`;
    const at = `$nodes.${trigger}.output?.scheduledFor`;
    const condition = braced(`${at} === undefined || ${every.count(`date(${at})`, timezone)} % ${every.n} === 0`);
    return {
      nodes: [started, { id: due, type: 'if', name: `${node.name}: due?`, parameters: { condition } }],
      edges: [{ source: trigger, target: due }],
      from: { nodeId: due, handle: 'true' },
    };
  });
  const nodes = starts.flatMap((start) => start.nodes);
  const edges = starts.flatMap((start) => start.edges);
  const [first, ...others] = starts;
  if (first && others.length === 0) return { nodes, edges, outputs: [{ ...first.from, source: outputOf(id, 'one') }] };
  const item = `${id}__item`;
  const given = braced(starts.map((start) => `$nodes.${start.nodes[0]?.id ?? ''}?.output`).join(' ?? '));
  const set = { id: item, type: 'set', name: `${node.name}: item`, parameters: { fields: { item: given } } };
  return {
    nodes: [...nodes, set],
    edges: [...edges, ...starts.map(({ from }) => edgeFrom(from, item))],
    outputs: [{ nodeId: item, source: outputOf(item, 'one', '.item') }],
  };
}

/** A trigger, and what decides whether its run goes on. */
interface Start {
  readonly nodes: readonly NodeDefinition[];
  readonly edges: readonly EdgeDefinition[];
  readonly from: Pick<Output, 'nodeId' | 'handle'>;
}

/** When a schedule starts. */
interface Timing {
  readonly cron: string;
  /** Of the times of the cron expression, those that count. */
  readonly every?: {
    readonly n: number;
    /** Such as "every 3 days". */
    readonly what: string;
    /** Returns an expression that numbers the days, or others, from the date of an expression. */
    readonly count: (date: string, timezone: string) => string;
  };
}

const dayOf = (date: string, timezone: string): string =>
  `Math.floor(date(${date}.format('yyyy-MM-dd', ${JSON.stringify(timezone)})).getTime() / 86400000)`;
/** How what is between two times is counted, by its unit. */
const COUNTS = {
  minutes: (date: string) => `Math.floor(${date}.getTime() / 60000)`,
  hours: (date: string) => `Math.floor(${date}.getTime() / 3600000)`,
  days: dayOf,
  // A week begins on Sunday; the first day of 1970 was a Thursday.
  weeks: (date: string, timezone: string) => `Math.floor((${dayOf(date, timezone)} + 4) / 7)`,
  months(date: string, timezone: string) {
    const part = (format: string) => `Number(${date}.format('${format}', ${JSON.stringify(timezone)}))`;
    return `(${part('yyyy')} * 12 + ${part('MM')})`;
  },
} as const;
/** Intervals that n8n accepts. */
const MOST = { minutes: 59, hours: 23, days: 31, weeks: 1_000, months: 1_000 } as const;

/** Returns when a rule starts. Where cron cannot say it, n8n also starts more often, and leaves times out. */
function timingOf(rule: JsonObject): Timing {
  const every = (unit: keyof typeof COUNTS, cron: string): Timing => {
    const { [`${unit}Interval`]: n = 1 } = rule;
    if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > MOST[unit]) {
      return unsupported(`every ${show(n)} ${unit}, which n8n refuses`);
    }
    return n === 1 ? { cron } : { cron, every: { n, what: `every ${n} ${unit}`, count: COUNTS[unit] } };
  };
  const { minutesInterval, hoursInterval } = rule;
  if (rule.field === 'minutes' && typeof minutesInterval === 'number' && MINUTES_OF_HOUR % minutesInterval !== 0) {
    return every('minutes', '* * * * *');
  }
  if (rule.field === 'hours' && typeof hoursInterval === 'number' && HOURS_OF_DAY % hoursInterval !== 0) {
    return every('hours', cronOf({ ...rule, hoursInterval: 1 }));
  }
  if (rule.field === 'days' || rule.field === undefined) return every('days', cronOf(rule));
  if (rule.field === 'weeks') return every('weeks', cronOf(rule));
  if (rule.field === 'months') return every('months', cronOf(rule));
  return { cron: cronOf(rule) };
}

function cronOf(rule: JsonObject): string {
  const number = (name: string, fallback: number): number => (typeof rule[name] === 'number' ? rule[name] : fallback);
  const minute = number('triggerAtMinute', number('minute', 0));
  const hour = number('triggerAtHour', number('hour', 0));
  const every = (count: number, range: number): string => {
    if (count === 1) return '*';
    if (range % count !== 0) return unsupported(`every ${count} of ${range}: cron begins anew each time`);
    return `*/${count}`;
  };
  switch (text(rule.field) ?? text(rule.mode) ?? 'days') {
    case 'cronExpression':
    case 'custom': {
      const cron = text(rule.expression) ?? text(rule.cronExpression) ?? unsupported('a schedule without a rule');
      return cron.startsWith('=') ? unsupported('a schedule whose rule is an expression') : cron;
    }
    case 'seconds':
      return `${every(number('secondsInterval', 30), MINUTES_OF_HOUR)} * * * * *`;
    case 'minutes':
      return `${every(number('minutesInterval', 5), MINUTES_OF_HOUR)} * * * *`;
    case 'everyMinute':
      return '* * * * *';
    case 'hours':
      return `${minute} ${every(number('hoursInterval', 1), HOURS_OF_DAY)} * * *`;
    case 'everyX':
      return rule.unit === 'minutes' ? `*/${number('value', 2)} * * * *` : `${minute} */${number('value', 2)} * * *`;
    case 'everyWeek':
      return `${minute} ${hour} * * ${show(rule.weekday ?? 1)}`;
    case 'everyMonth':
      return `${minute} ${hour} ${number('dayOfMonth', 1)} * *`;
    case 'everyHour':
      return `${minute} * * * *`;
    case 'days':
    case 'everyDay':
      return `${minute} ${hour} * * *`;
    case 'weeks':
      return `${minute} ${hour} * * ${list(rule.triggerAtDay).map(show).join(',') || '0'}`;
    case 'months':
      return `${minute} ${hour} ${number('triggerAtDayOfMonth', 1)} * *`;
    default:
      return unsupported(`schedules by ${show(rule.field ?? rule.mode)}`);
  }
}
