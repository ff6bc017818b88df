import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly purl: string;
  readonly externalReferences?: { readonly hashes?: { readonly alg: string }[] }[];
}

it('the bill of materials has all that ships, with hashes, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sbom-'));
  try {
    const out = join(folder, 'deckhand.cdx.json');
    await promisify(execFile)(process.execPath, [repositoryPath('infra/bootstrap.mjs'), 'sbom', `--out=${out}`]);
    const bill = JSON.parse(await readFile(out, 'utf8')) as { bomFormat: string; components: Component[] };
    expect(bill.bomFormat).toBe('CycloneDX');
    const names = bill.components.map(({ group, name }) => (group ? `${group}/${name}` : name));
    expect(names).toEqual(expect.arrayContaining(['express', 'bullmq', 'ioredis', '@prisma/client', 'ajv', 'helmet']));
    expect(names).not.toEqual(expect.arrayContaining(['jest']));
    const foreign = bill.components.filter(({ group }) => group !== '@deckhand');
    const unhashed = foreign.filter(
      ({ externalReferences }) =>
        !externalReferences?.some(({ hashes }) => hashes?.some(({ alg }) => alg === 'SHA-512')),
    );
    expect(unhashed.map(({ purl }) => purl)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
