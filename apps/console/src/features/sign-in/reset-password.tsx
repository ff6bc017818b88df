import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { redeemPasswordReset } from '../../api/people.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { endSession } from '../../session/store.ts';
import { FrontDoor } from './front-door.tsx';
import { NewPassword } from './new-password.tsx';

/** Sets a new password. The token of the link is in the URL's fragment, which no server and no log receives. */
export function ResetPassword() {
  const token = useLocation().hash;
  const [newPassword, setNewPassword] = useState('');
  const redemption = useMutation({
    mutationFn: () => redeemPasswordReset({ token, newPassword }),
    // All sessions of the person have ended, maybe this one too.
    onSuccess: () => endSession(),
  });
  return (
    <FrontDoor title={i18n.t('Set a new password')} lead={i18n.t('All your devices are signed out then.')}>
      {redemption.isSuccess ? (
        <Text role="status">{i18n.t('Your new password is set.')}</Text>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            redemption.mutate();
          }}
        >
          <Stack>
            <NewPassword label={i18n.t('New password')} value={newPassword} onChange={setNewPassword} />
            <Problem error={redemption.error} />
            <Button type="submit" loading={redemption.isPending}>
              {i18n.t('Set a new password')}
            </Button>
          </Stack>
        </form>
      )}
      <AnchorLink to="/sign-in">{i18n.t('To the sign-in')}</AnchorLink>
    </FrontDoor>
  );
}
