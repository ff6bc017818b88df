import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, DriverAdapterError, type SqlQuery, type SqlResultSet } from '@prisma/driver-adapter-utils';
import pg from 'pg';

/** What the schema engine reaches one database through. */
export interface EngineConnection {
  readonly factory: PrismaPg;
  close(): Promise<void>;
}

/** How long a migration waits for a table in one turn, in ms: for so long nobody else gets to it either. */
const LOCK_TIMEOUT_MS = 2_000;
/** Between two turns, in ms. */
const PAUSE_MS = 1_000;
/** Turns before a migration gives up: some three minutes. */
const LOCK_TURNS = 60;
/** PostgreSQL's code of a lock that could not be had in time. */
const LOCK_NOT_AVAILABLE = '55P03';

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/**
 * Ends every script that runs while a migration is on record as begun: what the script did and the record that it is
 * finished are one transaction, so an unfinished record proves that nothing of the script was kept.
 */
const MARK_AS_FINISHED = `
DO $mark$ BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  END IF;
END $mark$;`;

/**
 * The adapter of Prisma's client, made fit for its schema engine in three places:
 * - the adapter cuts scripts at every semicolon and runs the pieces one by one, which neither functions nor failures
 *   survive; ours sends them whole, so PostgreSQL runs each in a transaction;
 * - the engine replays migrations in a shadow database when it compares them; the adapter's own way to make one ignores
 *   the database's name in a URL, so ours says that the caller's database is the shadow;
 * - the adapter refuses the type "char" of PostgreSQL's catalogue, which the engine reads as a character.
 */
class EngineAdapter extends PrismaPg {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super(pool);
    this.#pool = pool;
  }

  override async connect(): Promise<Adapter> {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query: SqlQuery): Promise<SqlResultSet> => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type) =>
        type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    adapter.executeScript = async (script: string): Promise<void> => {
      await withLocks(() => this.#pool.query(`${script}\n;${MARK_AS_FINISHED}`)).catch(rethrow);
    };
    return adapter;
  }

  override connectToShadowDb(): Promise<Adapter> {
    return this.connect();
  }
}

/**
 * Runs a script, again and again while others hold the tables that it changes: whoever waits for such a lock holds up all that
 * come after, so it is waited for in short turns.
 * @throws PostgreSQL's error 55P03 when no turn was long enough.
 */
async function withLocks<T>(run: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await run();
    } catch (error) {
      const isLocked = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
      if (!isLocked || turn === LOCK_TURNS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** Connects lazily; `close` ends every connection. */
export function connectEngine(databaseUrl: string): EngineConnection {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, lock_timeout: LOCK_TIMEOUT_MS });
  pool.on('connect', disguiseChars);
  // A connection that breaks while idle is reported by the next query that needs it.
  pool.on('error', () => undefined);
  return { factory: new EngineAdapter(pool), close: () => pool.end() };
}

/** Type "char". */
const CHAR = 18;

/** Type "char"[], which the catalogue's queries never return and the adapter knows. */
const CHAR_ARRAY = 1002;

/** Lets "char" columns past the adapter as "char"[] (their values are read by then); `queryRaw` above undoes it. */
function disguiseChars(client: pg.PoolClient): void {
  client.connection.on('rowDescription', ({ fields }: { fields: pg.FieldDef[] }) => {
    for (const field of fields) {
      if (field.dataTypeID === CHAR) field.dataTypeID = CHAR_ARRAY;
    }
  });
}

/** Errors of the server in the form that the engine shows with its message. */
function rethrow(error: unknown): never {
  if (!(error instanceof pg.DatabaseError)) throw error;
  throw new DriverAdapterError({
    kind: 'postgres',
    code: error.code ?? 'XX000',
    severity: error.severity ?? 'ERROR',
    message: error.message,
    detail: error.detail,
    column: error.column,
    hint: error.hint,
  });
}
