import type { InstanceSettings, WorkspaceLimits } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { ADA, openConsole, prepareConsole, reload } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, refusal } from '../../testing/fake-api.ts';
import { click, fill, sees } from '../../testing/hands.ts';

prepareConsole();

/** Keeps the limits and settings as the API does, which refuses some. @returns what reads them. */
function keepAdministration(): { limits: () => WorkspaceLimits; settings: () => InstanceSettings } {
  let limits: WorkspaceLimits = {
    executionsPerMinute: null,
    maxConcurrentExecutions: null,
    storageQuotaBytes: null,
    modelTokensPerMonth: null,
    modelMicroUsdPerMonth: null,
  };
  let settings: InstanceSettings = {
    ...example('GET /api/admin/settings'),
    dataRetentionDays: null,
    runRetentionDays: null,
  };
  answer('GET /api/admin/workspaces/:id/limits', () => limits);
  answer('PUT /api/admin/workspaces/:id/limits', ({ body }) => (limits = { ...limits, ...body }));
  answer('GET /api/admin/workspaces/:id/usage', () => example('GET /api/admin/workspaces/:id/usage'));
  answer('GET /api/admin/settings', () => settings);
  answer('PUT /api/admin/settings', ({ body }) => {
    if (Number(body.dataRetentionDays) <= Number(body.runRetentionDays)) return (settings = body);
    const issue = { path: 'dataRetentionDays', message: 'must not be more than runRetentionDays' };
    return refusal('VALIDATION_FAILED', `${issue.path}: ${issue.message}`, [issue]);
  });
  return { limits: () => limits, settings: () => settings };
}

describe('the limits of a workspace', () => {
  it('are set, lifted, and refused at the field that is wrong', async () => {
    const { limits } = keepAdministration();
    await openConsole('/administration');
    await fill('Max concurrent runs', '4');
    await fill('Storage', '2.5');
    await fill('Tokens of language models per month', '9000');
    await fill('Costs of language models per month, in millionths of a dollar', '2500000');
    await click('button', 'Save limits');
    await screen.findByText(/of 2.5 GiB used/);
    const set = {
      executionsPerMinute: null,
      maxConcurrentExecutions: 4,
      storageQuotaBytes: 2_684_354_560,
      modelTokensPerMonth: 9_000,
      modelMicroUsdPerMonth: 2_500_000,
    };
    expect(limits()).toEqual(set);
    answer('PUT /api/admin/workspaces/:id/limits', () => {
      const issue = { path: 'executionsPerMinute', message: 'must be >= 1' };
      return refusal('VALIDATION_FAILED', 'executionsPerMinute: must be >= 1', [issue]);
    });
    await fill('Runs per minute', '7');
    await click('button', 'Save limits');
    await screen.findByText('must be >= 1');
    expect(screen.getByLabelText('Runs per minute').getAttribute('aria-invalid')).toBe('true');
    // What the page kept from before is not what was refused.
    keepAdministration();
    await fill('Runs per minute', '');
    await fill('Max concurrent runs', '');
    await click('button', 'Save limits');
    await screen.findByText('Limits saved. They apply at once.');
    expect(screen.getByLabelText('Runs per minute').getAttribute('aria-invalid')).not.toBe('true');
  });

  it('are not for those who administrate nothing', async () => {
    await openConsole('/administration', { role: 'admin', user: { ...ADA, isAdmin: false } });
    await screen.findByRole('link', { name: 'Members' });
    expect(screen.queryByRole('link', { name: 'Administration' })).toBeNull();
    await screen.findByText('Only for administrators');
  });
});

describe('the settings of the instance', () => {
  it('are kept; data that would outlive its runs is refused at its field', async () => {
    const { settings } = keepAdministration();
    await openConsole('/administration');
    await fill('Keep inputs and outputs (days)', '90');
    await fill('Keep runs (days)', '30');
    await click('button', 'Save settings');
    await screen.findByText('must not be more than runRetentionDays');
    expect(settings().runRetentionDays).toBeNull();
    await fill('Keep inputs and outputs (days)', '14');
    await click('button', 'Save settings');
    await screen.findByText('Settings saved.');
    expect(settings()).toMatchObject({ dataRetentionDays: 14, runRetentionDays: 30 });
    reload();
    await sees('Keep runs (days)');
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Keep runs (days)').value).toBe('30'));
  });
});
