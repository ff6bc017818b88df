import {
  CREDENTIAL_SECRETS,
  CredentialCircuit,
  CredentialRateLimit,
  type JsonObject,
  parseOwnJson,
} from '@deckhand/contracts';
import { loadNodeTypes } from '@deckhand/nodes';
import { expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Field, toFields } from '../../apps/console/src/forms/schema.ts';
import german from '../../apps/console/src/language/de-served.json' with { type: 'json' };

const TEMPLATES = join(import.meta.dirname, '../../apps/console/src/templates');

/** The part of a template that people read before they choose it. */
interface TemplateTexts {
  readonly name: string;
  readonly description: string;
  readonly variables?: Readonly<Record<string, string>>;
}

function textsOfFields(fields: readonly Field[]): string[] {
  return fields.flatMap(({ label, description, kind }) => [
    ...[label, description].filter((text) => text !== ''),
    ...(kind.kind === 'rows' ? [kind.one, ...textsOfFields(kind.fields)] : []),
  ]);
}

const asJson = (schema: object): JsonObject => parseOwnJson<JsonObject>(JSON.stringify(schema));

it('what the console shows of node types, credentials and templates is in German, and nothing else', async () => {
  const types = [...(await loadNodeTypes()).values()];
  const schemas = [...Object.values(CREDENTIAL_SECRETS), CredentialCircuit, CredentialRateLimit].map(asJson);
  const files = (await readdir(TEMPLATES)).filter((name) => name.endsWith('.json'));
  const templates = await Promise.all(
    files.map(async (name) => parseOwnJson<TemplateTexts>(await readFile(join(TEMPLATES, name), 'utf8'))),
  );
  const shown = new Set([
    ...types.flatMap(({ title, description, parameters }) => [
      title,
      description,
      ...textsOfFields(toFields(asJson(parameters))),
    ]),
    ...schemas.flatMap((schema) => textsOfFields(toFields(schema))),
    ...templates.flatMap(({ name, description, variables = {} }) => [name, description, ...Object.values(variables)]),
  ]);
  expect(new Set(Object.keys(german))).toEqual(shown);
  expect(Object.values(german)).not.toContain('');
});
