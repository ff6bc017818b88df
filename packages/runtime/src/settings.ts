import { envSchema } from 'env-schema';
import type { Static, TObject } from 'typebox';

/** Settings that cannot be used: the message names every one that is missing or bad, on one line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads a process's settings once, by a JSON Schema whose members are environment names. Text is coerced to the
 * schema's types, defaults are filled in, the result is frozen.
 * @throws SettingsError listing every fault.
 */
export function readSettings<S extends TObject>(schema: S, env: NodeJS.ProcessEnv = process.env): Readonly<Static<S>> {
  // An empty variable is one that was not set: compose files and shells leave such behind.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  try {
    const settings = envSchema<Static<S>>({ schema, data: given, env: false, dotenv: false });
    return Object.freeze(settings);
  } catch (error) {
    throw new SettingsError(`Bad settings: ${describe(error)}`);
  }
}

function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('errors' in error) || !Array.isArray(error.errors)) {
    return String(error);
  }
  const faults: readonly { instancePath: string; message?: string }[] = error.errors;
  return faults.map((fault) => `${fault.instancePath.slice(1)} ${fault.message ?? 'is not valid'}`.trim()).join('; ');
}
