import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Output } from '@deckhand/terminal';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestedFile } from '../files/junit.ts';
import { testCommand } from './test.ts';

const FILE = `slug: doubtful
name: Doubtful
nodes:
  - { id: start, type: trigger.manual }
  - { id: check, type: if, parameters: { condition: "1 > 2" } }
edges:
  - { source: start, target: check }
`;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
});
afterEach(async () => {
  process.exitCode = undefined;
  await rm(dir, { recursive: true });
});

async function test(...args: readonly string[]) {
  const written: { result: unknown; messages: string[]; lines: string[] } = {
    result: undefined,
    messages: [],
    lines: [],
  };
  const textOf = (line: unknown): string => (typeof line === 'string' ? line : JSON.stringify(line));
  const output: Output = {
    isJson: false,
    result(data, lines) {
      written.result = data;
      written.lines.push(...lines().map(textOf));
    },
    entry: () => undefined,
    json: () => undefined,
    message: (line) => void written.messages.push(textOf(line)),
  };
  await testCommand({ output }).parseAsync(['--dir', dir, ...args], { from: 'user' });
  return { ...written, exitCode: process.exitCode };
}

describe('deckhand test', () => {
  it('shows warnings about files without tests, and fails because of them with --strict', async () => {
    await writeFile(join(dir, 'doubtful.yaml'), FILE);
    const junit = join(dir, 'report.xml');
    const lenient = await test('--junit', junit);
    expect(lenient).toMatchObject({ exitCode: 0, lines: ['No tests.'], result: [{ slug: 'doubtful', tests: [] }] });
    expect(lenient.messages).toEqual([expect.stringMatching(/Warning: doubtful: node check.*The condition is a text/)]);
    expect(await readFile(junit, 'utf8')).not.toContain('doubtful');
    const strict = await test('--strict');
    expect(strict).toMatchObject({ exitCode: 1, messages: lenient.messages });
  });

  it('lists no file that has neither tests nor warnings', async () => {
    await writeFile(
      join(dir, 'sound.yaml'),
      FILE.replaceAll('doubtful', 'sound').replace('"1 > 2"', '"{{ $trigger.a > 2 }}"'),
    );
    const none: readonly TestedFile[] = [];
    expect(await test('--strict')).toEqual({ exitCode: 0, lines: ['No tests.'], messages: [], result: none });
  });
});
