import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Instance,
  startEventReceiver,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { runGuide } from '../../harness/run-guide.ts';

const PAGE = new URL('../../../docs/events.md', import.meta.url);

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
});
afterAll(stopAll);

type VerifyEvent = (secret: string, headers: object, body: string) => unknown;

/** Imports the function that the page shows. */
async function importExample(text: string): Promise<VerifyEvent> {
  const [, source = ''] = /^```js\n([\s\S]*?)\n```$/m.exec(text) ?? [];
  const { verifyEvent }: { verifyEvent: VerifyEvent } = await import(
    `data:text/javascript,${encodeURIComponent(source)}`
  );
  return verifyEvent;
}

describe('the page about events', () => {
  it('can be followed, and its receiver verifies what is sent', async () => {
    const text = await readFile(PAGE, 'utf8');
    const receiver = await startEventReceiver();
    const { gateway, key, workspaceId } = instance;
    const variables = new Map(Object.entries({ key, workspaceId, receiver: receiver.url }));
    expect(await runGuide(text, gateway.url, variables)).toBeGreaterThan(4);
    const { body, headers } = await until(() => receiver.events[0]);
    const verifyEvent = await importExample(text);
    const secret = variables.get('secret') ?? '';
    expect(verifyEvent(secret, headers, body)).toMatchObject({ type: 'endpoint.test', data: { workspaceId } });
    expect(verifyEvent(secret, headers, body.replace('test', 'best'))).toBeUndefined();
    const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 600) };
    expect(verifyEvent(secret, old, body)).toBeUndefined();
    for (const name of Object.keys(headers).filter((each) => each.startsWith('webhook-'))) {
      expect(verifyEvent(secret, { ...headers, [name]: undefined }, body)).toBeUndefined();
    }
    expect(verifyEvent(secret, {}, body)).toBeUndefined();
  });
});
