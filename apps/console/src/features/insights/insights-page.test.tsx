import { describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer } from '../../testing/fake-api.ts';
import { click, user } from '../../testing/hands.ts';

prepareConsole();

/** Returns the number of days of a period, both ends included. */
function daysOf(query: URLSearchParams): number {
  const [from = 0, to = 0] = ['from', 'to'].map((name) => Date.parse(query.get(name) ?? ''));
  return (to - from) / 86_400_000 + 1;
}

function answerInsights(): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  answer('GET /api/workflows', () => example('GET /api/workflows'));
  answer('GET /api/workflows/:id', () => example('GET /api/workflows/:id'));
  answer('GET /api/insights', ({ query }) => {
    asked.push(query);
    const found = example('GET /api/insights');
    const figures = { runs: 1_234, success: 1_000, failed: 200, timeout: 34, stopped: 0, failureRate: 0.19 };
    return {
      ...found,
      ...figures,
      previous: { ...found.previous, runs: 987 },
      days: [
        { ...found.days[0]!, day: '2026-03-01', runs: 3, success: 3, failureRate: 0 },
        { ...found.days[0]!, day: '2026-03-02', ...figures, durationMs: { p50: 1_000, p95: 65_000 } },
      ],
      workflows: [
        {
          ...figures,
          workflowId: '0198a6f0-0000-7000-8000-0000000000aa',
          workflowName: 'Orders',
          durationMs: null,
          previous: { runs: 1, failureRate: 0.5 },
        },
      ],
    };
  });
  return asked;
}

describe('insights', () => {
  it('show the figures of a period beside those before, by workflow and by day', async () => {
    const asked = answerInsights();
    await openConsole('/insights');
    const runs = (await screen.findByText('1,234', { selector: 'dd' })).parentElement!;
    expect(runs.textContent).toBe('Runs1,234Before: 987');
    await screen.findByRole('img', { name: 'Runs by day, at most 1,234' });
    const days = within(screen.getByRole('table', { name: 'By day' }));
    const [, latest] = days.getAllByRole('row');
    expect(
      within(latest!)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ).toEqual([...['2 Mar 2026', '1,234', '234', '19 %', '1.00 s', '1 min 5 s']]);
    await user.click(screen.getByText('Failure rate', { selector: 'label span' }));
    await screen.findByRole('img', { name: 'Failure rate by day, at most 19 %' });
    expect(daysOf(asked[0]!)).toBe(30);
  });

  it('are narrowed to a workflow and a period, which the address has', async () => {
    const asked = answerInsights();
    await openConsole('/insights?within=7d');
    await click('link', 'Orders', within(await screen.findByRole('table', { name: 'By workflow' })));
    await waitFor(() => expect(asked.at(-1)!.get('workflowId')).toBe('0198a6f0-0000-7000-8000-0000000000aa'));
    expect(daysOf(asked.at(-1)!)).toBe(7);
    await user.click(screen.getByText('400 days'));
    await waitFor(() => expect(location.search).toContain('within=400d'));
  });

  it('are saved as CSV', async () => {
    answerInsights();
    answer('GET /api/insights', ({ query }) =>
      query.get('format') === 'csv'
        ? new Response('day,runs\r\n', { headers: { 'content-type': 'text/csv' } })
        : example('GET /api/insights'),
    );
    const saved: string[] = [];
    jest.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1');
    jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push(this.download);
    });
    await openConsole('/insights');
    await click('button', 'Export as CSV');
    await waitFor(() => expect(saved).toEqual(['insights.csv']));
  });

  it('say so without any run', async () => {
    const found = example('GET /api/insights');
    answer('GET /api/workflows', () => example('GET /api/workflows'));
    answer('GET /api/insights', () => ({ ...found, runs: 0, previous: { ...found.previous, runs: 0 } }));
    await openConsole('/insights');
    await screen.findByRole('heading', { name: 'No runs in this period' });
  });
});
