import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

const read = (path: string): string => readFileSync(repositoryPath(path), 'utf8');
const schema = JSON.parse(read('docs/workflow-file.schema.json')) as object;
const check = new Ajv2020({ strict: false }).compile(schema);
const EXAMPLE = 'examples/workflows-as-code';

describe('the published JSON Schema of workflow files', () => {
  it('accepts the example, and that of the page', () => {
    const [, page = ''] = /```yaml\n(# yaml-language-server[^]*?)```/.exec(read('docs/workflows-as-code.md')) ?? [];
    for (const text of [read(`${EXAMPLE}/workflows/refund.yaml`), page]) {
      check(parse(text));
      expect(check.errors ?? []).toEqual([]);
    }
  });

  it.each([
    { name: 'A' },
    { slug: 'A', name: 'A' },
    { slug: 'a', name: 'A', nodse: [] },
    { slug: 'a', name: 'A', nodes: [{ id: 'a' }] },
    { slug: 'a', name: 'A', nodes: [{ id: 'a', type: 'set', credentialId: 'b' }] },
  ])('finds that %j is wrong', (file) => {
    expect(check(file)).toBe(false);
  });
});

describe('the GitHub Action', () => {
  it('applies on a push, and only plans for a pull request', () => {
    const action = parse(read(`${EXAMPLE}/.github/workflows/deckhand.yml`)) as {
      readonly jobs: Record<string, { readonly steps: readonly { readonly if?: string; readonly run?: string }[] }>;
    };
    const steps = Object.values(action.jobs).flatMap((job) => job.steps);
    const conditionOf = (command: string) =>
      steps.filter(({ run = '' }) => run.startsWith(command)).map((step) => step.if);
    expect(conditionOf('deckhand plan')).toEqual([undefined]);
    expect(conditionOf('deckhand apply')).toEqual(["github.event_name == 'push'"]);
  });
});
