import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TRACKER } from '../../../../tests/harness/connectors.ts';
import { createBuiltInConnectors } from './built-in.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packs-'));
  await cp(new URL('../../../../tests/harness/packs/tracker', import.meta.url), join(folder, 'tracker'), {
    recursive: true,
  });
  for (const version of ['0.9.0', '0.10.0', '0.10.2']) {
    const older = join(folder, 'tracker', version);
    await mkdir(older, { recursive: true });
    await writeFile(join(older, 'pack.yaml'), TRACKER.pack.replace('version: 1.0.0', `version: ${version}`));
    await writeFile(join(older, 'openapi.yaml'), TRACKER.document.replace('tracker.example', 'old.example'));
  }
});
afterAll(() => rm(folder, { recursive: true }));

it('built-in connectors are listed, the newest version of each first, and read by their versions', async () => {
  const { list, read } = createBuiltInConnectors(folder);
  expect((await list()).map(({ name, version }) => [name, version])).toEqual([
    ['tracker', '1.0.0'],
    ['tracker', '0.10.2'],
    ['tracker', '0.10.0'],
    ['tracker', '0.9.0'],
  ]);
  const serverOf = async (version: string, operation = 'issue.get') => {
    const found = await read({ connector: 'tracker', version, operation });
    return found && /"server":"([^"]*)"/.exec(found.action)?.[1];
  };
  expect(await serverOf('1.0.0')).toBe('https://tracker.example.com');
  expect(await serverOf('0.9.0')).toBe('https://old.example.com');
  expect(await serverOf('2.0.0')).toBeUndefined();
  expect(await serverOf('1.0.0', 'issue.x')).toBeUndefined();
});

it('there may be none, and those of the service can be read', async () => {
  expect(await createBuiltInConnectors(join(folder, 'nowhere')).list()).toEqual([]);
  const { list, read } = createBuiltInConnectors();
  for (const { name, version, operations } of await list()) {
    for (const { id } of operations) {
      const found = await read({ connector: name, version, operation: id });
      expect([name, id, found !== undefined]).toEqual([name, id, true]);
    }
  }
});
