import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiKeyEntry, Execution, MemberEntry, PageOf } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { faultsOfAccess, openWindow, SCREENS, signIn, startBrowser, takePicture } from '../../harness/browser.js';
import { type OwnedStack, startOwnedStack } from '../../harness/console.js';
import { OWNER, stopAll, until } from '../../harness/index.js';

let stack: OwnedStack;
let browser: Browser;
let shipping: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  shipping = await stack.createWorkflow('Shipping', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'ask', type: 'approval', parameters: { message: 'Ship {{ $trigger.sku }}?' } },
      {
        id: 'form',
        type: 'human',
        parameters: {
          title: 'Which carrier?',
          schema: { type: 'object', properties: { carrier: { type: 'string' } }, required: ['carrier'] },
        },
      },
    ],
    edges: [
      { source: 'start', target: 'ask' },
      { source: 'ask', sourceHandle: 'approved', target: 'form' },
    ],
  });
}, 60_000);
afterAll(stopAll);

const go = (page: Page, area: string) => page.getByRole('navigation').getByRole('link', { name: area }).click();

describe('an approval', () => {
  it('waits in the inbox, is decided with a comment, and the form after it is filled in', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Approvals');
    await page.getByText('Nothing waits for a decision').waitFor();
    const id = await stack.start(shipping, { sku: 'A-17' });
    const entry = page.getByRole('listitem').filter({ hasText: 'Ship A-17?' });
    await entry.getByLabel('Comment').fill('before noon');
    await entry.getByRole('button', { name: 'approved' }).click();
    await page.getByText('Nothing waits for a decision').waitFor();
    await page.goto(`/w/${stack.workspaceId}/runs/${id}?node=form`);
    await page.getByLabel('Carrier').fill('Pigeon');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('tree', { name: 'Output of form' }).getByText('"Pigeon"').waitFor();
    const run = await stack.say<Execution>('GET', `/api/executions/${id}`);
    expect(run).toMatchObject({
      status: 'success',
      data: { approvals: [{ decision: 'approved', comment: 'before noon' }] },
    });
    expect(complaints).toEqual([]);
  }, 60_000);
});

describe('an API key', () => {
  const keys = () => stack.say<PageOf<ApiKeyEntry>>('GET', '/api/api-keys');

  it('is Read-only with Advanced closed, shown once, and refused once it is revoked', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'API keys');
    await page.getByRole('button', { name: 'New API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Reports');
    await dialog.getByLabel('Your password').fill(OWNER.password);
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const key = (await dialog.getByLabel('API key', { exact: true }).textContent()) ?? '';
    expect(key).toMatch(/^dk_\w{43}$/);
    const read = () => fetch(`${stack.url}/api/workspaces`, { headers: { 'x-api-key': key } });
    expect((await read()).status).toBe(200);
    expect((await keys()).data).toMatchObject([{ name: 'Reports', access: 'Read-only', expiresAt: null }]);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('table', { name: 'API keys' }).getByText('Read-only').waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Revoke Reports' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('table', { name: 'API keys' }).getByText('Revoked').waitFor();
    expect((await read()).status).toBe(401);
    expect(complaints).toEqual([]);
  }, 60_000);

  it('may do more when that is asked for under Advanced; a wrong password makes none', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'API keys');
    await page.getByRole('button', { name: 'New API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Deploys');
    await dialog.getByLabel('Your password').fill('not my password');
    await dialog.getByRole('button', { name: 'Advanced' }).click();
    await dialog.getByLabel('Read + write', { exact: true }).check();
    await dialog.getByLabel('Expires after').fill('2099-12-31');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await dialog.getByRole('alert').waitFor();
    expect((await keys()).data.map(({ name }) => name)).not.toContain('Deploys');
    await dialog.getByLabel('Your password').fill(OWNER.password);
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    const made = (await keys()).data.find(({ name }) => name === 'Deploys');
    expect(made).toMatchObject({ access: 'Read + write', expiresAt: '2099-12-31T23:59:59.999Z' });
  }, 60_000);
});

describe('a workspace', () => {
  it('lets somebody in by an invite, who can then look but not touch', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'viewer' }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    const link = (await page.getByLabel('Link', { exact: true }).textContent()) ?? '';
    const { page: guest } = await openWindow(browser, stack.url);
    await guest.goto(link);
    await guest.getByLabel('Your name').fill('Grace');
    await guest.getByLabel('E-mail').fill('grace@example.com');
    await guest.getByLabel(/^Password/).fill('a password of some length');
    await guest.getByRole('button', { name: 'Join' }).click();
    await guest.getByRole('table', { name: 'Workflows' }).getByText('Shipping').waitFor();
    expect(await guest.getByRole('button', { name: 'New workflow' }).count()).toBe(0);
    const { data } = await stack.say<PageOf<MemberEntry>>('GET', `/api/workspaces/${stack.workspaceId}/members`);
    expect(data.map(({ name, role }) => [name, role])).toContainEqual(['Grace', 'viewer']);
  }, 60_000);

  it('keeps variables and credentials, and a secret is not seen again', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Variables');
    await page.getByRole('button', { name: 'New variable' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('region');
    await page.getByRole('dialog').getByLabel('Value').fill('north');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('table', { name: 'Variables' }).getByText('$vars.region').waitFor();
    await go(page, 'Credentials');
    await page.getByRole('button', { name: 'New credential' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Warehouse');
    await page.getByRole('dialog').getByLabel('Token').fill('hush-hush');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('table', { name: 'Credentials' }).getByText('Warehouse').waitFor();
    await page.reload();
    await page.getByRole('table', { name: 'Credentials' }).getByText('Warehouse').waitFor();
    expect(await page.content()).not.toContain('hush-hush');
    await go(page, 'Audit log');
    await page.getByRole('table', { name: 'Audit log' }).getByText(OWNER.email, { exact: false }).first().waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);
});

describe('the fleet', () => {
  it('shows the worker that takes runs', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Fleet');
    await page.getByRole('table', { name: 'Workers' }).getByText('Consuming').waitFor();
    await until(async () => (await page.getByText('Taking runs').locator('..').textContent())?.endsWith('1'));
    await page.getByRole('img', { name: /^Waiting in the queue in the last ten minutes: now 0/ }).waitFor();
  }, 60_000);

  it('shows how the runs of a period went, and the slowest workflows', async () => {
    const id = await stack.createWorkflow('Fails', {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'fail', type: 'fail', parameters: { message: 'no' } },
      ],
      edges: [{ source: 'start', target: 'fail' }],
    });
    const run = await stack.start(id);
    await until(async () => (await stack.say<Execution>('GET', `/api/executions/${run}`)).status === 'failed');
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Fleet');
    await page.getByText('Last hour').click();
    await page.getByRole('img', { name: /^Runs of the last hour/ }).waitFor();
    await page.getByRole('table', { name: 'Slowest workflows' }).getByRole('link', { name: 'Fails' }).click();
    await page.waitForURL(`**/runs?workflowId=${id}`);
    expect(complaints).toEqual([]);
  }, 60_000);
});

it.each(['light', 'dark'] as const)(
  'every page can be used by everybody, in %s',
  async (colorScheme) => {
    await stack.start(shipping, { sku: 'B-4' });
    for (const screen of ['desktop', 'phone'] as const) {
      const { page, complaints } = await openWindow(browser, stack.url, { screen, colorScheme });
      await signIn(page, OWNER);
      for (const [area, ready] of [
        ['approvals', 'Ship B-4?'],
        ['api-keys', 'New API key'],
        ['fleet', 'Consuming'],
        ['members', OWNER.name],
        ['variables', 'New variable'],
        ['credentials', 'New credential'],
        ['audit-log', 'workflow'],
        ['account', 'This one'],
      ] as const) {
        await page.goto(`/w/${stack.workspaceId}/${area}`);
        await page.getByText(ready).first().waitFor();
        await takePicture(page, `${area}-${screen}-${colorScheme}`);
        expect([area, await faultsOfAccess(page)]).toEqual([area, []]);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect([area, width]).toEqual([area, Math.min(width, SCREENS[screen].width)]);
      }
      expect(complaints).toEqual([]);
    }
  },
  180_000,
);
