import {
  CREDENTIAL_SECRETS,
  CredentialCircuit,
  CredentialRateLimit,
  type JsonObject,
  parseOwnJson,
  WARNINGS,
} from '@deckhand/contracts';
import type { NodeType } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { describe, expect, it } from '@jest/globals';
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
    ...(kind.kind === 'group' ? textsOfFields(kind.fields) : []),
  ]);
}

const asJson = (schema: object): JsonObject => parseOwnJson<JsonObject>(JSON.stringify(schema));

/** Returns the parts of a line on a card that are words. */
function wordsOf({ text, join }: NodeType['summary'][number]): string[] {
  return [text, join ?? ''].filter((part) => /\p{L}/u.test(part.replaceAll(/\{\w+\??\}/g, '')));
}

/** Returns what the console shows of a node type. */
function textsOfType({ title, description, parameters, form, summary }: NodeType): string[] {
  const fields = textsOfFields(toFields(asJson(parameters), form.inputs));
  return [title, description, ...fields, ...summary.flatMap(wordsOf)];
}

const types = [...(await loadNodeTypes()).values()];
/** A type without a German title is shown in English. One with a title has all of its texts. */
const isGerman = ({ title }: NodeType): boolean => Object.hasOwn(german, title);

it('what the console shows of node types, credentials, warnings and templates is in German, and nothing else', async () => {
  const schemas = [...Object.values(CREDENTIAL_SECRETS), CredentialCircuit, CredentialRateLimit].map(asJson);
  const files = (await readdir(TEMPLATES)).filter((name) => name.endsWith('.json'));
  const templates = await Promise.all(
    files.map(async (name) => parseOwnJson<TemplateTexts>(await readFile(join(TEMPLATES, name), 'utf8'))),
  );
  const shown = new Set([
    ...types.filter(isGerman).flatMap(textsOfType),
    ...schemas.flatMap((schema) => textsOfFields(toFields(schema))),
    ...Object.values(WARNINGS).flatMap(({ title, remedy }) => [title, remedy]),
    ...templates.flatMap(({ name, description, variables = {} }) => [name, description, ...Object.values(variables)]),
  ]);
  expect(new Set(Object.keys(german))).toEqual(shown);
  expect(Object.values(german)).not.toContain('');
});

it('the German lines on cards have the same parameters as the English ones', () => {
  const namesOf = (text: string): string[] => [...text.matchAll(/\{\w+/g)].map(([name]) => name).sort();
  const translations = new Map(Object.entries(german));
  const lines = types.filter(isGerman).flatMap(({ summary }) => summary.flatMap(wordsOf));
  for (const line of lines) expect([line, namesOf(translations.get(line) ?? '')]).toEqual([line, namesOf(line)]);
});

describe('node types that the console shows in English, also to Germans', () => {
  for (const type of types.filter((one) => !isGerman(one))) it.todo(`${type.type}: ${textsOfType(type).length} texts`);
});
