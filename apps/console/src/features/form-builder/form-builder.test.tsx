import type { Definition, JsonObject, JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { codeOf, isSaved, nodeForm, openEditor, selectNode, writeCode } from '../../testing/editor.ts';
import { answer, pageOf } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose, click, enter, fill, type Scope, sees, user } from '../../testing/hands.ts';

prepareConsole();

function asking(schema: JsonObject): Definition {
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual', name: 'Start' },
      { id: 'ask', type: 'human', name: 'Ask', parameters: { title: 'Say', schema } },
    ],
    edges: [{ source: 'start', target: 'ask' }],
  };
}

/** Opens the node with the form. @returns what reads the schema of the draft. */
async function openNode(schema: JsonObject): Promise<() => JsonValue | undefined> {
  const workflows = keepWorkflows();
  keepRuns();
  const id = workflows.add({ name: 'Asks', definition: asking(schema) });
  await openEditor(id);
  await selectNode('Ask');
  return () => workflows.get(id).draft?.definition.nodes[1]?.parameters?.schema;
}

const row = async (number: number): Promise<Scope> =>
  within(await (await nodeForm()).findByRole('group', { name: `Field ${number}` }));
const preview = async (): Promise<Scope> => within(await (await nodeForm()).findByRole('region', { name: 'Preview' }));
const hasFocus = (label: string): Promise<void> =>
  waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe(label));

describe('a form', () => {
  it('is previewed as it will be: with its order, defaults, choices and limits, and their messages', async () => {
    const schema = await openNode({ type: 'object', properties: { note: { type: 'string' } } });
    await user.click((await row(1)).getByText('Options'));
    await fill(/^Help text/, 'In a few words', await row(1));
    await fill(/^Min length/, '5', await row(1));
    // The name of a saved field is used by others: it stays.
    await fill(/^Label/, 'What happened?', await row(1));
    await enter((await nodeForm()).getByRole('button', { name: 'Add field' }));
    await user.keyboard('Size');
    await user.selectOptions((await row(2)).getByLabelText('Type'), 'Choice');
    await (await row(2)).findByText('Add at least one choice');
    await enter((await row(2)).getByRole('button', { name: 'Add choice' }));
    await user.keyboard('Small{Enter}Large');
    await click('checkbox', 'Required', await row(2));
    await user.click((await row(2)).getByText('Options'));
    await choose('Default', 'Large', await row(2));

    await fill(/^What happened\?/, 'No', await preview());
    await click('button', 'Submit', await preview());
    await within(await (await preview()).findByRole('alert')).findByText('must NOT have fewer than 5 characters');
    await fill(/^What happened\?/, 'A scratch', await preview());
    await click('button', 'Submit', await preview());
    const status = await (await preview()).findByRole('status');
    await sees('Valid', within(status));
    expect(JSON.parse(status.querySelector('pre')!.textContent)).toEqual({ note: 'A scratch', size: 'Large' });

    await enter((await row(2)).getByRole('button', { name: 'Move field 2 up' }));
    // The focus stays at the field that has moved.
    await hasFocus('Move field 1 up');
    const region = (await nodeForm()).getByRole('region', { name: 'Preview' });
    const labels = [...region.querySelectorAll('label')].map(({ textContent }) => textContent);
    expect(labels).toEqual(['Size *', 'What happened?']);
    await user.keyboard('{Control>}z{/Control}');
    const label = async (number: number) => (await row(number)).getByLabelText<HTMLInputElement>(/^Label/).value;
    await waitFor(async () => expect(await label(2)).toBe('Size'));
    await enter((await row(1)).getByRole('button', { name: 'Move field 1 down' }));
    await hasFocus('Move field 2 down');
    await isSaved('Draft saved');
    await waitFor(() =>
      expect(schema()).toEqual({
        type: 'object',
        properties: {
          size: { type: 'string', enum: ['Small', 'Large'], title: 'Size', default: 'Large' },
          note: { type: 'string', title: 'What happened?', description: 'In a few words', minLength: 5 },
        },
        required: ['size'],
      }),
    );
    expect(Object.keys(Object(Object(schema()).properties))).toEqual(['size', 'note']);
    await enter((await row(1)).getByRole('button', { name: 'Remove field 1' }));
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Add field'));
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Field 2' })).toBeNull());
  });

  it('of which the fields cannot show all is edited as JSON, and never changed by that', async () => {
    const schema = await openNode({ type: 'object', properties: { iban: { type: 'string', pattern: '^[A-Z]{2}' } } });
    const form = await nodeForm();
    const asJson = await form.findByRole<HTMLInputElement>('switch', { name: /^Edit as JSON/ });
    expect([asJson.checked, asJson.disabled]).toEqual([true, true]);
    await form.findByText(/The fields cannot show all of this schema/);
    await writeCode(/^Schema/, '{{ $trigger.schema }}', form);
    await form.findByText(/An expression has no fields/);
    await isSaved('Draft saved');
    expect(schema()).toBe('{{ $trigger.schema }}');
    // The text stays while somebody types, even when it has become a schema that has fields.
    await writeCode(/^Schema/, '{ "type": "object", "properties": { "iban": { "type": "string" } } }', form);
    await waitFor(() => expect(asJson.disabled).toBe(false));
    await codeOf(/^Schema/, form);
    fireEvent.click(asJson);
    await (await preview()).findByLabelText('Iban');
    fireEvent.click(asJson);
    await codeOf(/^Schema/, form);
  });

  it('that was written by hand keeps its order, and is submitted with its defaults', async () => {
    const properties = {
      note: { type: 'string', title: 'Why?', default: 'late' },
      isPaid: { type: 'boolean' },
      size: { type: 'string', enum: ['S', 'S'] },
    };
    const schema = { type: 'object', properties, required: ['isPaid'] };
    const workflows = keepWorkflows();
    const { workflow } = workflows.get(workflows.add({ name: 'By hand', definition: asking(schema) }));
    const id = keepRuns().add(workflow, {
      status: 'waiting_for_human',
      nodes: { start: {}, ask: { status: 'waiting' } },
    });
    const task = { ...example('GET /api/human-tasks').data[0]!, executionId: id, nodeId: 'ask', schema };
    const tasks = [task];
    const submitted: unknown[] = [];
    answer('GET /api/human-tasks', () => pageOf(tasks));
    answer('POST /api/executions/:id/nodes/:nodeId/complete', ({ body: { data } }) => {
      submitted.push(data);
      tasks.pop();
      return example('POST /api/executions/:id/nodes/:nodeId/complete');
    });
    await openConsole(`/runs/${id}?node=ask`);
    await screen.findByLabelText('Why?');
    const labels = [...document.querySelectorAll('form label')].map(({ textContent }) => textContent);
    expect(labels.map((label) => label.replace(' *', ''))).toEqual(['Why?', 'Is paid', 'Size']);
    await click('button', 'Submit');
    await waitFor(() => expect(submitted).toEqual([{ note: 'late', isPaid: false }]));
  });
});
