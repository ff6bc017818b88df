import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { confirmIdentity, startConfirmation } from '../../api/second-factors.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { answerConfirmation } from '../../session/confirmation.ts';
import { Prove } from '../sign-in/prove.tsx';

/** Asks the person to confirm who they are, before what a stolen session must not do. */
export function ConfirmIdentity() {
  // A challenge works once, so each request to confirm gets another.
  const options = useQuery({
    queryKey: ['confirmation'],
    queryFn: startConfirmation,
    ...{ gcTime: 0, staleTime: Infinity, retry: false },
  });
  const { methods = [], passkeyRequest = null, state = null } = options.data ?? {};
  return (
    <Dialog title={i18n.t('Confirm that it is you')} onClose={() => answerConfirmation(false)}>
      <Stack>
        <Problem error={options.error} />
        {options.data && methods.length === 0 && (
          <Text size="sm">{i18n.t('You have no password: sign out, then sign in again by single sign-on.')}</Text>
        )}
        {methods.includes('password') && <ByPassword />}
        {methods.some((method) => method !== 'password') && (
          <Prove
            methods={methods}
            passkeyRequest={passkeyRequest}
            submit={i18n.t('Confirm')}
            act={async (proof) => {
              await confirmIdentity({ ...(proof.passkey && state !== null ? { state } : {}), ...proof });
              answerConfirmation(true);
            }}
          />
        )}
      </Stack>
    </Dialog>
  );
}

function ByPassword() {
  const [password, setPassword] = useState('');
  const confirmation = useMutation({
    mutationFn: () => confirmIdentity({ password }),
    onSuccess: () => answerConfirmation(true),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirmation.mutate();
      }}
    >
      <Stack>
        <PasswordInput
          label={i18n.t('Your password')}
          required
          autoComplete="current-password"
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Problem error={confirmation.error} advice={adviceOnPassword(confirmation.error)} />
        <Button type="submit" loading={confirmation.isPending}>
          {i18n.t('Confirm')}
        </Button>
      </Stack>
    </form>
  );
}
