import { expect, it } from '@jest/globals';
import { screen } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf } from '../../testing/fake-api.ts';
import { choose, click, dialog } from '../../testing/hands.ts';

prepareConsole();

it('lets somebody in by an invite with a role, by a link that is shown once', async () => {
  answer('GET /api/workspaces/:id/members', () => example('GET /api/workspaces/:id/members'));
  answer('GET /api/workspaces/:id/invites', () => pageOf([]));
  const asked: unknown[] = [];
  answer('POST /api/workspaces/:id/invites', ({ body }) => {
    asked.push(body);
    return { ...example('POST /api/workspaces/:id/invites'), role: body.role, token: 'secret-token' };
  });
  await openConsole('/members');
  await click('button', 'Invite');
  const invite = await dialog();
  await choose('Role', 'viewer', invite);
  await click('button', 'Create invite link', invite);
  expect((await invite.findByLabelText('Link')).textContent).toBe('http://console.test/invite#secret-token');
  expect(asked).toEqual([{ role: 'viewer', email: null }]);
  await click('button', 'Done', invite);
  expect(document.documentElement.outerHTML).not.toContain('secret-token');
  expect(screen.getByRole('table', { name: 'Members' }).textContent).toContain('Grace');
});
