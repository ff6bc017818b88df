import type { ConnectorRequest } from '@deckhand/connectors';
import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../packages/connectors/packs/', import.meta.url);

/** Names of the packs that come with the service. */
export const PACK_NAMES: readonly string[] = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** A request and its response, as the service documents them. */
export interface Exchange {
  readonly name: string;
  readonly operation: string;
  readonly values: JsonObject;
  readonly request: Partial<ConnectorRequest>;
  readonly response?: { readonly status: number; readonly body: JsonValue };
  /** What is read of the response. */
  readonly expected?: { readonly items?: JsonValue; readonly next?: JsonValue; readonly error?: string };
}

/** Reads a file of a pack. */
export function packText(name: string, file: string): string {
  return readFileSync(new URL(`${name}/${file}`, FOLDER), 'utf8');
}

/** Reads the recorded exchanges of a pack. */
export function exchangesOf(name: string): readonly Exchange[] {
  return JSON.parse(packText(name, 'exchanges.json')) as Exchange[];
}
