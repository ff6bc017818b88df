import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { DiffTarget, SchemaEngine as Engine } from '@prisma/schema-engine-wasm';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { connectEngine } from './engine-connection.js';

/** Prisma's schema engine, connected to one database. */
export interface SchemaEngine extends Pick<Engine, 'applyMigrations'> {
  /** The SQL that leads from one schema to the other; empty when they agree. */
  sqlBetween(from: DiffTarget, to: DiffTarget): Promise<string>;
}

/** Nothing in the database is managed by somebody else. */
export const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** The part of WebAssembly used here: TypeScript only has it among the browser's types. */
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loaded: Promise<void> | undefined;

/** Where the engine leaves the reason before it panics; without it the reason is lost. */
interface PanicRegistry {
  PRISMA_WASM_PANIC_REGISTRY?: { set_message: (message: string) => void };
}

/** The engine comes as WebAssembly in a registry package: Prisma's CLI would download a binary instead. */
async function load(): Promise<void> {
  (globalThis as PanicRegistry).PRISMA_WASM_PANIC_REGISTRY = {
    set_message: (message) => {
      throw new Error(`the schema engine gave up: ${message}`);
    },
  };
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': imports() });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
}

/** The engine never clears its ten-second timers: they must not hold up the end of a process that is done. */
function imports(): object {
  const setTimer = (callback: () => void, ms: number): NodeJS.Timeout => setTimeout(callback, ms).unref();
  const timers = Object.keys(bindings).filter((name) => name.startsWith('__wbg_setTimeout_'));
  return { ...bindings, ...Object.fromEntries(timers.map((name) => [name, setTimer])) };
}

/**
 * Lends a schema engine for the database at `databaseUrl`; its connections are closed when `use` is done.
 * @throws what the engine says, in its own words.
 */
export async function withSchemaEngine<T>(databaseUrl: string, use: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  await (loaded ??= load());
  const connection = connectEngine(databaseUrl);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(connection.factory);
    const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
    return await use({
      applyMigrations: (input) => engine.applyMigrations(input),
      sqlBetween: async (from, to) => {
        const difference = await engine.diff({ from, to, script: true, exitCode: null, filters: NO_FILTERS });
        return difference.stdout ?? '';
      },
    });
  } catch (error) {
    throw explained(error);
  } finally {
    await connection.close();
  }
}

/** The engine's errors in one line: which migration, and what PostgreSQL said, without the engine's own call stack. */
function explained(error: unknown): Error {
  const text = error instanceof Error ? error.message : String(error);
  const migration = /migration_name="([^"]+)"/.exec(text)?.[1];
  const reason = text
    .replace(/^external connector error\s*/, '')
    .replace(/^Error querying the database: /, '')
    .replace(/\n\s+\d+: [\s\S]*$/, '')
    .trim();
  return new Error(migration === undefined ? reason : `migration ${migration} failed: ${reason}`, { cause: error });
}
