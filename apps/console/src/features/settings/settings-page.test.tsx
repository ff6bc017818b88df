import type { EventSecret, WorkspaceEntry } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { openConsole, prepareConsole, reload, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { definitionOf, type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose, click, dialog, fill, user } from '../../testing/hands.ts';

prepareConsole();

/** Keeps the settings of the workspace as the API does. @returns what reads them, and the workflows. */
function keepSettings(): { read: () => WorkspaceEntry; workflows: FakeWorkflows } {
  let settings: WorkspaceEntry = { ...example('GET /api/workspaces/:id'), ...WORKSPACE };
  answer('GET /api/workspaces/:id', () => settings);
  answer('PATCH /api/workspaces/:id', ({ body }) => (settings = { ...settings, ...body }));
  answer('GET /api/workspaces/:id/usage', () => example('GET /api/workspaces/:id/usage'));
  return { read: () => settings, workflows: keepWorkflows() };
}

const chosen = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Error workflow' }).value;

async function chooseErrorWorkflow(name: string): Promise<void> {
  await choose('Error workflow', name);
  await click('button', 'Save');
}

describe('the settings of a workspace', () => {
  it('name its error workflow, and no other again', async () => {
    const { read, workflows } = keepSettings();
    const id = workflows.add({ name: 'Report errors', definition: definitionOf() });
    await openConsole('/settings');
    await chooseErrorWorkflow('Report errors');
    await screen.findByText('The settings are saved.');
    expect(read().errorWorkflowId).toBe(id);
    reload();
    await waitFor(() => expect(chosen()).toBe('Report errors'));
    await chooseErrorWorkflow('No workflow');
    await waitFor(() => expect(read().errorWorkflowId).toBeNull());
  });

  it('send a test alert by the error workflow, each about another workflow', async () => {
    const { workflows } = keepSettings();
    const id = workflows.add({ name: 'Report errors', definition: definitionOf() });
    const runs = keepRuns((asked) => workflows.get(asked).workflow);
    await openConsole('/settings');
    await screen.findByRole('button', { name: 'Set up alerts' });
    expect(screen.queryByRole('button', { name: 'Send a test alert' })).toBeNull();
    await chooseErrorWorkflow('Report errors');
    await click('button', 'Send a test alert');
    await waitFor(() => expect(location.pathname).toMatch(new RegExp(`/runs/${runs.all[0]?.id ?? ''}$`)));
    const [asked] = runs.asked;
    expect(asked?.body).toMatchObject({
      ...{ version: 'active', executionMode: 'test' },
      input: {
        workspaceId: WORKSPACE.workspaceId,
        status: 'failed',
        workflowId: expect.stringMatching(/^test-alert-/),
      },
    });
    expect(runs.all[0]?.workflowId).toBe(id);
  });

  it('stay on the screen when the person behind them cannot be read again', async () => {
    keepSettings();
    await openConsole('/settings');
    await screen.findByRole('button', { name: 'Save' });
    answer('GET /api/auth/me', () => refusal('FORBIDDEN', 'Not now'));
    // Saving reads the person and their workspaces again.
    await click('button', 'Save');
    await screen.findByText('The settings are saved.');
    expect(screen.getAllByRole('button', { name: 'Save' })).toHaveLength(1);
    expect(screen.queryByText('Not now')).toBeNull();
  });

  it('show the secrets of callbacks, and delete the workspace', async () => {
    keepSettings();
    const secrets: EventSecret[] = [];
    answer('GET /api/workspaces/:id/callback-secrets', () => ({ data: [...secrets] }));
    answer('POST /api/workspaces/:id/callback-secrets/rotate', () => {
      secrets.push(example('POST /api/workspaces/:id/callback-secrets/rotate'));
      return secrets[0]!;
    });
    const other = { workspaceId: crypto.randomUUID(), name: 'Trial', role: 'owner' as const };
    const deleted: string[] = [];
    answer('DELETE /api/workspaces/:id', ({ params: { id = '' } }) => {
      deleted.push(id);
      answer('GET /api/auth/me', () => ({ ...example('GET /api/auth/me'), workspaces: [other] }));
      return undefined;
    });
    await openConsole('/settings');
    await click('button', 'Show secrets');
    await screen.findByText(/There is none before/);
    await click('button', 'Rotate secret');
    await screen.findByText(/whsec_/);
    await click('button', 'Delete workspace');
    const deletion = await dialog();
    await fill('Type the name of the workspace', WORKSPACE.name.slice(0, -1), deletion);
    const confirm = deletion.getByRole<HTMLButtonElement>('button', { name: 'Delete' });
    expect(confirm.disabled).toBe(true);
    await fill('Type the name of the workspace', WORKSPACE.name, deletion);
    await user.click(confirm);
    await waitFor(() => expect(location.pathname).toBe(`/w/${other.workspaceId}/workflows`));
    expect(deleted).toEqual([WORKSPACE.workspaceId]);
  });

  it('set up alerts on failed runs, by a workflow that is active and chosen', async () => {
    const { read, workflows } = keepSettings();
    const mail = { ...example('GET /api/credentials/:id'), name: 'Mail', type: 'smtp' as const };
    answer('GET /api/credentials', () => pageOf([{ ...mail, visibility: 'shared' as const }]));
    await openConsole('/settings');
    await screen.findByText(/No alert is sent when a run fails/);
    await click('button', 'Set up alerts');
    const form = await dialog('Failure alerts');
    await choose('Credential', 'Mail', form);
    await fill(/^From/, 'deckhand@example.com', form);
    await fill(/^To/, 'ada@example.com', form);
    await click('button', 'Set up alerts', form);
    await screen.findByText('Alerts are sent from now on.');
    await waitFor(() => expect(chosen()).toBe('Failure alerts'));
    const { workflow } = workflows.all[0]!;
    expect([workflow.status, workflow.id]).toEqual(['active', read().errorWorkflowId]);
    expect(workflow.definition?.nodes.find(({ id }) => id === 'send')).toMatchObject({
      credentialId: mail.id,
      parameters: { from: 'deckhand@example.com', to: ['ada@example.com'] },
    });
  });
});
