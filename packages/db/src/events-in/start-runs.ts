import type { WorkflowConcurrency } from '@deckhand/contracts';
import { type Database, Prisma } from '../client.ts';
import { SEEN } from './event.ts';

/** An event trigger of an active workflow. */
export interface EventTrigger {
  readonly workflowId: string;
  readonly nodeId: string;
  readonly versionId: string;
  /** An expression; null for all events of the name. */
  readonly filter: string | null;
  /** Serialised options of its runs; null without any. */
  readonly options: string | null;
  /** The limit of the version, for runs that have none of their own. */
  readonly concurrency: WorkflowConcurrency | null;
}

/** An event whose triggers start runs. */
export interface StartingEvent {
  readonly id: string;
  readonly workspaceId: string;
  readonly receivedAt: Date;
  /** The event as runs see it, as a text of JSON. */
  readonly json: string;
  /** Those that are not done with, in their order. */
  readonly triggers: readonly EventTrigger[];
  /** Whether there are more of them. */
  readonly isPartial: boolean;
}

/** Maximum number of triggers that one call finds. */
const MAX_TRIGGERS = 500;

/** Finds the triggers of events, some of each, so that an event with very many does not hold up the others. */
export async function findEventTriggers(db: Database, ids: readonly string[]): Promise<StartingEvent[]> {
  const perEvent = Math.max(1, Math.floor(MAX_TRIGGERS / Math.max(1, ids.length)));
  // Served by the index of event_triggers on workspace and name.
  const rows = await db.$queryRaw<Omit<StartingEvent, 'isPartial'>[]>(Prisma.sql`/* events.find-triggers */
    SELECT v.id, v.workspace_id AS "workspaceId", v.received_at AS "receivedAt", ${SEEN} AS json, f.triggers
    FROM events v CROSS JOIN LATERAL (
        SELECT json_agg(json_build_object('workflowId', t.workflow_id, 'nodeId', t.node_id, 'versionId', t.workflow_version_id,
          'filter', t.filter, 'options', t.start_options,
          'concurrency', (SELECT concurrency FROM workflow_versions WHERE id = t.workflow_version_id))) AS triggers
        FROM (
          SELECT t.* FROM event_triggers t
          WHERE t.workspace_id = v.workspace_id AND t.name = v.name
            AND (v.started_workflow_id IS NULL OR (t.workflow_id, t.node_id) > (v.started_workflow_id, v.started_node_id))
          ORDER BY t.workflow_id, t.node_id LIMIT ${perEvent + 1}
        ) t
      ) f
    WHERE v.id = ANY (${[...ids]}::uuid[]) AND f.triggers IS NOT NULL
    ORDER BY v.received_at, v.id`);
  return rows.map(({ triggers, ...event }) => ({
    ...event,
    triggers: triggers.slice(0, perEvent),
    isPartial: triggers.length > perEvent,
  }));
}

/** An event that is matched later, because of a limit or because it has more triggers. */
export interface EventDelay {
  readonly id: string;
  readonly seconds: number;
  /** The last trigger that is done with since the last time; undefined for none. */
  readonly after: Pick<EventTrigger, 'workflowId' | 'nodeId'> | undefined;
}

/**
 * Marks events as matched, whose waits are ended and whose runs exist.
 *
 * Race: another holder of the lease that matches them, too. Its runs have the same ids, so that they exist once.
 */
export async function markMatched(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.$executeRaw(Prisma.sql`/* events.mark-matched */
    UPDATE events v SET matched_at = now()
    FROM (
      SELECT v.id FROM events v WHERE v.id = ANY (${[...ids]}::uuid[]) AND v.matched_at IS NULL
      ORDER BY v.id FOR UPDATE SKIP LOCKED
    ) g WHERE v.id = g.id`);
}

/**
 * Delays events whose waits are ended. Those that are delayed for 0 s stay before the events that came after them:
 * otherwise a debounced run would have the data of an earlier event.
 */
export async function delayEvents(db: Database, delays: readonly EventDelay[]): Promise<void> {
  if (delays.length === 0) return;
  await db.$executeRaw(Prisma.sql`/* events.delay */
    UPDATE events v
    SET next_match_at = CASE WHEN d.seconds > 0 THEN now() + d.seconds * interval '1 second' ELSE v.next_match_at END,
        has_ended_waits = true,
        started_workflow_id = coalesce(d.workflow_id, v.started_workflow_id),
        started_node_id = coalesce(d.node_id, v.started_node_id)
    FROM (
      SELECT v.id, d.seconds, d.workflow_id, d.node_id FROM events v JOIN unnest(
        ${delays.map(({ id }) => id)}::uuid[], ${delays.map(({ seconds }) => seconds)}::float8[],
        ${delays.map(({ after }) => after?.workflowId ?? null)}::uuid[], ${delays.map(({ after }) => after?.nodeId ?? null)}::text[]
      ) AS d (id, seconds, workflow_id, node_id) USING (id)
      WHERE v.matched_at IS NULL ORDER BY v.id FOR UPDATE OF v SKIP LOCKED
    ) d WHERE v.id = d.id`);
}
