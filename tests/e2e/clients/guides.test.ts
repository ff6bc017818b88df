import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createEmptyDatabase,
  type Instance,
  OWNER,
  startInstance,
  startTestWorker,
  stopAll,
} from '../../harness/index.ts';
import { startTestObjectStore } from '../../harness/object-store.ts';
import { runGuide } from '../../harness/run-guide.ts';

const FOLDER = new URL('../../../docs/guides/', import.meta.url);
/** Pages elsewhere whose requests are tested, too. */
const OTHER_PAGES = [
  '../bulk-actions.md',
  '../failure-groups.md',
  '../error-workflows.md',
  '../incoming-events.md',
  '../start-options.md',
];
const GUIDES = [...readdirSync(FOLDER).filter((name) => name !== 'README.md'), ...OTHER_PAGES];

let instance: Instance;
/** Stores of the workflows. */
let stores: { readonly storeUrl: string; readonly databaseUrl: string };

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  await startTestWorker(instance);
  const { env } = await startTestObjectStore();
  stores = { storeUrl: env.S3_ENDPOINT ?? '', databaseUrl: (await createEmptyDatabase()).url };
});
afterAll(stopAll);

/** The variables that every guide may use, as docs/guides/README.md says. */
function given(): Map<string, string> {
  const { gateway, key, session, workspaceId } = instance;
  const values = {
    ...stores,
    url: gateway.url,
    key,
    session,
    workspaceId,
    email: OWNER.email,
    password: OWNER.password,
  };
  return new Map(Object.entries(values));
}

describe('a guide', () => {
  it.each(GUIDES)('%s can be followed from its first request to its last', async (name) => {
    const text = await readFile(new URL(name, FOLDER), 'utf8');
    expect(await runGuide(text, instance.gateway.url, given())).toBeGreaterThan(0);
  });

  it('fails where a response is another than shown', async () => {
    const guide = (shown: string) =>
      `\`\`\`http\nGET /api/me\nx-api-key: <key>\n\`\`\`\n\n\`\`\`http\n${shown}\n\`\`\`\n`;
    const run = (shown: string) => runGuide(guide(shown), instance.gateway.url, given());
    await expect(run('HTTP/1.1 200 OK\n\n{ "apiKey": { "scopes": ["*"], "id": "…" } }')).resolves.toBe(1);
    await expect(run('HTTP/1.1 404 Not Found')).rejects.toThrow('instead of HTTP/1.1 404');
    await expect(run('HTTP/1.1 200 OK\n\n{ "apiKey": { "scopes": [] } }')).rejects.toThrow('instead of');
    await expect(run('HTTP/1.1 200 OK\n\n{ "apiKey": { "none": "…" } }')).rejects.toThrow('instead of');
    await expect(run('HTTP/1.1 200 OK\nx-none: a')).rejects.toThrow('the header x-none is missing');
  });
});
