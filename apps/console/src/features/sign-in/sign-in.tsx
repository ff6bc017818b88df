import type { PendingSignIn } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { lazy, type SubmitEvent, Suspense, useState } from 'react';
import { setupQuery, signIn } from '../../api/people.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { beginSession } from '../../session/store.ts';
import { FrontDoor } from './front-door.tsx';
import { OtherMethods } from './single-sign-on.tsx';

const SecondStep = lazy(() => import('./second-step.tsx').then((module) => ({ default: module.SecondStep })));

/** Signs in and redirects to the requested page. On a new instance it redirects to the setup. */
export function SignIn() {
  const setup = useQuery(setupQuery);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [pending, setPending] = useState<PendingSignIn>();
  const login = useMutation({
    mutationFn: signIn,
    onSuccess(response) {
      if ('token' in response) beginSession(response);
      else setPending(response);
    },
  });
  if (setup.data?.isOpen === true) return <Navigate to="/setup" replace />;
  if (pending) {
    return (
      <Suspense fallback={<Loading />}>
        <SecondStep pending={pending} onBack={() => setPending(undefined)} />
      </Suspense>
    );
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    login.mutate({ email, password });
  };
  return (
    <FrontDoor title={i18n.t('Sign in')} lead={i18n.t('Workflows, runs and approvals of your workspaces.')}>
      <form onSubmit={submit}>
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
          <PasswordInput
            label={i18n.t('Password')}
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Problem error={login.error} advice={adviceOnPassword(login.error)} />
          <Button type="submit" loading={login.isPending}>
            {i18n.t('Sign in')}
          </Button>
          <OtherMethods />
          <Text size="sm" c="dimmed">
            <Trans
              id="No account? Ask the administrator of this instance for an invite. Documentation: <0>/docs</0>."
              components={{ 0: <Anchor href="/docs" size="sm" underline="always" /> }}
            />
          </Text>
        </Stack>
      </form>
    </FrontDoor>
  );
}
