import { afterEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

let registry: Server | undefined;

afterEach(() => {
  registry?.close();
});

/** Audits against a registry of our own that gives one answer. */
async function audit(status: number, answer: object): Promise<{ exitCode: number; output: string }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  registry = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the registry has no port');
  const args = [repositoryPath('infra/bootstrap.mjs'), 'audit', `--registry=http://127.0.0.1:${address.port}/`];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}

const advisory = (severity: string) => ({
  express: [
    {
      id: 1,
      url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
      title: 'Everything is open',
      severity,
      vulnerable_versions: '<99',
      cwe: [],
      cvss: { score: 9, vectorString: null },
    },
  ],
});

describe('the audit of dependencies', () => {
  it.each(['high', 'critical'])(
    'fails for a %s advisory on what ships, and names it',
    async (severity) => {
      const { exitCode, output } = await audit(200, advisory(severity));
      expect(output).toContain(`${severity}: express: Everything is open`);
      expect(exitCode).toBe(1);
    },
    60_000,
  );

  it('continues with one that is less grave', async () => {
    const { exitCode, output } = await audit(200, advisory('moderate'));
    expect(output).toContain('1 advisories, none of them grave');
    expect(exitCode).toBe(0);
  });

  it('says that it was skipped, and why, where the registry does not tell', async () => {
    const { exitCode, output } = await audit(405, {});
    expect(output).toMatch(/skipped: the registry did not tell \(.*AUDIT/);
    expect(exitCode).toBe(0);
  });
});
