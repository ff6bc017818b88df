import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { click, user } from '../../testing/hands.ts';

prepareConsole();

function answerFleet(): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  answer('GET /api/monitoring/fleet', () => example('GET /api/monitoring/fleet'));
  answer('GET /api/monitoring/stats', ({ query }) => {
    asked.push(query);
    return example('GET /api/monitoring/stats');
  });
  answer('GET /api/monitoring/workflows', () => example('GET /api/monitoring/workflows'));
  return asked;
}

describe('the fleet', () => {
  it('shows the worker that takes runs', async () => {
    answerFleet();
    await openConsole('/fleet');
    await within(await screen.findByRole('table', { name: 'Workers' })).findByText(/^Ready/);
    expect(screen.getByText('Accepting runs').parentElement?.textContent).toBe('Accepting runs1');
    await screen.findByRole('img', { name: /^Waiting in the queue in the last ten minutes: now 0/ });
  });

  it('shows how the runs of a period went, and the slowest workflows', async () => {
    const asked = answerFleet();
    keepRuns();
    answer('GET /api/workflows', () => example('GET /api/workflows'));
    await openConsole('/fleet');
    await user.click(await screen.findByText('Last hour'));
    await screen.findByRole('img', { name: /^Runs of the last hour/ });
    await waitFor(() => {
      const hours = asked.map((query) => Math.round((Date.now() - Date.parse(query.get('from')!)) / 3_600_000));
      expect(hours).toContain(1);
    });
    const [slow] = example('GET /api/monitoring/workflows').data;
    await click('link', slow!.name, within(screen.getByRole('table', { name: 'Slowest workflows' })));
    await waitFor(() => expect(location.pathname + location.search).toMatch(`/runs?workflowId=${slow!.workflowId}`));
  });
});
