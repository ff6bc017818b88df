import type { AcceptedInvite, AcceptInviteBody } from '@deckhand/contracts';
import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { acceptInvite, meQuery, signOut } from '../../api/people.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { beginSession, endSession } from '../../session/store.ts';
import { useSession } from '../../session/use-session.ts';
import { FrontDoor } from './front-door.tsx';
import { NewPassword } from './new-password.tsx';

const BLANK = { email: '', name: '', password: '' };

/** Accepts an invite. Its token is in the URL's fragment, which no server and no log receives. */
export function Invite() {
  const token = useLocation().hash;
  const session = useSession();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const email = useQuery({ ...meQuery, enabled: session !== undefined }).data?.user.email;
  const [person, setPerson] = useState(BLANK);
  const acceptance = useMutation({
    mutationFn: (body: AcceptInviteBody) => acceptInvite(body),
    async onSuccess(joined: AcceptedInvite) {
      const { token: sessionToken, expiresAt, workspaceId } = joined;
      if (sessionToken !== undefined && expiresAt !== undefined) beginSession({ token: sessionToken, expiresAt });
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      await navigate({ to: '/w/$workspaceId/workflows', params: { workspaceId } });
    },
  });
  /** Leaves the link open, for the person who was invited. */
  const leave = async (): Promise<void> => {
    await signOut().catch(() => undefined);
    endSession();
    acceptance.reset();
  };
  const field = (name: keyof typeof BLANK) => ({
    required: true,
    value: person[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setPerson((before) => ({ ...before, [name]: value }));
    },
  });
  if (session) {
    return (
      <FrontDoor
        title={i18n.t('Join the workspace')}
        lead={
          email === undefined
            ? i18n.t('You are signed in. Join to become a member.')
            : i18n.t('You are signed in as {email}. Join to become a member.', { email })
        }
      >
        <Problem
          error={acceptance.error}
          advice={adviceOn(acceptance.error, i18n.t('Sign out, then join with the address that was invited.'))}
        />
        <Button loading={acceptance.isPending} onClick={() => acceptance.mutate({ token })}>
          {i18n.t('Join')}
        </Button>
        {isForAnother(acceptance.error) && (
          <Button variant="default" onClick={() => void leave()}>
            {i18n.t('Sign out')}
          </Button>
        )}
      </FrontDoor>
    );
  }
  return (
    <FrontDoor title={i18n.t('Join the workspace')} lead={i18n.t('You were invited. Create your account.')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          acceptance.mutate({ token, ...person });
        }}
      >
        <Stack>
          <TextInput label={i18n.t('Your name')} autoComplete="name" autoFocus {...field('name')} />
          <TextInput label={i18n.t('E-mail')} type="email" autoComplete="username" {...field('email')} />
          <NewPassword
            value={person.password}
            onChange={(password) => setPerson((before) => ({ ...before, password }))}
          />
          <Problem
            error={acceptance.error}
            advice={adviceOn(acceptance.error, i18n.t('Enter the address that the invite was sent to.'))}
          />
          <Button type="submit" loading={acceptance.isPending}>
            {i18n.t('Join')}
          </Button>
          <AnchorLink to="/sign-in" size="sm">
            {i18n.t('I have an account. Sign in first, then open the link again.')}
          </AnchorLink>
        </Stack>
      </form>
    </FrontDoor>
  );
}

function isForAnother(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** Returns what a person can do about an invite that is refused. @param ofAnother if it is for another address */
function adviceOn(error: unknown, ofAnother: string): string | undefined {
  if (isForAnother(error)) return ofAnother;
  const isGone = error instanceof ApiError && error.status === 404;
  return isGone ? i18n.t('Ask the person who sent it for a new link.') : undefined;
}
