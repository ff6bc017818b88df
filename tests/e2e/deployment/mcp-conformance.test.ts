import { execFile } from 'node:child_process';
import { createServer, request as forward } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeUnless, startInstance, stopAll, stopLater } from '../../harness/index.ts';

/** The folder with the suite, which is not installed with the others: `npm run conformance:mcp` downloads it. */
const SUITE = process.env.MCP_CONFORMANCE;

let url = '';

/** The suite sends no key. So it calls a proxy, which adds one. */
async function startProxy(): Promise<{ readonly url: string; lead(to: string, key: string): void }> {
  let target: { to: URL; key: string } | undefined;
  const server = createServer((incoming, response) => {
    if (!target) throw new Error('the proxy has no target yet');
    const { method, url: path, headers } = incoming;
    const { hostname, port } = target.to;
    const sent = forward(
      { hostname, port, method, path, headers: { ...headers, 'x-api-key': target.key } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    sent.on('error', () => response.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  stopLater({
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return {
    url: `http://localhost:${address.port}`,
    lead(to, key) {
      target = { to: new URL(to), key };
    },
  };
}

/** Runs scenarios. @returns the exit code and what was printed. */
function runSuite(revision: string, ...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const main = join(SUITE ?? '', 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const expected = join(import.meta.dirname, `mcp-conformance-${revision}.yml`);
  const all = [
    main,
    'server',
    '--url',
    `${url}/mcp`,
    '--expected-failures',
    expected,
    '-o',
    join(SUITE ?? '', 'results'),
    ...args,
  ];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { maxBuffer: 16_777_216 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: `${stdout}${stderr}` });
    });
  });
}

describeUnless(SUITE === undefined ? 'it is downloaded by npm run conformance:mcp' : undefined)(
  'the public conformance suite',
  () => {
    beforeAll(async () => {
      const proxy = await startProxy();
      const { gateway, key } = await startInstance(undefined, { env: { PUBLIC_URL: proxy.url } });
      proxy.lead(gateway.url, key);
      ({ url } = proxy);
    });
    afterAll(stopAll);

    it.each([
      ['2026-07-28', ['--requirements', '2026-07-28']],
      ['2025-11-25', ['--spec-version', '2025-11-25']],
    ])(
      'fails at %s only as the list of expected failures says',
      async (revision, args) => {
        const { code, text } = await runSuite(revision, ...args);
        expect(code === 0 ? '' : text).toBe('');
      },
      300_000,
    );
  },
);
