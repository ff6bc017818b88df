import type { Definition } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole, reload } from '../../testing/console.tsx';
import {
  clip,
  codeOf,
  isSaved,
  nodeForm,
  nodeOf,
  nodesOnCanvas,
  openEditor,
  selectNode,
  writeCode,
} from '../../testing/editor.ts';
import { answer, refusal } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, dialog, user } from '../../testing/hands.ts';

prepareConsole();

const HOOK: Definition = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', name: 'Order arrives', position: { x: 0, y: 0 } },
    {
      id: 'keep',
      type: 'set',
      name: 'Keep it',
      parameters: { fields: { sku: '{{ $trigger.body.sku }}' } },
      position: { x: 280, y: 0 },
    },
  ],
  edges: [{ source: 'hook', target: 'keep' }],
};

/** The definition with another value of the field. */
const withValue = (sku: string): Definition => ({
  ...HOOK,
  nodes: HOOK.nodes.map((node) => (node.id === 'keep' ? { ...node, parameters: { fields: { sku } } } : node)),
});

/** Keeps a workflow, and opens it in the editor. */
async function openHook(changes: object = {}): Promise<{ workflows: FakeWorkflows; id: string }> {
  const workflows = keepWorkflows();
  keepRuns((of) => workflows.get(of).workflow);
  const id = workflows.add({ name: 'Orders', definition: HOOK, ...changes });
  await openEditor(id);
  return { workflows, id };
}

const turn = () => click('switch', 'Active');
const published = async (text: string): Promise<void> => {
  const status = within(await screen.findByRole('status', { name: 'Published version' }));
  await status.findByText(text);
};
const changeValue = async (value: string): Promise<void> =>
  writeCode('Fields: value 1', value, await selectNode('Keep it'));
const showsValue = async (value: string): Promise<void> =>
  waitFor(async () => expect((await codeOf('Fields: value 1', await nodeForm())).state.doc.toString()).toBe(value));

describe('an active workflow', () => {
  it('is edited in a draft, published after a look at the changes, and rolled back, without going offline', async () => {
    const { workflows, id } = await openHook();
    const read = () => workflows.get(id).workflow;
    await turn();
    await published('v1 live');
    const first = read();
    expect(first.status).toBe('active');
    await changeValue('{{ $trigger.body.article }}');
    await isSaved('Draft saved');
    await published('v1 live, v2 unpublished');

    // The draft survives a reload, and is not a version.
    reload();
    await selectNode('Keep it');
    await showsValue('{{ $trigger.body.article }}');
    expect(read().latestVersionId).toBe(first.latestVersionId);
    await click('link', 'Publish version 2 (1 change)');
    await within(await nodeOf('Keep it')).findByText('Changed');
    await click('button', 'Publish version 2');
    await screen.findByText('Version 2 is live.');
    await published('v2 live');
    await isSaved('Saved');
    expect(read()).toMatchObject({ status: 'active', activeVersionId: read().latestVersionId });

    await click('button', 'Versions');
    await click('link', 'Roll back to version 1');
    await click('button', 'Roll back to version 1');
    await published('v1 live, v2 unpublished');
    expect(read()).toMatchObject({ status: 'active', activeVersionId: first.latestVersionId });
    // Callers would be refused from then on, so it is asked about.
    await turn();
    await click('button', 'Cancel', await dialog('Turn off Orders?'));
    expect(read().status).toBe('active');
    await turn();
    await click('button', 'Turn off', await dialog('Turn off Orders?'));
    await screen.findByText('The workflow is inactive.');
    expect(read().status).toBe('inactive');
  });
});

describe('an invalid canvas', () => {
  it('is kept as a draft, and is not activated: its issues are shown instead', async () => {
    const { workflows, id } = await openHook();
    await changeValue('{{ 1 + }}');
    await isSaved('Draft saved');
    await turn();
    await waitFor(async () => within(await nodeOf('Keep it')).getByRole('img', { name: /sku/, hidden: true }));
    expect(workflows.get(id).workflow).toMatchObject({ status: 'draft', activeVersionId: null });
    // It is discarded from the list of versions.
    await click('button', 'Versions');
    await click('button', 'Discard draft');
    await click('button', 'Cancel', await dialog('Discard the draft?'));
    await click('button', 'Discard draft');
    // An error is shown there, and nothing is lost.
    const question = await dialog('Discard the draft?');
    answer('GET /api/workflows/:id', () => refusal('FORBIDDEN', 'Not now'));
    await click('button', 'Discard', question);
    await within(await question.findByRole('alert')).findByText('Not now');
    expect(workflows.get(id).draft).not.toBeNull();
    answer('GET /api/workflows/:id', () => workflows.get(id).workflow);
    await click('button', 'Discard', question);
    await isSaved('Saved');
    await waitFor(() => expect(workflows.get(id).draft).toBeNull());
    await showsValue('{{ $trigger.body.sku }}');
  });
});

describe('two editors', () => {
  it('do not replace the live version of each other unseen', async () => {
    const { workflows, id } = await openHook();
    await turn();
    await published('v1 live');
    await changeValue('of the first');
    await click('link', 'Publish version 2 (1 change)');
    await screen.findByRole('button', { name: 'Publish version 2' });
    workflows.change(id, { status: 'inactive' });
    await click('button', 'Publish version 2');
    await screen.findByText(/Somebody else has published a version, or turned/);
    const { workflow } = workflows.get(id);
    expect([workflow.status, workflow.activeVersionId === workflow.latestVersionId]).toEqual(['inactive', false]);
    await turn();
    await published('v2 live');
  });

  it('do not overwrite the drafts of each other unasked', async () => {
    const { workflows, id } = await openHook();
    const valueOf = () => workflows.get(id).draft?.definition.nodes[1]?.parameters;
    workflows.saveDraft(id, withValue('of the first'));
    await changeValue('of the second');
    await isSaved('Draft not saved: somebody else is editing');
    expect(valueOf()).toEqual({ fields: { sku: 'of the first' } });
    await click('button', 'Resolve…');
    await click('button', 'Load their draft');
    await isSaved('Draft saved');
    await selectNode('Keep it');
    await showsValue('of the first');
    await changeValue('of both');
    await isSaved('Draft saved');
    workflows.saveDraft(id, withValue('of the first again'));
    await changeValue('of the second again');
    await click('button', 'Resolve…');
    await click('button', 'Replace their draft');
    await isSaved('Draft saved');
    expect(valueOf()).toEqual({ fields: { sku: 'of the second again' } });
  });
});

describe('a managed workflow', () => {
  it('is shown and run, and not changed', async () => {
    const { workflows, id } = await openHook({ slug: 'managed', managed: true });
    await within(await screen.findByRole('note')).findByText(/Files define this workflow \(managed\)/);
    const form = await selectNode('Keep it');
    expect(form.getByLabelText('Name').matches(':disabled')).toBe(true);
    await screen.findByRole('button', { name: 'Run' });
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
    expect(screen.queryByRole('switch', { name: 'Active' })).toBeNull();
    // Nor by the keyboard.
    fireEvent.click(await nodeOf('Keep it'));
    clip('copy');
    clip('paste');
    for (const keys of ['{Control>}z{/Control}', '{Delete}']) await user.keyboard(keys);
    expect(nodesOnCanvas()).toHaveLength(2);
    // Its URL is copied and tested all the same.
    const hook = await selectNode('Order arrives');
    expect(hook.getByRole('button', { name: 'Copy' }).matches(':disabled')).toBe(false);
    await click('button', 'Listen for test event', hook);
    await within(hook.getByRole('status', { name: 'Test event' })).findByText(/Listening/);
    await click('button', 'Close', hook);
    await screen.findByRole('heading', { name: 'Select a node' });
    expect(workflows.get(id).workflow.draftUpdatedAt).toBeNull();
  });

  it('is not published, renamed, moved or deleted', async () => {
    const workflows = keepWorkflows();
    keepRuns();
    const id = workflows.add({ name: 'Managed and live', definition: HOOK, slug: 'managed', managed: true });
    const before = workflows.get(id).workflow.latestVersionId!;
    workflows.change(id, { status: 'active', activeVersionId: before });
    const after = workflows.saveVersion(id, { ...HOOK, settings: { timeoutSeconds: 60 } });
    await openConsole(`/workflows/${id}?before=${before}&after=${after}`);
    await screen.findByRole('list', { name: 'Changes' });
    expect(screen.queryByRole('button', { name: 'Publish version 2' })).toBeNull();
    await openConsole('/workflows');
    const row = within(await screen.findByRole('row', { name: /Managed and live/ }));
    await row.findByText('Managed');
    expect(row.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
      'Favorite Managed and live',
    ]);
  });
});
