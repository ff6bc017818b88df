import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { setUp, setupQuery } from '../../api/people.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { beginSession } from '../../session/store.ts';
import { FrontDoor } from './front-door.tsx';
import { NewPassword } from './new-password.tsx';

const BLANK = { email: '', name: '', password: '', workspaceName: '' };

/**
 * Creates the first owner and workspace of a new instance. Its token is in the URL's fragment, which no server and no
 * log receives; a person without it is asked for it.
 */
export function SetUp() {
  const queryClient = useQueryClient();
  const linkToken = useLocation().hash;
  const [typedToken, setTypedToken] = useState('');
  const setup = useQuery(setupQuery);
  const [person, setPerson] = useState(BLANK);
  const creation = useMutation({
    mutationFn: setUp,
    onSuccess(answer) {
      queryClient.setQueryData(setupQuery.queryKey, { isOpen: false });
      beginSession(answer);
    },
  });
  if (setup.data?.isOpen === false) {
    return (
      <FrontDoor title={i18n.t('This instance is set up')} lead={i18n.t('It already has an owner.')}>
        <AnchorLink to="/sign-in">{i18n.t('Sign in')}</AnchorLink>
      </FrontDoor>
    );
  }
  const field = (name: keyof typeof BLANK) => ({
    required: true,
    value: person[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setPerson((before) => ({ ...before, [name]: value }));
    },
  });
  return (
    <FrontDoor title={i18n.t('Set up Deckhand')} lead={i18n.t('Create the first account, which owns this instance.')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creation.mutate({ token: linkToken || typedToken, ...person });
        }}
      >
        <Stack>
          {linkToken === '' && (
            <TextInput
              label={i18n.t('Setup token')}
              description={i18n.t('Shown in the log of the API, in a link to this page')}
              autoComplete="off"
              required
              value={typedToken}
              onChange={(event) => setTypedToken(event.currentTarget.value)}
            />
          )}
          <TextInput label={i18n.t('Your name')} autoComplete="name" autoFocus {...field('name')} />
          <TextInput label={i18n.t('E-mail')} type="email" autoComplete="username" {...field('email')} />
          <NewPassword
            value={person.password}
            onChange={(password) => setPerson((before) => ({ ...before, password }))}
          />
          <TextInput
            label={i18n.t('Name of the first workspace')}
            placeholder={i18n.t("For example your team's name")}
            {...field('workspaceName')}
          />
          <Problem error={creation.error} />
          <Button type="submit" loading={creation.isPending}>
            {i18n.t('Set up')}
          </Button>
        </Stack>
      </form>
    </FrontDoor>
  );
}
