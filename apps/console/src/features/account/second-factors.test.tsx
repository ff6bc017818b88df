import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { readSession } from '../../session/store.ts';
import { ADA, EARLIER, NO_FACTORS, openConsole, prepareConsole, renderAt } from '../../testing/console.tsx';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, dialog, fill, isGone } from '../../testing/hands.ts';

prepareConsole();

const STATE = 's'.repeat(43);
const CODES = ['aaaa-bbbb-cccc-dddd', 'eeee-ffff-gggg-hhhh'];
const APP = { createdAt: EARLIER, lastUsedAt: null };

async function enterPassword(): Promise<void> {
  answer('GET /api/auth/setup', () => ({ isOpen: false }));
  keepWorkflows();
  renderAt('/sign-in');
  await fill(/^E-mail/, ADA.email);
  await fill(/^Password/, 'correct horse battery');
  await click('button', 'Sign in');
}

/** Answers a sign-in that waits for a second factor. */
function answerPending(): void {
  const answered = { state: STATE, expiresAt: '2099-01-01T00:00:00.000Z', passkeyRequest: null };
  answer('POST /api/auth/login', () =>
    Response.json({ ...answered, methods: ['code', 'recoveryCode'] }, { status: 202 }),
  );
}

describe('the second step of a sign-in', () => {
  it('takes a code of the app, says when it is wrong, and signs in', async () => {
    answerPending();
    answer('POST /api/auth/login/second-factor', ({ body }) => {
      expect(body.state).toBe(STATE);
      if (body.code !== '123456') return refusal('UNAUTHORIZED', 'The code is wrong, or was used');
      return { token: 'token', expiresAt: '2099-01-01T00:00:00.000Z', user: ADA };
    });
    await enterPassword();
    await screen.findByRole('heading', { name: 'Confirm that it is you' });
    expect(readSession()).toBeUndefined();
    await fill(/^Code of your authenticator app/, '000000');
    await click('button', 'Sign in');
    await within(await screen.findByRole('alert')).findByText('The code is wrong, or was used');
    await fill(/^Code of your authenticator app/, '123456');
    await click('button', 'Sign in');
    await waitFor(() => expect(readSession()?.token).toBe('token'));
  });

  it('takes a recovery code, and leads back', async () => {
    answerPending();
    const sent: unknown[] = [];
    answer('POST /api/auth/login/second-factor', ({ body }) => {
      sent.push(body);
      return { token: 'token', expiresAt: '2099-01-01T00:00:00.000Z', user: ADA };
    });
    await enterPassword();
    await click('button', 'Back to the sign-in');
    await fill(/^Password/, 'correct horse battery');
    await click('button', 'Sign in');
    await click('button', 'Use a recovery code');
    await fill(/^Recovery code/, CODES[0] ?? '');
    await click('button', 'Sign in');
    await waitFor(() => expect(sent).toEqual([{ state: STATE, recoveryCode: CODES[0] }]));
  });
});

describe('the second factors of an account', () => {
  it('add an app by its QR code, after a confirmation, and show the recovery codes once', async () => {
    let [isConfirmed, hasApp] = [false, false];
    answer('GET /api/auth/sessions', () => pageOf([]));
    answer('GET /api/auth/second-factors', () => ({
      ...NO_FACTORS,
      ...(hasApp && { authenticator: APP, recoveryCodesLeft: 10 }),
    }));
    answer('POST /api/auth/authenticator', () =>
      isConfirmed
        ? { secret: 'GEZDGNBVGY3TQOJQ', uri: 'otpauth://totp/Deckhand:ada@example.com?secret=GEZDGNBVGY3TQOJQ' }
        : refusal('CONFIRMATION_REQUIRED'),
    );
    answer('POST /api/auth/confirm/options', () => ({ methods: ['password'], state: null, passkeyRequest: null }));
    answer('POST /api/auth/confirm', ({ body }) => {
      if (body.password !== 'right') return refusal('FORBIDDEN', 'The password is wrong');
      isConfirmed = true;
      return undefined;
    });
    answer('POST /api/auth/authenticator/confirm', ({ body }) => {
      expect(body).toEqual({ code: '123456' });
      hasApp = true;
      return { recoveryCodes: CODES };
    });
    await openConsole('/account');
    await screen.findByText('You have none.');
    await click('button', 'Add an authenticator app');
    const confirmation = await dialog('Confirm that it is you');
    await fill(/^Your password/, 'wrong', confirmation);
    await click('button', 'Confirm', confirmation);
    await confirmation.findByText('The password is wrong');
    await fill(/^Your password/, 'right', confirmation);
    await click('button', 'Confirm', confirmation);
    const adding = await dialog('Add an authenticator app');
    await adding.findByRole('img', { name: 'QR code of the secret' });
    await adding.findByText('GEZDGNBVGY3TQOJQ');
    await fill(/^Code of your/, '123456', adding);
    await click('button', 'Add', adding);
    const codes = await dialog('Recovery codes');
    expect(codes.getByLabelText('Recovery codes').textContent).toBe(CODES.join('\n'));
    await click('button', 'I have kept them', codes);
    await isGone('dialog');
    await screen.findByText('10 recovery codes are left');
    expect(screen.queryByRole('button', { name: 'Add an authenticator app' })).toBeNull();
  });

  it('do nothing when the person does not confirm', async () => {
    answer('GET /api/auth/sessions', () => pageOf([]));
    answer('POST /api/auth/authenticator', () => refusal('CONFIRMATION_REQUIRED'));
    answer('POST /api/auth/confirm/options', () => ({ methods: ['code'], state: null, passkeyRequest: null }));
    await openConsole('/account');
    await click('button', 'Add an authenticator app');
    await click('button', 'Close', await dialog('Confirm that it is you'));
    await isGone('dialog');
    await screen.findByText(/Confirm first that it is you/);
  });

  it('are removed, and recovery codes are replaced', async () => {
    const removed: string[] = [];
    const passkey = { id: '01900000-0000-7000-8000-000000000001', name: 'Laptop', ...APP };
    answer('GET /api/auth/sessions', () => pageOf([]));
    answer('GET /api/auth/second-factors', () => ({
      ...{ ...NO_FACTORS, isRequired: true, authenticator: APP, recoveryCodesLeft: 2 },
      passkeys: removed.length === 0 ? [passkey] : [],
    }));
    answer('DELETE /api/auth/passkeys/:id', ({ params }) => {
      removed.push(params.id ?? '');
      return undefined;
    });
    answer('POST /api/auth/recovery-codes', () => ({ recoveryCodes: CODES }));
    await openConsole('/account');
    await screen.findByText('This instance requires a second factor');
    await click('button', /^Remove the passkey Laptop/);
    await click('button', 'Remove', await dialog());
    await waitFor(() => expect(screen.queryByText('Passkey Laptop')).toBeNull());
    expect(removed).toEqual([passkey.id]);
    await click('button', /^Replace the recovery codes/);
    await click('button', 'Replace', await dialog());
    await dialog('Recovery codes');
  });
});
