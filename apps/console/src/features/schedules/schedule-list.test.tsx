import type { ScheduleEntry } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { EARLIER, openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, dialog } from '../../testing/hands.ts';

prepareConsole();

it('a schedule is paused and resumed', async () => {
  const [given] = example('GET /api/schedules').data;
  let schedule: ScheduleEntry = { ...given!, workflowName: 'Nightly', nodeId: 'schedule', pausedAt: null };
  const { workflowId } = schedule;
  answer('GET /api/schedules', () => pageOf([schedule]));
  answer('POST /api/workflows/:id/schedules/:nodeId/pause', ({ params }) => {
    expect(params).toMatchObject({ id: workflowId, nodeId: 'schedule' });
    schedule = { ...schedule, pausedAt: EARLIER };
    return { ...example('POST /api/workflows/:id/schedules/:nodeId/pause'), pausedAt: EARLIER };
  });
  answer('POST /api/workflows/:id/schedules/:nodeId/resume', () => {
    schedule = { ...schedule, pausedAt: null };
    return example('POST /api/workflows/:id/schedules/:nodeId/resume');
  });
  await openConsole('/schedules');
  await click('button', 'Pause schedule of Nightly');
  await screen.findByText('Paused');
  await click('button', 'Resume schedule of Nightly');
  await screen.findByRole('button', { name: 'Pause schedule of Nightly' });
  await waitFor(() => expect(screen.queryByText('Paused')).toBeNull());
});

it('a schedule is described in words, and run now with its live version', async () => {
  const workflows = keepWorkflows();
  const { workflow } = workflows.get(workflows.add({ name: 'Nightly', definition: definitionOf() }));
  const runs = keepRuns(() => workflow);
  const last = runs.add(workflow);
  const [given] = example('GET /api/schedules').data;
  const own = { workflowId: workflow.id, workflowName: 'Nightly', nodeId: 'schedule', cron: '0 18 * * 1-5' };
  const schedule: ScheduleEntry = {
    ...{ ...given!, ...own, lastExecutionId: last, lastFireAt: EARLIER },
    ...{ blockedBy: 'workspace_rate_limited', pausedAt: null, timezone: 'Europe/Berlin' },
  };
  answer('GET /api/schedules', () => pageOf([schedule]));
  await openConsole('/schedules');
  const row = within(await screen.findByRole('row', { name: /Nightly/ }));
  expect(row.getByText('Monday to Friday at 18:00').title).toBe('0 18 * * 1-5');
  row.getByText('Rate limit of the workspace');
  const links = row.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links[1]).toMatch(new RegExp(`/runs/${last}$`));
  await click('button', 'Run schedule of Nightly now');
  const question = await dialog('Run Nightly now?');
  question.getByText(/Options of the trigger, such as limits by a key, are not applied\.$/);
  expect(runs.asked).toEqual([]);
  await click('button', 'Run now', question);
  await waitFor(() => expect(location.pathname).toMatch(new RegExp(`/runs/${runs.all[0]?.id ?? ''}$`)));
  expect(runs.asked).toEqual([
    {
      path: 'execute',
      body: {
        ...{ version: 'active', triggerNodeId: 'schedule' },
        input: {
          ...{ timezone: 'Europe/Berlin', nodeId: 'schedule', isCatchUp: false },
          scheduledFor: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      },
    },
  ]);
});
