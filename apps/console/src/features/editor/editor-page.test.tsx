import type { Definition } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { ADA, openConsole, prepareConsole, reload } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import {
  addNode,
  clip,
  control,
  hasNodes,
  isSaved,
  nodeForm,
  nodeOf,
  openEditor,
  putOnClipboard,
  selectNode,
  writeCode,
} from '../../testing/editor.ts';
import { answer, pageOf, refusal, refuseInvalid } from '../../testing/fake-api.ts';
import { type FakeRuns, keepRuns } from '../../testing/fake-runs.ts';
import { definitionOf, type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose, click, dialog, enter, fill, isGone, sees, user } from '../../testing/hands.ts';

prepareConsole();

/** An order check, and its next version: a node is added, one is removed, two are changed. */
const CHECK: Definition = {
  nodes: [
    { id: 'order', type: 'trigger.manual', name: 'Order arrives' },
    { id: 'price', type: 'set', name: 'Add the price', parameters: { fields: { total: '{{ $trigger.amount }}' } } },
    { id: 'large', type: 'if', name: 'Is it large?', parameters: { condition: '{{ $input.total > 100 }}' } },
    { id: 'hold', type: 'wait', name: 'Hold it back', parameters: { seconds: 60 } },
    { id: 'ship', type: 'terminal', name: 'Ship', parameters: { body: '{{ $input }}' } },
  ],
  edges: [
    { source: 'order', target: 'price' },
    { source: 'price', target: 'large' },
    { source: 'large', sourceHandle: 'true', target: 'hold' },
    { source: 'hold', target: 'ship' },
    { source: 'large', sourceHandle: 'false', target: 'ship' },
  ],
};

/** Keeps a workflow, whose runs succeed at once, and opens it in the editor. */
async function open(definition: Definition): Promise<{ workflows: FakeWorkflows; runs: FakeRuns; id: string }> {
  const workflows = keepWorkflows();
  const id = workflows.add({ name: 'Steps', definition });
  const runs = keepRuns(
    (of) => workflows.get(of).workflow,
    () => ({ status: 'success' }),
  );
  await openEditor(id);
  return { workflows, runs, id };
}

const typesOf = (workflows: FakeWorkflows, id: string) =>
  workflows.get(id).workflow.definition?.nodes.map(({ type }) => type);

describe('a workflow', () => {
  it('shows what is wrong on the node, is saved once that is mended, and warns of a limit', async () => {
    await open({
      ...definitionOf({ id: 'rest', type: 'wait', parameters: { seconds: 60 } }),
      settings: { timeoutSeconds: 30 },
    });
    await selectNode('start');
    const form = await addNode('If');
    await writeCode(/^Condition/, '{{ 1 + }}', form);
    await click('button', 'Save');
    await waitFor(async () => within(await nodeOf('If')).getByRole('img', { name: /condition/, hidden: true }));
    await form.findByRole('alert');
    await writeCode(/^Condition/, '{{ true }}', form);
    await click('button', 'Save');
    await isSaved('Saved');
    await screen.findByText(/^Its wait, up to 60 s, is longer than the limit of its run/);
  });

  it('is taken back step by step, copied and pasted', async () => {
    await open(definitionOf());
    await selectNode('start');
    await addNode('Wait');
    await hasNodes(2);
    fireEvent.click(await nodeOf('Wait'));
    clip('copy');
    clip('paste');
    await hasNodes(3);
    await user.keyboard('{Delete}');
    await hasNodes(2);
    await control('z');
    await hasNodes(3);
    await control('z');
    await control('z');
    await hasNodes(1);
    await user.keyboard('{Control>}{Shift>}z{/Shift}{/Control}');
    await hasNodes(2);
  });

  it('is run with an input that was saved under a name, or with that of an earlier run', async () => {
    const { runs } = await open(definitionOf());
    await control('{Enter}');
    const run = await dialog('Run workflow');
    const source = run.getByRole<HTMLInputElement>('combobox', { name: 'Fill in from' });
    expect(source.disabled).toBe(true);
    await fill('Input', '{"order": 17}', run);
    await click('button', 'Save input…', run);
    await fill('Name of the input', 'An order', run);
    await user.keyboard('{Enter}');
    await fill('Input', '{"order": 18}', run);
    await control('{Enter}');
    await waitFor(async () => within(await nodeOf('start')).getByRole('img', { name: 'Success', hidden: true }));
    expect(runs.asked).toMatchObject([{ path: 'execute', body: { input: { order: 18 } } }]);

    reload();
    await nodeOf('start');
    await control('{Enter}');
    const again = await dialog('Run workflow');
    const input = (): unknown => JSON.parse(again.getByLabelText<HTMLTextAreaElement>('Input').value);
    // It begins with the last one.
    await waitFor(() => expect(input()).toEqual({ order: 18 }));
    await choose('Fill in from', 'An order', again);
    expect(input()).toEqual({ order: 17 });
    await click('button', 'Delete An order', again);
    await choose('Fill in from', /Success$/, again);
    await waitFor(() => expect(input()).toEqual({ order: 18 }));
    expect(screen.queryByRole('option', { name: 'An order' })).toBeNull();
  });

  it('is not run with an input that its trigger refuses: the dialog shows what is wrong at the input', async () => {
    const { runs } = await open(definitionOf());
    answer('POST /api/workflows/:id/execute', () =>
      refusal('VALIDATION_FAILED', 'input.name: is required', [
        { path: 'input.name', message: 'is required' },
        { path: 'input.lines[1]', message: 'must be number' },
      ]),
    );
    await control('{Enter}');
    const run = await dialog('Run workflow');
    await fill('Input', '{"lines": [1, "x"]}', run);
    await control('{Enter}');
    const input = run.getByLabelText('Input');
    const described = (): string =>
      (input.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? '')
        .join(' ');
    await waitFor(() => expect(described()).toContain('name: is required\nlines[1]: must be number'));
    expect(run.queryByRole('alert')).toBeNull();
    await fill('Input', '{"lines": [1]}', run);
    expect(described()).not.toContain('is required');
    expect(runs.all).toEqual([]);
  });

  it('gets what was copied or cut in another, as JSON, and nothing from other text', async () => {
    const { workflows } = await open(
      definitionOf(
        { id: 'rest', type: 'wait', parameters: { seconds: 5 } },
        { id: 'last', type: 'set', parameters: { fields: {} } },
      ),
    );
    await selectNode('rest');
    await user.keyboard('{Control>}');
    fireEvent.click(await nodeOf('last'), { ctrlKey: true });
    await user.keyboard('{/Control}');
    clip('cut');
    await hasNodes(1);
    const id = workflows.add({ name: 'To', definition: definitionOf() });
    await openEditor(id);
    await hasNodes(1);
    clip('paste');
    await nodeOf('last');
    await click('button', 'Save');
    await isSaved('Saved');
    expect(workflows.get(id).workflow.definition).toMatchObject({
      nodes: [{ id: 'start' }, { id: 'rest', parameters: { seconds: 5 } }, { id: 'last' }],
      edges: [{ source: 'rest', target: 'last' }],
    });
    // Text that is not a part of a workflow adds nothing.
    putOnClipboard('Begin');
    clip('paste');
    await hasNodes(3);
  });

  it('that two people change at once keeps both: the later save is refused kindly', async () => {
    const { workflows, id } = await open(definitionOf());
    await selectNode('start');
    workflows.saveVersion(id, definitionOf({ id: 'wait', type: 'wait', parameters: { seconds: 1 } }));
    await addNode('Merge');
    await click('button', 'Save');
    const refused = await dialog();
    await refused.findByText(/Somebody else saved a version in the meantime/);
    expect(typesOf(workflows, id)).toEqual(['trigger.manual', 'wait']);
    await click('button', 'Save mine as latest', refused);
    await isSaved('Saved');
    expect(typesOf(workflows, id)).toEqual(['trigger.manual', 'merge']);
    await click('button', 'Versions');
    await screen.findByText('Version 3');
    await screen.findByText('Version 2');
  });

  it('has the focus at the form of a node that was added', async () => {
    await open({ nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
    await selectNode('start');
    await addNode('Edit fields');
    const form = await screen.findByRole('region', { name: 'Node' });
    await waitFor(() => expect(document.activeElement).toBe(form));
    await user.tab();
    expect(form.contains(document.activeElement)).toBe(true);
    // Without a node, it is back where it was.
    await click('button', 'Add node');
    await user.click(await screen.findByRole('combobox', { name: 'Search nodes' }));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add node' })));
  });

  it('takes webhooks once it is active', async () => {
    const { workflows, id } = await open({ nodes: [{ id: 'hook', type: 'trigger.webhook' }], edges: [] });
    const form = await selectNode('hook');
    await form.findByText('Responds with 410 until the workflow is active.');
    await click('switch', 'Active');
    await screen.findByText('The workflow is active.');
    await form.findByText('POST https://deckhand.example/webhook/hook');
    await waitFor(() => expect(form.queryByText(/Responds with 410/)).toBeNull());
    expect(workflows.get(id).workflow.status).toBe('active');
  });

  it('replays a request to its webhook, whose URL is changed', async () => {
    const { workflows, id } = await open({ nodes: [{ id: 'hook', type: 'trigger.webhook' }], edges: [] });
    const [delivery] = example('GET /api/workflows/:id/deliveries').data;
    answer('GET /api/workflows/:id/deliveries', () => pageOf([{ ...delivery!, nodeId: 'hook' }]));
    const replayed: unknown[] = [];
    answer('POST /api/workflows/:id/deliveries/:deliveryId/replay', ({ params: { deliveryId } }) => {
      replayed.push(deliveryId);
      return example('POST /api/workflows/:id/deliveries/:deliveryId/replay');
    });
    const url = 'https://deckhand.example/webhook/another';
    answer('POST /api/workflows/:id/webhooks/:nodeId/url', () => {
      workflows.change(id, { webhooks: [{ nodeId: 'hook', url, method: 'POST' }] });
      return { ...example('POST /api/workflows/:id/webhooks/:nodeId/url'), url };
    });
    await selectNode('hook');
    await click('button', 'Requests');
    await click('button', 'Replay POST');
    await waitFor(() => expect(replayed).toEqual([delivery!.id]));
    await user.keyboard('{Escape}');
    await click('button', 'Change URL hook');
    await click('button', 'Change URL', await dialog());
    await (await nodeForm()).findByText(`POST ${url}`);
  });
});

describe('the versions of a workflow', () => {
  const changes = async () => within(await screen.findByRole('list', { name: 'Changes' }));

  it('are saved with a comment, compared on one graph, and taken up again', async () => {
    const { workflows, id } = await open({
      nodes: [
        { id: 'start', type: 'trigger.manual', name: 'Order arrives' },
        { id: 'keep', type: 'set', name: 'Keep it', parameters: { fields: { sku: '{{ $trigger.sku }}' } } },
        { id: 'wait', type: 'wait', name: 'Hold it back', parameters: { seconds: 60 } },
      ],
      edges: [
        { source: 'start', target: 'keep' },
        { source: 'keep', target: 'wait' },
      ],
    });
    await selectNode('Hold it back');
    await user.keyboard('{Delete}');
    await writeCode('Fields: value 1', '{{ $trigger.article }}', await selectNode('Keep it'));
    await addNode('End (result)');

    refuseInvalid();
    await click('button', 'Save with a comment…');
    const saving = await dialog();
    await fill(/^Comment/, 'x'.repeat(2_001), saving);
    await control('s');
    await saving.findByText(/2000 characters/);
    await fill(/^Comment/, 'Names the article', saving);
    await control('s');
    await isSaved('Saved');
    expect(workflows.get(id).versions.map(({ comment }) => comment)).toEqual(['', 'Names the article']);

    await click('button', 'Versions');
    const versions = within(await screen.findByRole('list', { name: 'Versions' }));
    expect((await versions.findAllByRole('listitem'))[0]!.textContent).toMatch(
      /Version 2\s*Latest\s*Names the article\s*/,
    );
    await click('link', 'Compare version 2');
    for (const [name, change] of [
      ['Keep it', 'Changed'],
      ['End (result)', 'Added'],
      ['Hold it back', 'Removed'],
    ] as const) {
      await within(await nodeOf(name)).findByText(change);
    }
    await sees('1 node added, 1 removed, 1 changed; 1 connection added, 1 removed.');
    const entries = await (await changes()).findAllByRole('listitem');
    expect(entries.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/Keep it\s*fields.sku\s*~\s*Changed/),
      expect.stringMatching(/End \(result\)\s*End \(result\)\s*\+\s*Added/),
      expect.stringMatching(/Hold it back\s*Wait\s*−\s*Removed/),
      expect.stringMatching(/Keep it → End \(result\)\s*Connection\s*\+\s*Added/),
      expect.stringMatching(/Keep it → Hold it back\s*Connection\s*−\s*Removed/),
    ]);
    const sku = within(await screen.findByRole('group', { name: 'fields.sku' }));
    await sees('{{ $trigger.sku }}', within(sku.getByRole('group', { name: 'Before' })));
    await sees('{{ $trigger.article }}', within(sku.getByRole('group', { name: 'After' })));
    await enter((await changes()).getByRole('button', { name: /^Hold it back/ }));
    await within(await screen.findByRole('group', { name: 'seconds' })).findByText('60');
    await enter(await nodeOf('Order arrives'));
    await screen.findByText('No changes in this node.');

    // Version 1 is restored, and compared before it is saved; it is still on the canvas afterwards.
    await click('link', 'Back to the workflow');
    await click('button', 'Versions');
    await click('button', 'Restore version 1');
    await nodeOf('Hold it back');
    await click('button', 'Versions');
    await click('link', 'Compare the canvas');
    await within(await nodeOf('Hold it back')).findByText('Added');
    await within(await nodeOf('End (result)')).findByText('Removed');
    history.back();
    await isSaved('Draft saved');
    await nodeOf('Hold it back');
  });

  it('can be read by those who may not change them', async () => {
    const workflows = keepWorkflows();
    keepRuns();
    const id = workflows.add({ name: 'Looked at', definition: CHECK });
    workflows.saveVersion(id, { ...CHECK, settings: { timeoutSeconds: 600 } }, 'Large orders need a person');
    await openConsole(`/workflows/${id}`, { role: 'viewer', user: { ...ADA, isAdmin: false } });
    await click('button', 'Versions');
    await sees('Large orders need a person');
    expect(screen.queryByRole('button', { name: /^Restore/ })).toBeNull();
    await click('link', 'Compare version 2');
    await click('button', /^Workflow settings/, await changes());
    await within(await screen.findByRole('group', { name: /^Run timeout/ })).findByText(/600/);
    await choose('After', 'Version 1');
    await screen.findByText('No changes');
    await choose('Before', 'Empty workflow');
    await sees('5 nodes added; 5 connections added.');
    await isGone('button', 'Save');
  });
});
