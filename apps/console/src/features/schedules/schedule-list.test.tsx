import type { ScheduleEntry } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { EARLIER, openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf } from '../../testing/fake-api.ts';
import { click } from '../../testing/hands.ts';

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
