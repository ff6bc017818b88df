import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCommitted } from './git-copy.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deckhand-git-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    stdio: 'pipe',
  });

it('has the content of a file from its commit until its next change', async () => {
  const path = join(folder, 'a*.yaml');
  await writeFile(path, 'slug: a\n');
  expect(await isCommitted(path)).toBe(false);
  git('init');
  expect(await isCommitted(path)).toBe(false);
  git('add', '.');
  expect(await isCommitted(path)).toBe(false);
  git('commit', '-m', 'Add a');
  expect(await isCommitted(path)).toBe(true);
  // Another file that the name would stand for as a pattern.
  await writeFile(join(folder, 'ab.yaml'), 'slug: ab\n');
  expect(await isCommitted(path)).toBe(true);
  await writeFile(path, 'slug: a # mine\n');
  expect(await isCommitted(path)).toBe(false);
  await writeFile(join(folder, '.gitignore'), 'ab.yaml\n');
  expect(await isCommitted(join(folder, 'ab.yaml'))).toBe(false);
});
