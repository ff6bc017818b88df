import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Instance, OWNER, startInstance, startTestWorker, stopAll } from '../../harness/index.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Compiled with the strictest options. lib.dom has the types of fetch. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitReturns: true,
    noFallthroughCasesInSwitch: true,
    verbatimModuleSyntax: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    outDir: 'dist',
  },
  include: ['flows.ts', 'client'],
};

let instance: Instance;
let folder: string;

/** Runs Node.js in the folder. @returns its output. @throws Error with its output when it fails. */
async function node(...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 60_000 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

beforeAll(async () => {
  // In the repository, so that the compiler finds the types of Node.js.
  await mkdir(join(ROOT, '.deckhand'), { recursive: true });
  folder = await mkdtemp(join(ROOT, '.deckhand/client-'));
  instance = await startInstance();
  await startTestWorker(instance);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const document = await fetch(`${instance.gateway.url}/api/openapi.json`);
  await writeFile(join(folder, 'openapi.json'), await document.text());
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await stopAll();
});

describe('a client generated from the OpenAPI document', () => {
  it('compiles without an error, and does the main flows', async () => {
    await node(join(ROOT, 'packages/sdk/generate.mjs'), 'openapi.json', 'client', '.js');
    await copyFile(join(ROOT, 'tests/clients/hey-api/flows.ts'), join(folder, 'flows.ts'));
    await node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json');
    expect(await node('dist/flows.js', instance.gateway.url, OWNER.email, OWNER.password)).toBe('done\n');
  });
});
