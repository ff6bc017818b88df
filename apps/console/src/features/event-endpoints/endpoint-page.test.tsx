import type { EventDelivery, EventEndpoint } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openConsole, prepareConsole, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, keep, pageOf } from '../../testing/fake-api.ts';
import { keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose, click, clickFirst, dialog, fill, sees, user } from '../../testing/hands.ts';

prepareConsole();

const URL = 'https://shop.example/events';
const SECRETS = ['whsec_first', 'whsec_second'];

/** Keeps endpoints and deliveries as the API does; `status` is what the receiver responds with. */
function keepEndpoints(given: readonly Partial<EventEndpoint>[] = []) {
  const receiver = { status: 204, received: [] as string[], replays: [] as unknown[] };
  keepWorkflows();
  const base = { ...example('GET /api/event-endpoints/:id'), workspaceId: WORKSPACE.workspaceId, url: URL };
  const endpoints: EventEndpoint[] = keep(
    '/api/event-endpoints',
    given.map((endpoint) => ({ ...base, ...endpoint })),
  );
  const deliveries: EventDelivery[] = [];
  const deliver = (delivery: EventDelivery): EventDelivery => {
    receiver.received.push(delivery.webhookId);
    const isGood = receiver.status < 300;
    const at = '2026-11-24T09:29:52.090Z';
    const attempts = [{ at, status: receiver.status, durationMs: 12, error: null }];
    const status = isGood ? ('delivered' as const) : ('failed' as const);
    const changed = { ...delivery, status, attemptCount: 1, attempts, nextAttemptAt: null, finishedAt: at };
    deliveries.splice(0, deliveries.length, changed);
    if (receiver.status === 410) {
      endpoints[0] = { ...endpoints[0]!, enabled: false, disabledAt: at, disabledReason: 'gone' };
    }
    return changed;
  };
  answer('POST /api/event-endpoints', ({ body }) => {
    const endpoint = { ...base, ...body };
    endpoints.push(endpoint);
    const secret = { ...example('POST /api/event-endpoints').secret, secret: SECRETS[0]! };
    return { ...endpoint, secret };
  });
  answer('GET /api/event-endpoints/:id/deliveries', () => pageOf(deliveries));
  answer('POST /api/event-endpoints/:id/test', () => deliver(example('POST /api/event-endpoints/:id/test')));
  answer('POST /api/event-endpoints/:id/deliveries/:deliveryId/replay', () => deliver(deliveries[0]!));
  answer('POST /api/event-endpoints/:id/rotate-secret', () => ({
    ...example('POST /api/event-endpoints/:id/rotate-secret'),
    secret: SECRETS[1]!,
  }));
  answer('POST /api/event-endpoints/:id/replay', ({ body }) => {
    receiver.replays.push(body);
    return { replayed: 1, nextSince: null };
  });
  return { receiver, endpoints };
}

/** Takes a secret from the dialog that shows it once. */
async function takeSecret(): Promise<string> {
  const secret = (await screen.findByLabelText('Signing secret')).textContent;
  await click('button', 'I have copied it');
  return secret;
}

it('an event endpoint is created with its events, tried, replayed, rotated, and enabled after a 410', async () => {
  const { receiver } = keepEndpoints();
  await openConsole('/event-endpoints');
  await clickFirst('button', 'New event endpoint');
  const form = await dialog();
  await fill(/^URL/, URL, form);
  await choose('Events', 'run.failed', form);
  await user.keyboard('{Tab}');
  await click('button', 'Create endpoint', form);
  expect(await takeSecret()).toBe(SECRETS[0]);
  expect(document.documentElement.outerHTML).not.toContain(SECRETS[0]);
  const row = within(await screen.findByRole('row', { name: new RegExp(URL) }));
  row.getByText('run.failed');
  row.getByText('Enabled');
  await user.click(row.getByRole('link'));

  await click('button', 'Send test event');
  const delivery = async () => within(await screen.findByRole('row', { name: /endpoint.test/ }));
  await (await delivery()).findByText('Delivered');
  await user.click((await delivery()).getByText(/^1 · 204 in/));
  await click('button', 'Rotate secret');
  expect(await takeSecret()).toBe(SECRETS[1]);

  receiver.status = 410;
  await click('button', 'Replay endpoint.test');
  await screen.findByText('Disabled because it responded with 410 Gone.');
  receiver.status = 204;
  await click('button', 'Enable');
  await screen.findByText('Enabled');
  await click('button', 'Replay endpoint.test');
  await (await delivery()).findByText('Delivered');
  expect(new Set(receiver.received).size).toBe(1);
  expect(receiver.received).toHaveLength(3);
});

it('an event endpoint is edited, and the deliveries of a time are replayed', async () => {
  const { receiver, endpoints } = keepEndpoints([{ eventTypes: ['run.failed'] }]);
  await openConsole(`/event-endpoints/${endpoints[0]!.id}`);
  await click('button', 'Edit');
  const form = await dialog();
  await fill(/^Description/, 'Failures of the shop', form);
  await choose('Events', 'run.timed_out', form);
  await user.keyboard('{Tab}');
  await click('button', 'Save', form);
  await screen.findByText('Failures of the shop');
  await screen.findByText('run.failed, run.timed_out');
  expect(endpoints[0]).toMatchObject({
    ...{ url: URL, description: 'Failures of the shop', workflowIds: null, tags: null },
    eventTypes: ['run.failed', 'run.timed_out'],
  });

  await click('button', 'Replay deliveries');
  const replay = await dialog();
  await choose('Deliveries', 'Delivered', replay);
  await click('button', 'Replay', replay);
  await sees('1 event is sent again.');
  expect(receiver.replays).toMatchObject([{ status: 'delivered' }]);
});
