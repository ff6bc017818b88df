import type { JsonObject } from '@deckhand/contracts';
import { braced } from '../expressions/template.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, outputOf, single } from './converter.ts';

/** Manual starts, and those by other workflows. */
export function manualTrigger({ id, node, parameters, review }: Conversion): Converted {
  const { workflowInputs, jsonExample, inputSource } = parameters;
  const declares =
    list(object(workflowInputs).values).length > 0 || inputSource === 'jsonExample' || jsonExample !== undefined;
  if (declares) review('the inputs that it declares are left out: set a schema');
  return single({ id, type: 'trigger.manual', name: node.name }, outputOf(id, 'one'));
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What a webhook accepts, by what n8n calls it. */
const AUTHENTICATIONS: Readonly<Record<string, string>> = { none: 'none', basicAuth: 'basic', headerAuth: 'apiKey' };

export function webhookTrigger({ id, node, parameters, review, hasResponder }: Conversion): Converted {
  const { httpMethod: given = 'GET', path, responseMode = 'onReceived', authentication = 'none', options } = parameters;
  const [httpMethod = '', ...others] = [given].flat();
  if (others.length > 0) return unsupported('several methods, each with an output of its own');
  const method = METHODS.find((each) => each === httpMethod) ?? unsupported(`the method ${show(httpMethod)}`);
  if (responseMode === 'streaming') return unsupported('streamed responses');
  const kind = lookup(AUTHENTICATIONS, authentication) ?? unsupported(`the authentication ${show(authentication)}`);
  if (kind !== 'none')
    review(
      `it is disabled, because it has no credential of the type ${kind} for its callers (in n8n ${show(authentication)}): choose one, and enable it`,
    );
  review(`senders need the new URL, which is generated: the path was "${show(path)}"`);
  review('headers, query and body are in the item as in n8n; path parameters are not');
  const { responseCode, rawBody, ipWhitelist, ...unknown } = object(options);
  if (ipWhitelist !== undefined && ipWhitelist !== '')
    return unsupported('addresses that alone may call it (ipWhitelist)');
  reviewOthers(unknown, review);
  const { responseData = 'firstEntryJson' } = parameters;
  if (responseMode === 'lastNode' && responseData !== 'firstEntryJson') {
    review(`the response is the first item of the last node, in n8n ${show(responseData)}`);
  }
  const waits = hasResponder || responseMode === 'lastNode';
  const code = object(object(responseCode).values).responseCode ?? parameters.responseCode;
  return single(
    {
      id,
      type: 'trigger.webhook',
      name: node.name,
      parameters: {
        method,
        responseMode: waits ? 'onCompletion' : 'immediately',
        authentication: kind,
        ...(rawBody === true && { rawBody: true }),
        // 200 is the default here, too.
        ...(typeof code === 'number' && code !== 200 && !waits && { responseCode: code }),
      },
      // Saving refuses an enabled one without its credential.
      ...(kind !== 'none' && { disabled: true }),
    },
    outputOf(id, 'one'),
  );
}

/** Names options that have no equivalent, so that somebody looks at them. */
export function reviewOthers(options: JsonObject, review: (message: string) => void): void {
  const names = Object.keys(options);
  if (names.length > 0) review(`options without equivalent: ${names.join(', ')}`);
}

const MINUTES_OF_HOUR = 60;
/** What exports of Cron nodes omit of a rule. */
const OLD_RULE = { mode: 'everyDay', hour: 14, cronExpression: '* * * * * *' };

/** Schedules, each of whose rules is a cron expression. */
export function scheduleTrigger(conversion: Conversion): Converted {
  const { id, node, parameters, scope, review } = conversion;
  const isOld = parameters.triggerTimes !== undefined;
  const rules = list(isOld ? object(parameters.triggerTimes).item : object(parameters.rule).interval);
  const crons = (rules.length > 0 ? rules.map(object) : [{}]).map((rule) =>
    cronOf(isOld ? { ...OLD_RULE, ...rule } : rule),
  );
  if (scope.timezone === undefined) review('the time zone is UTC here: choose that of your instance of n8n');
  review('the item has scheduledFor instead of timestamp and its parts');
  const triggers = crons.map((cron, index) => ({
    id: index === 0 ? id : `${id}__${index + 1}`,
    type: 'trigger.schedule',
    name: node.name,
    parameters: { cron, timezone: scope.timezone ?? 'UTC' },
  }));
  const [trigger, ...others] = triggers;
  if (trigger && others.length === 0) return single(trigger, outputOf(id, 'one'));
  const item = `${id}__item`;
  const started = braced(triggers.map((each) => `$nodes.${each.id}?.output`).join(' ?? '));
  const set = { id: item, type: 'set', name: `${node.name}: item`, parameters: { fields: { item: started } } };
  return {
    nodes: [...triggers, set],
    edges: triggers.map((each) => ({ source: each.id, target: item })),
    outputs: [{ nodeId: item, source: outputOf(item, 'one', '.item') }],
  };
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
      return `${minute} ${every(number('hoursInterval', 1), 24)} * * *`;
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
      if (number('daysInterval', 1) !== 1) return unsupported('every few days: cron begins anew each month');
      return `${minute} ${hour} * * *`;
    case 'weeks':
      if (number('weeksInterval', 1) !== 1) return unsupported('every few weeks');
      return `${minute} ${hour} * * ${list(rule.triggerAtDay).map(show).join(',') || '0'}`;
    case 'months':
      if (number('monthsInterval', 1) !== 1) return unsupported('every few months');
      return `${minute} ${hour} ${number('triggerAtDayOfMonth', 1)} * *`;
    default:
      return unsupported(`schedules by ${show(rule.field ?? rule.mode)}`);
  }
}
