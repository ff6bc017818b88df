import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { definitionsOf, evaluateTemplate, type Templates } from './evaluate.ts';
import { isMap } from './functions.ts';
import { parseTemplate } from './parse.ts';
import type { Part } from './syntax.ts';

/** A Kubernetes object, as far as every kind has the same members. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Values that the chart's own schema refuses. */
export class ValuesError extends Error {
  override readonly name = 'ValuesError';
}

/**
 * Renders a chart like `helm template`, in a subset of the language: anything outside of it is an error, never ignored.
 * @param values merged over the chart's own. @throws ValuesError, or TemplateError
 */
export function renderChart(folder: string, values: Readonly<Record<string, unknown>>): Manifest[] {
  const files = renderFiles(folder, values);
  return [...files].flatMap(([name, text]) => (name.endsWith('.yaml') ? documentsOf(text) : []));
}

/** The same as text, by template: also those that are not manifests, such as NOTES.txt. */
export function renderFiles(folder: string, values: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const chart = parse(read('Chart.yaml')) as Record<string, unknown>;
  const merged = merge(parse(read('values.yaml')), values);
  checkValues(JSON.parse(read('values.schema.json')) as object, merged);
  const data = {
    Values: merged,
    Release: { Name: 'deckhand', Namespace: 'default', Service: 'Helm' },
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
  };
  const files = readdirSync(join(folder, 'templates')).sort();
  const parsed = new Map<string, Part[]>(files.map((file) => [file, parseTemplate(read(`templates/${file}`))]));
  const templates: Templates = new Map([...parsed.values()].flatMap(definitionsOf));
  const rendered = new Map<string, string>();
  for (const [file, parts] of parsed) {
    if (!file.startsWith('_')) rendered.set(file, evaluateTemplate(parts, data, templates));
  }
  return rendered;
}

function documentsOf(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    const manifest: unknown = document.toJS();
    return isMap(manifest) ? [manifest as unknown as Manifest] : [];
  });
}

function checkValues(schema: object, values: unknown): void {
  const check = new Ajv({ allErrors: true }).compile(schema);
  if (check(values)) return;
  throw new ValuesError((check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`).join('; '));
}

/** Maps are merged, all else is replaced. */
function merge(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over === undefined ? base : over;
  const names = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...names].map((name) => [name, merge(base[name], over[name])]));
}
