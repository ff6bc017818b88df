import type { JsonObject, JsonValue, N8nTable } from '@deckhand/contracts';
import type { Scope } from '../../expressions/scope.ts';
import { braced, convertText, convertValue, toExpression } from '../../expressions/template.ts';
import { unsupported } from '../../unsupported.ts';
import { lookup, object, show, text } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete } from '../converter.ts';
import { noteCredential } from '../credentials.ts';
import { eachInLoop } from '../each-in-loop.ts';
import { callNode, convertLocated, nameOf } from './call.ts';

/** Operations of Google Calendar; those that create and list events have times. */
export function calendarNode(conversion: Conversion, table: N8nTable): Converted {
  const { parameters } = conversion;
  const convert = lookup(OPERATIONS, nameOf(table, parameters).name);
  if (!convert) return callNode(conversion, table);
  const { calendar = '' } = parameters;
  if (calendar === '' || object(calendar).value === '') return incomplete(conversion, 'no calendar');
  return convert(conversion, table);
}

const OPERATIONS: Readonly<Record<string, (conversion: Conversion, table: N8nTable) => Converted>> = {
  'event create': createEvent,
  'event getAll': listEvents,
};

/** The first version whose times are parameters with defaults. */
const WITH_TIMES = 1.3;
/** How many events n8n returns at most, if its export does not say so. */
const LIMIT = 50;

/** Returns an expression for a time as Google takes it: one without an offset is in the time zone beside it. */
function timeOf(value: JsonValue, scope: Scope): string {
  const given = `convert.string(${toExpression(value, scope)})`;
  const completed = `/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(time) ? time + 'T00:00:00' : date(time)`;
  return `[${given}].map((time) => /^[0-9-]+[T ][0-9:.]+$/.test(time) ? time.replace(' ', 'T') : ${completed})[0]`;
}

/** Members of an event, by the fields of n8n that are the same. */
const FIELDS: Readonly<Record<string, string>> = {
  color: 'colorId',
  description: 'description',
  id: 'id',
  location: 'location',
  showMeAs: 'transparency',
  summary: 'summary',
  visibility: 'visibility',
};

/** Times of an event, where an export has none. */
const START = '={{ $now }}';
const END = "={{ $now.plus(1, 'hours') }}";

function createEvent(conversion: Conversion, { connector, version, credential }: N8nTable): Converted {
  const { node, parameters, review } = conversion;
  const isNew = node.version >= WITH_TIMES;
  const { start = isNew ? START : '', end = isNew ? END : '', useDefaultReminders = true } = parameters;
  if (start === '' || end === '') return incomplete(conversion, 'no start or end');
  if (useDefaultReminders !== true) return unsupported('reminders of its own');
  const { attendees, sendUpdates, allday = 'no', ...others } = object(parameters.additionalFields);
  const unknown = Object.keys(others).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined) return unsupported(`its field ${unknown}: use the operation "event.create"`);
  if (allday !== 'no') return unsupported('events of whole days: use the operation "event.create"');
  noteCredential(conversion, `${credential} for the connector "${connector}"`);
  const { timezone: zone = 'UTC' } = conversion.scope;
  noteTimes(conversion, zone);
  const body = (scope: Scope): JsonObject => ({
    start: { dateTime: braced(timeOf(start, scope)), timeZone: zone },
    end: { dateTime: braced(timeOf(end, scope)), timeZone: zone },
    ...Object.fromEntries(
      Object.entries(others).flatMap(([name, value]) =>
        value === '' || value === null ? [] : [[FIELDS[name] ?? name, convertText(value, scope)]],
      ),
    ),
    ...(attendees !== undefined && { attendees: braced(guestsOf(attendees, scope)) }),
  });
  review('a field of an event whose value is an empty text is sent; n8n leaves it out');
  return eachInLoop(conversion, {
    node: (id, scope) => ({
      id,
      type: 'connector',
      name: node.name,
      parameters: {
        connector,
        version,
        operation: 'event.create',
        values: {
          path: { calendarId: calendarOf(parameters, scope) },
          ...(text(sendUpdates) !== undefined && { query: { sendUpdates: convertValue(sendUpdates ?? '', scope) } }),
          body: body(scope),
        },
      },
    }),
    lines: ['const result = outputs.map(({ body }) => body);'],
    shape: 'one',
  });
}

/** Notes how times are read. @param zone of times without an offset. */
function noteTimes({ review }: Conversion, zone: string): void {
  review(
    `times are read if they look like 2026-11-20T08:15:00 or 2026-11-20T08:15:00Z, without an offset in ${zone}; n8n reads other forms, too`,
  );
}

function calendarOf({ calendar = '' }: JsonObject, scope: Scope): JsonValue {
  return convertLocated(calendar, { path: 'calendar', url: undefined, modes: ['list', 'id'], isText: true }, scope);
}

/** Returns an expression for guests, who are written in lists with commas between them. */
function guestsOf(given: JsonValue, scope: Scope): string {
  const all = `[${toExpression(given, scope)}].flat().flatMap((each) => convert.string(each).split(','))`;
  return `${all}.map((each) => ({ email: each.trim() }))`;
}

/** Options of a list of events that Google has, too. */
const FILTERS: Readonly<Record<string, string>> = {
  orderBy: 'orderBy',
  query: 'q',
  showDeleted: 'showDeleted',
};

function listEvents(conversion: Conversion, { connector, version, credential }: N8nTable): Converted {
  const { node, parameters, review } = conversion;
  const isNew = node.version >= WITH_TIMES;
  const { returnAll = false, limit = LIMIT, options } = parameters;
  const {
    timeMin,
    timeMax,
    updatedMin,
    timeZone,
    singleEvents = false,
    recurringEventHandling,
    ...others
  } = object(options);
  const unknown = Object.keys(others).find((name) => !Object.hasOwn(FILTERS, name));
  if (unknown !== undefined) return unsupported(`its option ${unknown}: use the operation "event.list"`);
  if (typeof returnAll !== 'boolean') return unsupported('an expression that chooses whether all events are returned');
  const handling = isNew ? (recurringEventHandling ?? 'expand') : 'first';
  if (typeof singleEvents !== 'boolean') return unsupported('an expression that chooses recurring events');
  if (isNew && handling !== 'expand')
    return unsupported('recurring events that are not expanded: use the operation "event.list"');
  const isExpanded = handling === 'expand' || singleEvents;
  if (!isExpanded) review('recurring events have no nextOccurrence here');
  noteCredential(conversion, `${credential} for the connector "${connector}"`);
  noteTimes(conversion, 'UTC');
  if (timeZone !== undefined || (conversion.scope.timezone ?? 'UTC') !== 'UTC') {
    review('n8n reads times without an offset in the time zone of the node, or of the workflow');
  }
  review('a time that is empty when it runs fails the node, in n8n it is left out');
  const from = timeMin ?? (isNew ? (parameters.timeMin ?? START) : undefined);
  const to = timeMax ?? (isNew ? (parameters.timeMax ?? '={{ $now.plus(7, "days") }}') : undefined);
  const times = { timeMin: from, timeMax: to, updatedMin };
  const query = (scope: Scope): JsonObject => ({
    singleEvents: isExpanded,
    ...Object.fromEntries(
      Object.entries(times).flatMap(([name, value]) =>
        value === undefined || value === '' ? [] : [[name, braced(`date(${toExpression(value, scope)})`)]],
      ),
    ),
    ...Object.fromEntries(
      Object.entries(others).flatMap(([name, value]) =>
        value === '' || value === false ? [] : [[FILTERS[name] ?? name, convertValue(value, scope)]],
      ),
    ),
    ...(object(timeZone).value !== undefined &&
      show(object(timeZone).value) !== '' && {
        timeZone: convertText(object(timeZone).value ?? '', scope),
      }),
    ...(!returnAll && { maxResults: convertValue(limit, scope) }),
  });
  return eachInLoop(conversion, {
    node: (id, scope) => ({
      id,
      type: 'connector',
      name: node.name,
      parameters: {
        connector,
        version,
        operation: 'event.list',
        values: { path: { calendarId: calendarOf(parameters, scope) }, query: query(scope) },
        ...(returnAll && { allPages: true, maxPages: 10_000 }),
      },
    }),
    lines: [`const result = outputs.flatMap((each) => ${returnAll ? 'each' : 'each.body.items'});`],
    shape: 'list',
    mayBeEmpty: true,
  });
}
