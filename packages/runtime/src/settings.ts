import { envSchema } from 'env-schema';
import type { Static, TObject } from 'typebox';

/** Invalid settings. The message names every missing or invalid one, on one line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads settings from the environment, by a JSON Schema whose members are names of variables. Text is coerced to the
 * types of the schema, defaults are filled in, and the result is frozen.
 * @throws SettingsError listing every invalid setting.
 */
export function readSettings<S extends TObject>(schema: S, env: NodeJS.ProcessEnv = process.env): Readonly<Static<S>> {
  // Compose files and shells leave empty variables behind, so these count as not set.
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
  const issues: readonly { instancePath: string; message?: string }[] = error.errors;
  return issues.map((issue) => `${issue.instancePath.slice(1)} ${issue.message ?? 'is not valid'}`.trim()).join('; ');
}
