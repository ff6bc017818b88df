import { expect, it } from '@jest/globals';
import { screen } from '@testing-library/react';
import { useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { beginSession } from '../session/store.ts';
import { prepareConsole, WORKSPACE } from '../testing/console.tsx';
import { example } from '../testing/contract.ts';
import { answer, pageOf } from '../testing/fake-api.ts';
import { createApp } from './app.tsx';

prepareConsole();

/** Begins a session once the first page has been chosen, and before the app can listen to changes of the session. */
function SessionOfAnotherTab() {
  useLayoutEffect(() => {
    void (async () => {
      for (let step = 0; step < 50; step += 1) await Promise.resolve();
      beginSession({ token: 'token', expiresAt: '2099-01-01T00:00:00.000Z' });
    })();
  }, []);
  return null;
}

it('takes the session of another tab that comes while the console starts', async () => {
  answer('GET /api/variables', () => pageOf([]));
  answer('GET /api/auth/setup', () => example('GET /api/auth/setup'));
  window.history.pushState(null, '', `/w/${WORKSPACE.workspaceId}/variables`);
  const App = createApp();
  // Without the library's `render`, which runs all effects at once.
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  root.render(
    <>
      <App />
      <SessionOfAnotherTab />
    </>,
  );
  await screen.findByRole('heading', { name: 'Variables' });
  expect(window.location.pathname).toBe(`/w/${WORKSPACE.workspaceId}/variables`);
  root.unmount();
});
