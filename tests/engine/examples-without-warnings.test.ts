import {
  type DefinitionWarning,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseOwnJson,
} from '@deckhand/contracts';
import { compileWorkflow, findWarnings } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importJson } from '../harness/import-n8n.ts';

/*
 * A warning about what somebody meant is worse than one that is missing. These are the workflows that we show to
 * people, so none of them may have one, except for those that are named here.
 */

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', 'docs/*.md', 'docs/guides/*.md', 'docs/nodes/*.md'];
const WORKFLOWS = ['examples/**/*.json', 'apps/console/src/templates/*.json'];
/** They show a webhook, whose secret is for the author to choose. */
const WITH_OPEN_WEBHOOKS = [
  'apps/console/src/templates/answer-early.json',
  'apps/console/src/templates/csv-import.json',
  'apps/console/src/templates/one-at-a-time.json',
  'apps/console/src/templates/retry-with-dead-letter.json',
  'apps/console/src/templates/undo-on-failure.json',
  'apps/console/src/templates/webhook-to-chat.json',
  'docs/guides/first-workflow.md',
  'docs/guides/versions.md',
  'docs/nodes/respond.md',
  'docs/nodes/trigger.webhook.md',
];
const nodeTypes = await loadNodeTypes();

/** Returns the JSON object around a position of a text; undefined if there is none. */
function objectAround(text: string, position: number): JsonObject | undefined {
  const start = text.lastIndexOf('{', position);
  for (let end = text.indexOf('}', position); start !== -1 && end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      const value: JsonValue = parseOwnJson(text.slice(start, end + 1));
      return isJsonObject(value) ? value : undefined;
    } catch {
      // The brace ends a part of it.
    }
  }
  return undefined;
}

/** Returns the definitions in a text, whatever is around them. */
function definitionsIn(text: string): JsonObject[] {
  return [...text.matchAll(/"nodes":\s*\[/g)].flatMap(({ index }) => {
    const found = objectAround(text, index);
    return found && Array.isArray(found.edges) ? [found] : [];
  });
}

/** Returns the warnings about a definition. */
function warningsOf(definition: JsonValue): readonly DefinitionWarning[] {
  const compiled = compileWorkflow(definition, nodeTypes);
  // Pages also show definitions that are refused.
  return 'issues' in compiled ? [] : findWarnings(compiled.workflow);
}

describe('no warning is about', () => {
  it('a workflow of our pages, examples and templates, except for webhooks without a secret', () => {
    const files = globSync([...PAGES, ...WORKFLOWS], { cwd: ROOT, exclude: ['docs/warnings.md'] });
    const found = files.flatMap((file) =>
      definitionsIn(readFileSync(join(ROOT, file), 'utf8'))
        .flatMap(warningsOf)
        .map(({ code, message }) => (code === 'WEBHOOK_IS_OPEN' ? file : `${file}: ${message}`)),
    );
    expect(found.filter((place) => !WITH_OPEN_WEBHOOKS.includes(place))).toEqual([]);
    expect(found).not.toEqual([]);
  });

  it('a workflow that is imported from n8n, except for webhooks without a secret', async () => {
    const recorded = globSync('packages/import-n8n/recorded/*.json', { cwd: ROOT });
    for (const file of recorded) {
      const { workflow } = parseOwnJson<{ workflow: JsonValue }>(readFileSync(join(ROOT, file), 'utf8'));
      const { definition } = await importJson(workflow, nodeTypes);
      const messages = warningsOf(parseOwnJson(JSON.stringify(definition))).map(({ message }) => message);
      expect([file, messages]).toEqual([file, []]);
    }
  });
});
