import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole, renderAt, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { click } from '../../testing/hands.ts';

prepareConsole();

const card = async (name: string) => within(await screen.findByRole('region', { name }));

/** Answers with a fleet that works, and without credentials. */
function answerWell(): void {
  answer('GET /api/monitoring/fleet', () => ({ workers: { live: 2, consuming: 2 } }));
  answer('GET /api/credentials', () => pageOf([]));
}

describe('the home page', () => {
  it('is where the console opens, and says that nothing is wrong', async () => {
    keepWorkflows().add({ name: 'Orders', definition: definitionOf() });
    keepRuns();
    answerWell();
    await openConsole('/');
    await screen.findByRole('heading', { name: 'Nothing is wrong' });
    expect(location.pathname).toBe(`/w/${WORKSPACE.workspaceId}/home`);
    (await card('Failing workflows, last 24 hours')).getByText('No run failed');
    (await card('Workers')).getByText('2 live, 2 accepting runs');
    (await card('Waiting for people')).getByText('No run waits for a person');
    (await card('Connections')).getByText('No connection needs to be renewed');
    renderAt('/');
    await waitFor(() => expect(location.pathname).toBe(`/w/${WORKSPACE.workspaceId}/home`));
  });

  it('names what is wrong, and leads to it', async () => {
    const workflows = keepWorkflows();
    const [orders, reports] = ['Orders', 'Reports'].map((name) => workflows.add({ name, definition: definitionOf() }));
    const runs = keepRuns();
    const failed = { status: 'failed', finishedAt: '2026-01-05T09:30:00.000Z' } as const;
    for (const id of [reports, orders, orders]) {
      const { workflow } = workflows.get(id!);
      runs.add(workflow, { ...failed, workflowName: workflow.name });
    }
    runs.add(workflows.get(reports!).workflow, { ...failed, executionMode: 'test' });
    answer('GET /api/monitoring/fleet', () => ({ workers: { live: 1, consuming: 0 } }));
    const [credential] = example('GET /api/credentials').data;
    answer('GET /api/credentials', () =>
      pageOf([
        {
          ...credential!,
          name: 'Mail of the shop',
          type: 'oauth2' as const,
          connection: {
            ...{ grant: 'authorizationCode' as const, status: 'reconnect_needed' as const, scopes: [] },
            ...{ expiresAt: null, connectedAt: null, refreshedAt: null, lastUsedAt: null, lastError: null },
          },
        },
      ]),
    );
    const [approval] = example('GET /api/approvals').data;
    answer('GET /api/approvals', () => pageOf([approval!]));
    await openConsole('/home');
    await screen.findByRole('heading', { name: '3 things are wrong' });
    const failing = await card('Failing workflows, last 24 hours');
    expect(failing.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Orders2 failed · /),
      expect.stringMatching(/^Reports1 failed · /),
    ]);
    (await card('Workers')).getByText('No worker accepts runs. They wait.');
    (await card('Waiting for people')).getByText('1 approval or form');
    (await card('Connections')).getByText('Mail of the shop');
    await click('link', 'Orders', failing);
    await waitFor(() => expect(location.pathname).toMatch(/\/runs$/));
    expect(Object.fromEntries(new URLSearchParams(location.search))).toEqual({
      status: 'failed,timeout',
      within: '24h',
      workflowId: orders,
    });
  });

  it('does not call well what it could not load', async () => {
    keepWorkflows().add({ name: 'Orders', definition: definitionOf() });
    keepRuns();
    answerWell();
    answer('GET /api/monitoring/fleet', () => refusal('SERVICE_UNAVAILABLE'));
    await openConsole('/home');
    await (await card('Workers')).findByText('This could not be loaded. It is tried again.');
    expect(screen.queryByRole('heading', { name: 'Nothing is wrong' })).toBeNull();
  });

  it('does not call well what cannot be loaded any more', async () => {
    keepWorkflows().add({ name: 'Orders', definition: definitionOf() });
    keepRuns();
    answerWell();
    await openConsole('/home');
    await screen.findByRole('heading', { name: 'Nothing is wrong' });
    answer('GET /api/monitoring/fleet', () => refusal('SERVICE_UNAVAILABLE'));
    await (await card('Workers')).findByText('This could not be loaded. It is tried again.');
    expect(screen.queryByRole('heading', { name: 'Nothing is wrong' })).toBeNull();
  });

  it('leads to the workflows while there are none', async () => {
    keepWorkflows();
    await openConsole('/home');
    await screen.findByRole('heading', { name: 'No workflows yet' });
    expect(location.pathname).toBe(`/w/${WORKSPACE.workspaceId}/workflows`);
  });
});
