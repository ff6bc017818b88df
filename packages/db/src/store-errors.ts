import { setTimeout as sleep } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import { isJsonObject } from '@deckhand/contracts';

/**
 * What an error of a store means for a write that met it.
 * - `row`: the values at fault can never be stored as they are. Only the run that they belong to fails.
 * - `deployment`: the instance is set up wrongly, such as a missing column or permission. Nothing is written until that
 *   is mended; no run fails.
 * - `transient`: everything else, known or unknown. The same write may succeed later, so it is tried again.
 */
export type StoreErrorKind = 'row' | 'deployment' | 'transient';

/** An error of a store whose kind is known where it is thrown. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(message: string, kind: StoreErrorKind, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** SQLSTATEs, the most specific first. An error that none of them matches is transient: this is a deny-list. */
const SQLSTATE_KINDS: readonly (readonly [RegExp, StoreErrorKind])[] = [
  // A prepared statement that a pooler lost or created twice: the next connection has it, or prepares it.
  [/^(26000|42P05)$/, 'transient'],
  // Data exceptions, integrity violations, one row named twice by a statement, a violated check option, and RAISE in a
  // trigger of ours.
  [/^(22|23|21000|44000|P0001)/, 'row'],
  // A value that exceeds a limit of the server: an index row too large, or JSON nested too deeply.
  [/^(54000|54001)$/, 'row'],
  // Undefined tables and columns, missing permissions, syntax; features that this server lacks.
  [/^(42|0A|54)/, 'deployment'],
  // A refused password or role, or a database or schema that does not exist.
  [/^(28|3D|3F)/, 'deployment'],
];

/** Prisma's own codes, for errors without an SQLSTATE. */
const PRISMA_KINDS: readonly (readonly [RegExp, StoreErrorKind])[] = [
  [/^(P1000|P1003|P1010|P2021|P2022)$/, 'deployment'],
  [/^P20(0[0-7]|1[1-59]|20|23|25|33)$/, 'row'],
];

/** Node's codes for a value that it cannot handle: larger than a string can be, or compressed data that is damaged. */
const VALUE_CODE =
  /^(ERR_STRING_TOO_LONG|ERR_OUT_OF_RANGE|ERR_BUFFER_TOO_LARGE|ERR_INVALID_\w+|Z_DATA_ERROR|Z_BUF_ERROR)$/;

/** Errors that JavaScript throws every time for the same values. */
const LANGUAGE_ERROR = /^(TypeError|RangeError|SyntaxError|ReferenceError|URIError|PrismaClientValidationError)$/;

/** PostgreSQL's 23514 for a run of a time that has no partition yet: maintenance creates it. */
const NO_PARTITION = 'no partition of relation';

/** PostgreSQL reports a value above 1 GB as an internal error. */
const VALUE_TOO_LARGE = 'invalid memory alloc request size';

/** PostgreSQL's 0A000 after a migration changed a table: the next connection plans the statement again. */
const STALE_PLAN = 'cached plan must not change result type';

/** Redis refuses the user, the password, or a command of the user. */
const REDIS_ACCESS_DENIED = /^(NOAUTH|WRONGPASS|NOPERM)\b/;

/** Messages of pg for errors without a code. */
const DRIVER_MESSAGE =
  /^(Connection terminated|Query read timeout|timeout e|Client (was closed|has encountered a connection error)|Server has closed the connection)/;

/** System calls of socket errors. */
const NETWORK_CALL = /^(connect|getaddrinfo|read|write|shutdown)$/;

const SQLSTATE = /^[0-9A-Z]{5}$/;
const PRISMA_CODE = /^P\d{4}$/;

/**
 * Classifies an error of PostgreSQL, an object store or Redis, whichever library reported it. An unknown error is
 * `transient`.
 */
export function classifyStoreError(error: unknown): StoreErrorKind {
  if (!isNativeError(error)) return 'transient';
  if (error instanceof StoreError) return error.kind;
  if (error.message.includes(STALE_PLAN)) return 'transient';
  if (error.message.includes(VALUE_TOO_LARGE)) return 'row';
  if (error.message.includes(NO_PARTITION)) return 'transient';
  const sqlstate = sqlstateOfAdapter(error);
  if (sqlstate !== undefined) return kindBy(SQLSTATE_KINDS, sqlstate);
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string') {
    if (VALUE_CODE.test(code)) return 'row';
    // Codes of the operating system that look like an SQLSTATE (EPIPE) belong to none of these classes.
    if (PRISMA_CODE.test(code) && isPrismaError(error)) return kindBy(PRISMA_KINDS, code);
    return SQLSTATE.test(code) ? kindBy(SQLSTATE_KINDS, code) : 'transient';
  }
  if (isNativeError(error.cause)) return classifyStoreError(error.cause);
  if (REDIS_ACCESS_DENIED.test(error.message)) return 'deployment';
  return LANGUAGE_ERROR.test(error.name) ? 'row' : 'transient';
}

/** Returns true for an error that a store or the network reported. Any other error is a bug of the program. */
export function isStoreError(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  return (
    error instanceof StoreError ||
    isPrismaError(error) ||
    error.name === 'DriverAdapterError' ||
    // PostgreSQL's own errors have a severity, those of the network name a system call.
    'severity' in error ||
    ('syscall' in error && NETWORK_CALL.test(String(error.syscall))) ||
    DRIVER_MESSAGE.test(error.message) ||
    isStoreError(error.cause)
  );
}

/**
 * Returns true if a store cannot do something now and may be able to later. The operation may or may not have happened.
 * @see isStoreError for why an unknown error is not one.
 */
export function isStoreUnavailable(error: unknown): boolean {
  return isStoreError(error) && classifyStoreError(error) === 'transient';
}

/** Delay before a write is tried again, in ms. */
const RETRY_DELAY_MS = 100;

/**
 * Tries a write of a request once more if it failed for a reason that may pass. The caller gets the second failure.
 * @param again has to allow for a first attempt that succeeded although its response was lost.
 */
export async function retryOnce<T>(first: () => Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await first();
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
  }
  await sleep(RETRY_DELAY_MS);
  return again();
}

/** Returns true if PostgreSQL cancelled the statement, because it took longer than the session's limit. */
export function isStatementCancelled(error: unknown): boolean {
  return isNativeError(error) && sqlstateOfAdapter(error) === '57014';
}

/** Returns true if a statement has waited for a lock longer than it may. */
export function isLockTimeout(error: unknown): boolean {
  return isNativeError(error) && sqlstateOfAdapter(error) === '55P03';
}

/** Returns true if a statement of our own failed because a value that must be unique is taken. */
export function isTaken(error: unknown): boolean {
  return isNativeError(error) && sqlstateOfAdapter(error) === '23505';
}

/**
 * Returns true if a statement took longer than it may: perhaps because of a single one of its rows, although the error
 * is `transient`.
 */
export function isTooSlow(error: unknown): boolean {
  return isStatementCancelled(error) || isLockTimeout(error);
}

/**
 * Returns true if the values of a write can never be stored. Any other error, known or unknown, says nothing about
 * them.
 */
export function isRowError(error: unknown): boolean {
  return classifyStoreError(error) === 'row';
}

function isPrismaError(error: Error): boolean {
  return error.name.startsWith('PrismaClient');
}

/** Prisma keeps the error of the driver adapter in addition to its own code. */
function sqlstateOfAdapter(error: Error): string | undefined {
  const meta: unknown = 'meta' in error ? error.meta : undefined;
  const adapterError: unknown = isJsonObject(meta) ? meta.driverAdapterError : error;
  const cause: unknown = isNativeError(adapterError) ? adapterError.cause : undefined;
  const code: unknown = isJsonObject(cause) ? cause.originalCode : undefined;
  return typeof code === 'string' ? code : undefined;
}

function kindBy(kinds: readonly (readonly [RegExp, StoreErrorKind])[], code: string): StoreErrorKind {
  return kinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'transient';
}
