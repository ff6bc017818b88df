import { Prisma } from '../../client.ts';
import { NO_DEADLINE } from '../run-status.ts';

// Options of a start as SQL. A statement gets them as `jsonb`, null for a run without any, so that such a run costs a
// null and nothing else.

/** The columns of a run that its options are written to. */
export const OPTION_COLUMNS = Prisma.raw(
  'tags, metadata, start_at, expires_at, wake_at, claimed_dispatch, concurrency_key, concurrency_limit, holds_key, callback_url, priority',
);

/** Returns when a run starts; null for at once. Until then, it rests without a job: `wake_at` is that time. */
function startAt(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`nullif(greatest(now(), (${options} ->> 'startAt')::timestamptz,
    now() + (${options} ->> 'delay')::float8 * interval '1 second'), now())`;
}

/**
 * Returns whether a run rests when it is accepted: it starts later, or once it has a slot of its key. Its first
 * dispatch counts as claimed, so no worker can claim it, neither by a statement nor by a first checkpoint.
 */
export function isDelayed(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${startAt(options)} IS NOT NULL OR ${options} -> 'concurrency' IS NOT NULL)`;
}

/** Returns whether the version `v` limits its runs, and a run has no limit of its own, nor was found to have none. */
export function needsKey(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(v.concurrency IS NOT NULL AND ${options} -> 'concurrency' IS NULL AND ${options} -> 'withoutKey' IS NULL)`;
}

/** Returns the values of these columns. */
export function optionValues(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${options} -> 'tags' IS NOT NULL
    THEN nullif(ARRAY(SELECT jsonb_array_elements_text(${options} -> 'tags')), '{}') END, ${options} -> 'metadata',
    ${startAt(options)}, coalesce((${options} ->> 'expiresAt')::timestamptz,
      coalesce(${startAt(options)}, now()) + (${options} ->> 'expiresAfter')::float8 * interval '1 second'),
    ${startAt(options)}, CASE WHEN ${isDelayed(options)} THEN 1 ELSE 0 END, ${options} #>> '{concurrency,key}',
    CASE WHEN ${options} -> 'concurrency' IS NOT NULL THEN coalesce((${options} #>> '{concurrency,limit}')::int, 1) END,
    CASE WHEN ${options} -> 'concurrency' IS NOT NULL THEN false END, ${options} ->> 'callbackUrl',
    nullif((${options} ->> 'priority')::int, 0)`;
}

/** Returns how many bytes of a run's options count towards the quota of its workspace. */
export function optionBytes(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce(octet_length((${options} -> 'metadata')::text), 0)`;
}

/** Returns the time limit of a run of the version `v` that includes rests, in ms; null without one. */
function timeoutMs(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce((${options} ->> 'timeoutSeconds')::float8 * 1000,
    CASE WHEN NOT v.counts_held_time THEN v.timeout_ms END)`;
}

/** Returns when a run of the version `v` times out. */
export function optionDeadline(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce((coalesce(${startAt(options)}, now()) + ${timeoutMs(options)} * interval '1 millisecond')::timestamptz(3), ${NO_DEADLINE})`;
}

/** Returns for how long workers may hold a run of the version `v`, in ms; null for a run with another time limit. */
export function optionTimeLeft(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN v.counts_held_time AND ${options} -> 'timeoutSeconds' IS NULL THEN v.timeout_ms END`;
}
