import { concurrencyOf, hasKey, type JsonValue, parseJson, priorityOf } from '@deckhand/contracts';
import {
  type Busy,
  delayEvents,
  type EventDelay,
  type EventTrigger,
  findEventTriggers,
  markMatched,
  type StartingEvent,
  type StartOutcome,
  type StartRequest,
  startRuns,
} from '@deckhand/db';
import { compileTriggerExpression } from '@deckhand/engine';
import { compileTriggerOptions, evaluateOnTrigger, withWorkflowKey } from '@deckhand/nodes';
import { nextSlice } from '@deckhand/runtime';
import { announceStarts } from '../announce-runs.ts';
import { derivedId } from '../session/derived-id.ts';
import { createStartLimits } from '../start-limits.ts';
import type { MaintenanceContext } from './maintenance-context.ts';

/** Maximum number of runs with keys that a workspace starts at a time: each has a transaction of its own. */
const MAX_WITH_KEYS = 20;
/** Maximum number of compiled triggers in memory. */
const MAX_CACHED = 1_000;
/** For how long expressions are evaluated before the event loop continues, in ms. */
const SLICE_MS = 10;
/** Delay of an event whose run the storage quota refuses, in seconds. */
const QUOTA_DELAY_SECONDS = 60;
/** How long a start waits for a lock of its key, in ms, and how long its event is delayed then, in seconds. */
const MAX_LOCK_WAIT_MS = 100;
const BUSY_DELAY_SECONDS = 1;
/** Maximum size of the trigger data that one call starts runs with, in characters. */
const MAX_CHARACTERS = 16 * 1_048_576;

/** Starts the runs of events whose waits are ended, then marks or delays the events. @returns whether some are left. */
export type StartEventRuns = (ids: readonly string[]) => Promise<boolean>;

/** A run that an event starts. */
interface Planned {
  readonly eventId: string;
  readonly workspaceId: string;
  readonly request: StartRequest;
  /** The trigger before, of the same event. */
  readonly after: EventTrigger | undefined;
}

/**
 * Creates the function. The ids of runs are derived from event and trigger: if a worker dies, the next one starts those
 * that do not exist yet. An event whose run a limit refuses is delayed, for as long as events are kept: a limit delays
 * a run and does not lose it.
 */
export function createEventRunStarting(context: MaintenanceContext): StartEventRuns {
  const { db, logger } = context;
  const limits = createStartLimits(context);
  const triggers = new Map<string, CompiledTrigger>();
  let sliceEndsAt = 0;

  function compiled({ filter, options }: EventTrigger): CompiledTrigger {
    const key = JSON.stringify([filter, options]);
    const known = triggers.get(key);
    if (known) return known;
    const trigger = compileTrigger(filter, options);
    const [oldest] = triggers.keys();
    if (triggers.size >= MAX_CACHED && oldest !== undefined) triggers.delete(oldest);
    triggers.set(key, trigger);
    return trigger;
  }

  /** Returns the options of a run: those of its trigger, and without a limit by a key there, that of its workflow. */
  function optionsOf(trigger: EventTrigger, readEvent: () => JsonValue, json: string): string | undefined {
    const options = compiled(trigger).optionsFor(readEvent);
    if (trigger.concurrency === null || concurrencyOf(options) !== undefined) return options;
    return withWorkflowKey({ options, triggerData: json }, trigger.concurrency);
  }

  /** Returns whether an event starts a run of a trigger. A filter that fails lets nothing through, and is logged. */
  function isWanted(trigger: EventTrigger, readEvent: () => JsonValue): boolean {
    const { filter } = compiled(trigger);
    if (filter === undefined) return true;
    const result = filter(readEvent());
    if ('value' in result) return Boolean(result.value);
    const { workflowId, nodeId } = trigger;
    logger.warn({ workflowId, nodeId, reason: result.failure }, 'filter of an event trigger failed, started no run');
    return false;
  }

  /** Plans the runs of events, as many as are started together, and the delays of the other events. */
  async function plan(
    events: readonly StartingEvent[],
  ): Promise<{ planned: Planned[]; delays: Map<string, EventDelay> }> {
    const planned: Planned[] = [];
    const delays = new Map<string, EventDelay>();
    const keyedCounts = new Map<string, number>();
    let characters = 0;
    for (const event of events) {
      const { id, workspaceId, json } = event;
      const readEvent = once(() => parseJson(json));
      let after: EventTrigger | undefined;
      for (const trigger of event.triggers) {
        if (planned.length > 0 && characters + json.length > MAX_CHARACTERS) {
          // Nor are smaller events behind it planned: those of the same key would overtake it.
          characters = MAX_CHARACTERS;
          delays.set(id, { id, seconds: 0, after });
          break;
        }
        // Filters and keys of authors are evaluated here.
        if (performance.now() >= sliceEndsAt) {
          await nextSlice();
          sliceEndsAt = performance.now() + SLICE_MS;
        }
        if (isWanted(trigger, readEvent)) {
          const options = optionsOf(trigger, readEvent, json);
          const keyedCount = (keyedCounts.get(workspaceId) ?? 0) + (hasKey(options) ? 1 : 0);
          if (keyedCount > MAX_WITH_KEYS) {
            delays.set(id, { id, seconds: 0, after });
            break;
          }
          keyedCounts.set(workspaceId, keyedCount);
          characters += json.length;
          planned.push({ eventId: id, workspaceId, request: toRequest(event, trigger, options), after });
        }
        after = trigger;
      }
      if (event.isPartial && !delays.has(id)) delays.set(id, { id, seconds: 0, after });
    }
    return { planned, delays };
  }

  return async (ids) => {
    const events = ids.length === 0 ? [] : await findEventTriggers(db, ids);
    const { planned, delays } = await plan(events);
    const outcomes = await startRuns(
      db,
      planned.map(({ request }) => request),
      limits,
      MAX_LOCK_WAIT_MS,
    );
    const refused = new Set<string>();
    for (const [index, { eventId: id, after }] of planned.entries()) {
      const seconds = delayAfter(outcomes[index]);
      if (seconds === undefined || refused.has(id)) continue;
      // The event is matched again from its first refused trigger on: those behind it find that their runs exist.
      refused.add(id);
      delays.set(id, { id, seconds, after });
    }
    await delayEvents(db, [...delays.values()]);
    await markMatched(
      db,
      ids.filter((id) => !delays.has(id)),
    );
    await announceStarts(
      context,
      'event',
      planned.flatMap(({ workspaceId, request: { executionId, options } }, index) => {
        const outcome = outcomes[index];
        // A start that was joined with an earlier one is not a run of its own.
        if (outcome?.kind !== 'accepted' || outcome.joined) return [];
        const { run, underKey } = outcome;
        const priority = priorityOf(options);
        return { workspaceId, executionId, dispatch: 1, priority, isDelayed: run?.isDelayed, underKey };
      }),
    );
    return [...delays.values()].some(({ seconds }) => seconds === 0);
  };
}

interface CompiledTrigger {
  /** Undefined lets every event through. */
  readonly filter: ((event: JsonValue) => ReturnType<typeof evaluateOnTrigger>) | undefined;
  readonly optionsFor: ReturnType<typeof compileTriggerOptions>;
}

/** Compiles the expressions of a trigger. Those of saved versions have no issues. */
function compileTrigger(filter: string | null, options: string | null): CompiledTrigger {
  const optionsFor = compileTriggerOptions(options ?? undefined);
  if (filter === null) return { filter: undefined, optionsFor };
  const compiled = compileTriggerExpression(filter);
  if ('message' in compiled) return { filter: () => ({ failure: compiled.message }), optionsFor };
  return { filter: (event) => evaluateOnTrigger(compiled.template, event), optionsFor };
}

/** Returns in how many seconds a run that was not accepted is requested again; undefined if it is not. */
function delayAfter(outcome: StartOutcome | Busy | undefined): number | undefined {
  switch (outcome?.kind) {
    case 'rateLimited':
      return outcome.count.resetSeconds;
    case 'overQuota':
      return QUOTA_DELAY_SECONDS;
    case 'busy':
      return BUSY_DELAY_SECONDS;
    default:
      // Accepted, rejected by its key, or the workflow was deactivated or changed at this moment.
      return undefined;
  }
}

function toRequest(
  { id, receivedAt, json }: StartingEvent,
  { workflowId, nodeId, versionId }: EventTrigger,
  options: string | undefined,
): StartRequest {
  return {
    executionId: derivedId(receivedAt.getTime(), `${id}/${workflowId}/${nodeId}`),
    workflowId,
    actor: null,
    versionId,
    triggerNodeId: nodeId,
    mode: 'normal',
    source: 'event',
    ofEvent: id,
    triggerData: json,
    options,
  };
}

function once<T>(read: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: read() }).value;
}
