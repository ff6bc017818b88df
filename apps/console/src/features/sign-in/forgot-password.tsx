import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { requestPasswordReset } from '../../api/people.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { FrontDoor } from './front-door.tsx';

/** Requests a link to a new password. Does not show whether there is such an account. */
export function ForgotPassword() {
  const [email, setEmail] = useState('');
  const request = useMutation({ mutationFn: () => requestPasswordReset({ email }) });
  return (
    <FrontDoor
      title={i18n.t('Forgot your password?')}
      lead={i18n.t('You get an e-mail with a link, which works once and within an hour.')}
    >
      {request.isSuccess ? (
        <Text role="status">{i18n.t('If there is an account with this address, an e-mail is on its way.')}</Text>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate();
          }}
        >
          <Stack>
            <TextInput
              label={i18n.t('E-mail')}
              type="email"
              autoComplete="username"
              required
              autoFocus
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Problem error={request.error} />
            <Button type="submit" loading={request.isPending}>
              {i18n.t('Send a link')}
            </Button>
          </Stack>
        </form>
      )}
      <AnchorLink to="/sign-in">{i18n.t('Back to the sign-in')}</AnchorLink>
    </FrontDoor>
  );
}
